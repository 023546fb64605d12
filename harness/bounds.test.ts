import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { EMBEDDED } from '../world/embedded.ts';
import { resolveBounds } from './bounds.ts';
import { quietTarget } from './testing/quiet-target.ts';

const { constants } = quietTarget();

test('every bound is positive, named, and printed with its numbers', () => {
  for (const [name, bound] of Object.entries(resolveBounds({ constants, allowances: EMBEDDED.allowances, nodes: 10, offerings: 9 }))) {
    expect(bound.name).toBe(name);
    expect(bound.value).toBeGreaterThan(0);
    if (bound.unit === 'ms') expect(bound.formula).toContain(`= ${bound.value / 1000} s`);
    expect(bound.reason.length).toBeGreaterThan(20);
  }
});

test("nodes beyond the capacity of EC2's request buckets wait for the refill", () => {
  const at = (nodes: number): ReturnType<typeof resolveBounds> =>
    resolveBounds({ constants, allowances: EMBEDDED.allowances, nodes, offerings: 9 });
  expect(at(50).provision.value).toBe(at(10).provision.value);
  expect(at(100).provision.value - at(50).provision.value).toBe(10_000);
  expect(at(200)['scale-in'].value - at(100)['scale-in'].value).toBe(20_000);
});

test('longer constants or allowances never give a tighter bound', () => {
  const constantNames = Object.keys(constants) as (keyof typeof constants)[];
  const allowanceNames = Object.keys(EMBEDDED.allowances) as (keyof typeof EMBEDDED.allowances)[];
  fc.assert(
    fc.property(fc.constantFrom(...constantNames), fc.constantFrom(...allowanceNames), fc.nat(100_000), (constant, allowance, moreMs) => {
      const before = resolveBounds({ constants, allowances: EMBEDDED.allowances, nodes: 10, offerings: 9 });
      const after = resolveBounds({
        nodes: 10,
        offerings: 9,
        constants: { ...constants, [constant]: (constants[constant] ?? 0) + moreMs },
        allowances: { ...EMBEDDED.allowances, [allowance]: EMBEDDED.allowances[allowance] + moreMs },
      });
      for (const name of Object.keys(before) as (keyof typeof before)[]) {
        // A longer retry period means fewer repeats; more offerings per launch means fewer rounds.
        const isTighter = name.endsWith('-a-minute') || (name === 'fallback' && constant === 'offeringsPerLaunch');
        if (!isTighter) expect(after[name].value).toBeGreaterThanOrEqual(before[name].value);
      }
    }),
  );
});
