import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { percentile } from './latency.ts';
import { mergeWaits, percentileOn, pointsOf, waitCurveOf } from './wait-curve.ts';

const ascending = fc.array(fc.nat(3_600_000), { maxLength: 200 }).map((values) => values.sort((a, b) => a - b));

test('a curve has the percentiles of the waits, and never falls', () => {
  fc.assert(
    fc.property(
      ascending.filter(({ length }) => length > 0),
      (valuesMs) => {
        const curve = waitCurveOf({ valuesMs, censoredMs: [] });
        expect(percentileOn(curve, 50)).toBe(percentile(valuesMs, 50));
        expect(percentileOn(curve, 95)).toBe(percentile(valuesMs, 95));
        expect([curve.curveMs[0], curve.curveMs.at(-1)]).toEqual([valuesMs[0], valuesMs.at(-1)]);
        expect(curve.curveMs).toEqual([...curve.curveMs].sort((a, b) => a - b));
        expect(pointsOf(curve).at(-1)?.share).toBe(1);
      },
    ),
  );
});

test('pods that did not complete a phase are never dropped: the curve ends at the share of those that did', () => {
  fc.assert(
    fc.property(ascending, ascending, (valuesMs, censoredMs) => {
      const curve = waitCurveOf({ valuesMs, censoredMs });
      const pods = valuesMs.length + censoredMs.length;
      expect(curve).toMatchObject({ pods, censored: censoredMs.length });
      const last = pointsOf(curve).at(-1);
      if (pods > 0) expect(last?.share ?? 0).toBeLessThanOrEqual(valuesMs.length / pods);
      if (censoredMs.length > 0) expect(curve.curveMs.length).toBeLessThan(41);
    }),
  );
  expect(percentileOn(waitCurveOf({ valuesMs: [1_000], censoredMs: [5_000] }), 95)).toBeUndefined();
  expect(waitCurveOf({ valuesMs: [], censoredMs: [5_000] })).toEqual({ pods: 1, censored: 1, curveMs: [] });
  expect(waitCurveOf({ valuesMs: [], censoredMs: [] }).curveMs).toEqual([]);
});

test('waits of trials are merged by phase, in the order of reports and ascending', () => {
  const trial = (...valuesMs: number[]) => [{ phase: 'a -> b', valuesMs, censoredMs: [valuesMs.length] }];
  expect(mergeWaits([trial(5, 9), trial(1), []])).toEqual([{ phase: 'a -> b', valuesMs: [1, 5, 9], censoredMs: [1, 2] }]);
  const one = (phase: string) => [{ phase, valuesMs: [1], censoredMs: [] }];
  const phases = mergeWaits([one('pending -> running'), one('b'), one('pending -> request'), one('a')]).map(({ phase }) => phase);
  expect(phases).toEqual(['pending -> request', 'pending -> running', 'a', 'b']);
});
