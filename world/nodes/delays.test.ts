import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { createRandom } from '../../runtime/random.ts';
import { drawDelayMs } from './delays.ts';

const DRAWS = 4_000;

test('half of the delays are below the median, few near the maximum', () => {
  const random = createRandom(1);
  const drawn = Array.from({ length: DRAWS }, () => drawDelayMs(random, { minMs: 8_000, medianMs: 12_000, maxMs: 30_000 }));
  const below = (ms: number): number => drawn.filter((one) => one < ms).length / DRAWS;
  expect(below(12_000)).toBeGreaterThan(0.47);
  expect(below(12_000)).toBeLessThan(0.53);
  expect(below(20_000)).toBeGreaterThan(0.85);
  expect(below(25_000)).toBeLessThan(1);
});

test('every delay is within its limits, with and without a median', () => {
  const limits = fc.tuple(fc.nat(1_000), fc.nat(1_000), fc.nat(100_000), fc.boolean(), fc.integer());
  fc.assert(
    fc.property(limits, ([minMs, toMedianMs, toMaxMs, hasMedian, seed]) => {
      const medianMs = minMs + toMedianMs;
      const maxMs = medianMs + toMaxMs;
      const delayMs = drawDelayMs(createRandom(seed), { minMs, maxMs, ...(hasMedian ? { medianMs } : {}) });
      expect(Number.isInteger(delayMs)).toBe(true);
      expect(delayMs).toBeGreaterThanOrEqual(minMs);
      expect(delayMs).toBeLessThanOrEqual(maxMs);
    }),
  );
});
