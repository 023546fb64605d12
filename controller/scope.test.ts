import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { EVERY_POOL, scopeOf, scopedName } from './scope.ts';

for (const { names, owned, others } of [
  { names: ['a', 'b'], owned: ['a', 'b'], others: ['c', 'ab', 'a-b'] },
  { names: ['batch-*'], owned: ['batch-', 'batch-1'], others: ['batch', 'abatch-1'] },
  { names: ['!*-beside'], owned: ['a', 'beside'], others: ['a-beside'] },
  { names: ['batch-*', '!batch-2'], owned: ['batch-1'], others: ['batch-2', 'a'] },
  { names: ['a.b'], owned: ['a.b'], others: ['axb'] },
]) {
  test(`the pools ${names.join(',')}`, () => {
    const { owns } = scopeOf(names);
    expect([...owned, ...others].filter(owns)).toEqual(owned);
    expect(owns(''), 'objects without a pool').toBe(false);
  });
}

test('a single autoscaler handles everything, and its names are unchanged', () => {
  expect(EVERY_POOL.owns('')).toBe(true);
  expect(scopedName('lease', EVERY_POOL)).toBe('lease');
});

for (const names of [[], [''], ['A'], ['a b'], ['-a'], ['a-'], ['!'], ['a'.repeat(254)]]) {
  test(`no pools: ${JSON.stringify(names).slice(0, 40)}`, () => {
    expect(() => scopeOf(names)).toThrow(names.length === 0 ? 'names no pool' : 'is not a NodePool name');
  });
}

const name = fc.stringMatching(/^[a-z]([a-z0-9-]{0,8}[a-z0-9])?$/);

test('each scope has a name for its objects: the same for the same pools in any order, short, and valid', () => {
  fc.assert(
    fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 50 }), fc.uniqueArray(name, { minLength: 1, maxLength: 50 }), (a, b) => {
      const named = scopedName('karpenter-leader-election', scopeOf(a));
      expect(named).toMatch(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
      expect(scopedName('karpenter-leader-election', scopeOf([...a].reverse()))).toBe(named);
      const isSame = a.length === b.length && a.every((one) => b.includes(one));
      expect(scopedName('karpenter-leader-election', scopeOf(b)) === named).toBe(isSame);
    }),
  );
});

test('a pool belongs to a pattern or to its negation, never to both', () => {
  fc.assert(
    fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 5 }), name, (names, pool) => {
      expect(scopeOf(names).owns(pool)).toBe(!scopeOf(names.map((one) => `!${one}`)).owns(pool));
      expect(scopeOf(names).owns(pool)).toBe(names.includes(pool));
    }),
  );
});
