import { expect, test } from '@playwright/test';
import { agreementText, problemsOf } from './agreement.ts';

const known = { 'put pods 200: body.x differs': { reason: 'not determined', most: 2, example: 'r1' } };
const of = (count: number, name = 'put pods 200: body.x differs') => [{ name, count }];

const CASES: readonly (readonly [string, { name: string; count: number }[], string[]])[] = [
  ['a known class within its limit is allowed', of(2), []],
  ['a known class may not grow', of(3), ['3 cases, at most 2 allowed: put pods 200: body.x differs']],
  ['a class without cases is stale', [], ['stale class, no case: put pods 200: body.x differs']],
  ['a new class is reported', [...of(1), ...of(1, 'get pods 200: body.y extra')], ['new class, 1 cases: get pods 200: body.y extra']],
];

for (const [title, found, problems] of CASES) {
  test(title, () => expect(problemsOf(found, known)).toEqual(problems));
}

test('agreement is counted by case and by answer', () => {
  const text = agreementText({ cases: 200, agreeing: 199, answers: 1_000 }, 'v1');
  expect(text).toBe('agreement with v1: 199 of 200 cases (99.50 %), 999 of 1000 compared answers (99.90 %)');
});
