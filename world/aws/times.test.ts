import { expect, test } from '@playwright/test';
import { wholeSecond } from './times.ts';

test('a time within a second is given as its beginning', () => {
  for (const ms of [1_500_000_000_000, 1_500_000_000_001, 1_500_000_000_999])
    expect(wholeSecond(ms).toISOString()).toBe('2017-07-14T02:40:00.000Z');
});
