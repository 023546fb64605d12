import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { createRandom } from '../runtime/random.ts';
import { drawScenario } from './draw/scenario.ts';
import { parseScenarioData } from './scenario-data.ts';
import { LARGE, SITE } from './testing/ground.ts';
import { cross, vary, varyCalm } from './vary.ts';

test('variations of variations are valid, and different', () => {
  fc.assert(
    fc.property(fc.nat(100_000), (seed) => {
      const random = createRandom(seed);
      let data = drawScenario(random, 'any', SITE);
      for (let time = 0; time < 10; time += 1) data = vary(random, data, `v${time}`, SITE);
      expect(parseScenarioData(JSON.parse(JSON.stringify(data)))).toEqual(data);
    }),
    { numRuns: 60 },
  );
  const variations = Array.from({ length: 50 }, (_one, seed) =>
    JSON.stringify({ ...vary(createRandom(seed), LARGE, 'v', SITE), name: '' }),
  );
  expect(new Set(variations).size).toBeGreaterThan(40);
});

test('crossing keeps the pools and workloads of one, and takes the faults of the other', () => {
  fc.assert(
    fc.property(fc.nat(100_000), fc.nat(100_000), (a, b) => {
      const one = drawScenario(createRandom(a), 'one', SITE);
      const other = drawScenario(createRandom(b), 'other', SITE);
      const crossed = cross(createRandom(a + b), one, other, 'crossed');
      expect(parseScenarioData(JSON.parse(JSON.stringify(crossed)))).toEqual(crossed);
      expect(crossed.pools).toEqual(one.pools);
      const kinds = new Set([...one.faults, ...other.faults].map(({ fault }) => fault));
      expect(crossed.faults.filter(({ fault }) => !kinds.has(fault))).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

test('a variation of a smaller scenario has random numbers of its own', () => {
  expect(vary(createRandom(1), { ...LARGE, origin: 'before' }, 'v', SITE).origin).toBeUndefined();
});

test('a variation without faults has none of their steps either', () => {
  fc.assert(
    fc.property(fc.nat(100_000), (seed) => {
      const random = createRandom(seed);
      const data = varyCalm(random, drawScenario(random, 'any', SITE), 'v', SITE);
      expect(data.faults).toEqual([]);
      expect(data.steps.filter((step) => 'fault' in step)).toEqual([]);
      expect(parseScenarioData(JSON.parse(JSON.stringify(data)))).toEqual(data);
    }),
    { numRuns: 60 },
  );
});
