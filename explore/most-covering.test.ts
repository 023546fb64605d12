import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { mostCovering } from './most-covering.ts';

const reached = fc.record({
  coverage: fc.uniqueArray(fc.constantFrom(...'abcdefghij')).map((places) => new Set(places)),
  events: fc.nat(5_000),
});
const unionOf = (all: readonly { readonly coverage: ReadonlySet<string> }[]): Set<string> =>
  new Set(all.flatMap(({ coverage }) => [...coverage]));

test('together they reach all places, and each of them one that those before do not', () => {
  fc.assert(
    fc.property(fc.array(reached, { maxLength: 20 }), (all) => {
      const chosen = mostCovering(all, all.length);
      expect(unionOf(chosen)).toEqual(unionOf(all));
      for (const [index, one] of chosen.entries()) {
        expect([...one.coverage].some((place) => !unionOf(chosen.slice(0, index)).has(place))).toBe(true);
      }
    }),
  );
});

test('fewer are the first of more', () => {
  fc.assert(
    fc.property(fc.array(reached, { maxLength: 20 }), fc.nat(20), (all, most) => {
      expect(mostCovering(all, most)).toEqual(mostCovering(all, all.length).slice(0, most));
    }),
  );
});

test('of two that reach the same the cheaper one is taken; of equals the first', () => {
  const dear = { coverage: new Set('ab'), events: 4_000 };
  const cheap = { coverage: new Set('ab'), events: 1_000 };
  const other = { coverage: new Set('abc'), events: 4_000 };
  expect(mostCovering([dear, cheap], 2)).toEqual([cheap]);
  expect(mostCovering([dear, cheap, other], 1)).toEqual([cheap]);
  expect(mostCovering([dear, cheap, other], 2)).toEqual([cheap, other]);
  const [first, second] = [{ ...cheap }, { ...cheap }];
  expect(mostCovering([first, second], 2)[0]).toBe(first);
});
