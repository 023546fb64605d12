import { expect, test } from '@playwright/test';
import { describeOperations } from './trigger-params.ts';

test('few operations are all named, of many only the first', () => {
  expect(describeOperations(['ec2:CreateFleet'])).toBe('ec2:CreateFleet');
  expect(describeOperations(['a', 'b', 'c', 'd'])).toBe('a or b or c or d');
  expect(describeOperations(['a', 'b', 'c', 'd', 'e'])).toBe('a, b, c or one of 2 others');
});
