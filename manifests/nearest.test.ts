import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { editDistance, nearest } from './nearest.ts';

const word = fc.string({ maxLength: 12 }).filter((text) => [...text].length === text.length);

test('an edit distance is a metric', () => {
  fc.assert(
    fc.property(word, word, word, (a, b, c) => {
      const ab = editDistance(a, b);
      expect(ab === 0).toBe(a === b);
      expect(ab).toBe(editDistance(b, a));
      expect(ab).toBeLessThanOrEqual(editDistance(a, c) + editDistance(c, b));
      expect(ab).toBeLessThanOrEqual(Math.max(a.length, b.length));
    }),
  );
});

for (const [from, to, distance] of [
  ['', 'abc', 3],
  ['kitten', 'sitting', 3],
  ['Deploymnet', 'Deployment', 2],
] as const) {
  test(`from ${from} to ${to}`, () => {
    expect(editDistance(from, to)).toBe(distance);
  });
}

for (const [written, meant] of [
  ['Deploymnet', 'Deployment'],
  ['deployments', 'Deployment'],
  ['Jobs', 'Job'],
  ['CronJob', undefined],
  ['Ingress', undefined],
  ['', undefined],
] as const) {
  test(`${written === '' ? 'nothing' : written} means ${meant ?? 'none of them'}`, () => {
    expect(nearest(written, ['Job', 'Deployment', 'DaemonSet'])).toBe(meant);
  });
}
