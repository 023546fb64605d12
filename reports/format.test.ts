import { expect, test } from '@playwright/test';
import { formatCount, formatDuration, formatMoment, formatPercent, formatShort, formatTick, formatValue, roundStepMs } from './format.ts';
import { formatList } from '../model/format-list.ts';

const cases: readonly (readonly [said: string, expected: string])[] = [
  [formatMoment(0), '0:00.000'],
  [formatMoment(12_345.6), '0:12.345'],
  [formatMoment(3_723_004), '1:02:03.004'],
  [formatDuration(0), '0 ms'],
  [formatDuration(1_000), '1 s'],
  [formatDuration(1_240), '1.2 s'],
  [formatDuration(9_960), '10 s'],
  [formatDuration(119_400), '119 s'],
  [formatDuration(120_000), '2 min'],
  [formatDuration(130_000), '2 min 10 s'],
  [formatDuration(3_720_000), '1 h 2 min'],
  [formatShort(85), '85ms'],
  [formatShort(130_000), '2m10s'],
  [formatShort(3_720_000), '1h02m'],
  [formatPercent(1), '100 %'],
  [formatPercent(0.9999), '99.9 %'],
  [formatPercent(0.0001), '0.1 %'],
  [formatPercent(0), '0 %'],
  [formatValue(1.5, 'usd'), '$1.50'],
  [formatValue(3, 'count'), '3 (count)'],
  [formatCount(1, 'pod'), '1 pod'],
  [formatCount(0, 'pod'), '0 pods'],
  [formatList(['a', 'b', 'c']), 'a, b and c'],
  [formatTick(150_000, 30_000), '2:30'],
  [formatTick(120_000, 60_000), '2 min'],
  [formatTick(3_600_000, 600_000), '1:00 h'],
];

test('numbers are formatted for people', () => {
  for (const [said, expected] of cases) expect(said).toBe(expected);
});

test('an axis gets at least as many ticks as wanted, at round numbers', () => {
  expect(roundStepMs(200_000, 6)).toBe(30_000);
  expect(roundStepMs(60_000, 6)).toBe(10_000);
  expect(roundStepMs(3, 6)).toBe(1);
});
