import { expect, test } from '@playwright/test';
import { ingredientsOf, isOf, symptomsOf } from './findings.ts';
import { LARGE, SMALL, resultOf } from './testing/ground.ts';

const LEAK = { check: 'no-leaked-instances', code: 'leaked-instance' };

test('each check and code once; a failure of the harness is a finding too, and other unknowns are not', () => {
  expect(symptomsOf(resultOf([LEAK, LEAK]))).toEqual([LEAK]);
  const unknown = (check: string) => ({ check, verdict: 'unknown' as const, summary: 'unknown', findings: [], measurements: [] });
  const { checks: _checks, ...rest } = resultOf([]);
  expect(symptomsOf({ ...rest, checks: [unknown('harness'), unknown('latency')] })).toEqual([{ check: 'harness', code: 'harness-failed' }]);
  const failed = { ...unknown('target-alive'), verdict: 'fail' as const };
  expect(symptomsOf({ ...rest, checks: [failed] })).toEqual([{ check: 'target-alive', code: 'failed' }]);
});

test('ingredients are what a scenario has beyond any other', () => {
  expect(ingredientsOf(SMALL)).toEqual([]);
  expect(ingredientsOf(LARGE)).toEqual(
    expect.arrayContaining([
      'fault insufficient-capacity',
      'fault slow-answer',
      'restart-target',
      'pool.weight',
      'workload.hostPort',
      'StatefulSet',
    ]),
  );
});

test('a failure is explained by a cause with the same symptom whose ingredients it has', () => {
  const cause = { ...LEAK, ingredients: ['fault slow-answer', 'restart-target'] };
  expect(isOf(cause, LEAK, LARGE)).toBe(true);
  expect(isOf(cause, { ...LEAK, code: 'other' }, LARGE)).toBe(false);
  expect(isOf(cause, LEAK, SMALL)).toBe(false);
});
