import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { EMBEDDED } from '../world/embedded.ts';
import { resolveBounds } from './bounds.ts';
import { quietTarget } from './testing/quiet-target.ts';

const { constants } = quietTarget();

test('every bound is positive, named, and printed with its numbers', () => {
  for (const [name, bound] of Object.entries(resolveBounds({ constants, allowances: EMBEDDED.allowances }))) {
    expect(bound).toMatchObject({ name, unit: 'ms' });
    expect(bound.value).toBeGreaterThan(0);
    expect(bound.formula).toContain(`= ${bound.value / 1000} s`);
    expect(bound.reason.length).toBeGreaterThan(20);
  }
});

test('a more generous declaration, of target or world, never gives a tighter bound', () => {
  const constantNames = Object.keys(constants) as (keyof typeof constants)[];
  const allowanceNames = Object.keys(EMBEDDED.allowances) as (keyof typeof EMBEDDED.allowances)[];
  fc.assert(
    fc.property(fc.constantFrom(...constantNames), fc.constantFrom(...allowanceNames), fc.nat(100_000), (constant, allowance, moreMs) => {
      const before = resolveBounds({ constants, allowances: EMBEDDED.allowances });
      const after = resolveBounds({
        constants: { ...constants, [constant]: constants[constant] + moreMs },
        allowances: { ...EMBEDDED.allowances, [allowance]: EMBEDDED.allowances[allowance] + moreMs },
      });
      for (const name of Object.keys(before) as (keyof typeof before)[]) {
        expect(after[name].value).toBeGreaterThanOrEqual(before[name].value);
      }
    }),
  );
});
