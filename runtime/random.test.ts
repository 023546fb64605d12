import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { createRandom } from './random.ts';

test('the bytes of a seed never change', () => {
  const random = createRandom(42);
  expect([random.next(), random.next(), random.int(1, 6), random.hex(12)]).toEqual([
    0.7499646130017936,
    0.298069468466565,
    2,
    '8df1186a501d',
  ]);
});

test('a fork depends on its name alone, not on what was drawn', () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(20), (name, draws) => {
      const fresh = createRandom(7).fork(name);
      const parent = createRandom(7);
      for (let drawn = 0; drawn < draws; drawn += 1) parent.next();
      expect(parent.fork(name).next()).toBe(fresh.next());
    }),
  );
  expect(createRandom(7).fork('a').next()).not.toBe(createRandom(7).fork('b').next());
});

test('numbers stay in their ranges and shuffles keep their items', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: -50, max: 50 }), fc.nat(50), fc.array(fc.nat()), (seed, min, span, items) => {
      const random = createRandom(seed);
      const drawn = random.int(min, min + span);
      expect(drawn).toBeGreaterThanOrEqual(min);
      expect(drawn).toBeLessThanOrEqual(min + span);
      expect(random.shuffle(items).sort()).toEqual([...items].sort());
      const unit = random.next();
      expect(unit >= 0 && unit < 1).toBe(true);
    }),
  );
  expect(() => createRandom(1).pick([])).toThrow(RangeError);
  expect(() => createRandom(1).int(2, 1)).toThrow(RangeError);
});
