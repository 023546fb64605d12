import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { combine } from './verdict.ts';

const verdict = fc.constantFrom('fail', 'unknown', 'pass');
const some = fc.array(verdict, { minLength: 1, maxLength: 6 });

test('combining is associative and commutative', () => {
  fc.assert(
    fc.property(some, some, (a, b) => {
      expect(combine([combine(a), combine(b)])).toBe(combine([...a, ...b]));
      expect(combine([...b, ...a])).toBe(combine([...a, ...b]));
    }),
  );
});

test('fail dominates, then unknown', () => {
  fc.assert(
    fc.property(some, (verdicts) => {
      const expected = verdicts.includes('fail') ? 'fail' : verdicts.includes('unknown') ? 'unknown' : 'pass';
      expect(combine(verdicts)).toBe(expected);
    }),
  );
});

test('adding a pass never improves a verdict, and changes none', () => {
  fc.assert(fc.property(some, (verdicts) => expect(combine([...verdicts, 'pass'])).toBe(combine(verdicts))));
});

test('no verdicts prove nothing', () => {
  expect(combine([])).toBe('unknown');
});
