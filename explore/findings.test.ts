import { expect, test } from '@playwright/test';
import { ingredientsOf, isLike, isOf, symptomsOf, withoutIngredients } from './findings.ts';
import { parseScenarioData } from './scenario-data.ts';
import { LARGE, SMALL, resultOf } from './testing/ground.ts';

const LEAK = { check: 'no-leaked-instances', code: 'leaked-instance' };

test('each check and code once; a failure of the harness is a finding too, and other unknowns are not', () => {
  expect(symptomsOf(resultOf([LEAK, LEAK]))).toEqual([{ ...LEAK, about: ['pods'] }]);
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

test('failures of one code about other kinds of objects, or in another condition, are not alike', () => {
  const settled = { check: 'world-settled', code: 'not-settled' };
  const [found] = symptomsOf({
    checks: [
      {
        ...settled,
        verdict: 'fail',
        summary: '',
        findings: ['nodes/a', 'nodes/b'].map((object) => ({
          code: 'not-settled',
          object,
          events: [],
          message: `${object} had not after 3 s (bound settle: 1 s): it is being deleted.`,
        })),
        measurements: [],
      },
    ],
  });
  if (found === undefined) throw new Error('nothing failed');
  expect(found).toEqual({ ...settled, about: ['nodes: it is being deleted'] });
  expect(isLike(found, { ...settled, about: ['pods', 'nodes: it is being deleted'] })).toBe(true);
  expect(isLike(found, { ...settled, about: ['nodes: it is not Ready'] })).toBe(false);
  expect(isLike(found, settled), 'it is not known what that was about').toBe(true);
});

test('without its ingredients, a scenario has nothing left of a cause', () => {
  const ingredients = ['fault slow-answer', 'restart-target', 'pool.weight', 'workload.hostPort', 'StatefulSet'];
  const left = withoutIngredients(LARGE, ingredients);
  if (left === undefined) throw new Error('something is left');
  expect(parseScenarioData(JSON.parse(JSON.stringify(left)))).toEqual(left);
  expect(ingredientsOf(left).filter((one) => ingredients.includes(one))).toEqual([]);
  expect(left.origin).toBe('large');
  expect(withoutIngredients(SMALL, ingredients), 'there is nothing to leave out').toBeUndefined();
});
