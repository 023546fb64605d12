import { expect, test } from '@playwright/test';
import type { Bound } from '../../history/events.ts';
import type { Wait } from '../../history/latency.ts';
import { waitsOf } from '../../history/latency.ts';
import { createView } from '../../history/view.ts';
import { sampleRun } from '../testing/sample-run.ts';
import { Sketch } from '../testing/sketch.ts';
import { latencyPoints, layOutPoints } from './latency-points.ts';
import type { TrialWaits } from './latency-points.ts';

const BOUND: Bound = { name: 'provision', value: 100_000, unit: 'ms', formula: '100 s', reason: 'for this test' };
const BROKEN = [{ bound: BOUND, isBroken: true }];

function wait(fromMs: number, tookMs: number, name = `pods/default/web-${fromMs}-${tookMs}`, hasRun = true): Wait {
  return { object: name, fromMs, untilMs: fromMs + tookMs, hasRun };
}

function trial(waits: readonly Wait[], late: readonly string[] = [], seed = 1): TrialWaits {
  return { seed, waits, faults: [], late: new Set(late) };
}

test('pods of schedulable workloads wait until they run, are removed, or the history ends', () => {
  const sketch = new Sketch({ id: 'a/b', title: 't', suite: 's' }, 1);
  const [first, second] = sketch.deploy(2_000, 'web', 3);
  sketch.deploy(2_500, 'never', 1, { truth: { kind: 'impossible', why: 'no type is that large' } });
  sketch.at(7_000, { type: 'pod', pod: first?.name ?? '', uid: first?.uid ?? '', to: 'running' });
  sketch.at(9_000, { type: 'pod', pod: second?.name ?? '', uid: second?.uid ?? '', to: 'terminating' });
  const view = createView(sketch.finish());
  const waits = waitsOf(view).map(({ fromMs, untilMs, hasRun }) => [Math.floor(fromMs / 1_000), untilMs, hasRun]);
  expect(waits).toEqual([
    [2, 7_000, true],
    [2, 9_000, false],
    [2, view.endMs, false],
  ]);
});

test('a point is higher the longer its pod waited, and further right the later it began', () => {
  const points = layOutPoints([trial([wait(0, 50_000), wait(10_000, 10_000)]), trial([wait(20_000, 30_000)], [], 2)], []);
  const [a, b, c] = points?.inTime ?? [];
  expect([a?.x, b?.x, c?.x]).toEqual([0, 200, 400]);
  expect(b?.y).toBeGreaterThan(c?.y ?? Infinity);
  expect(c?.y).toBeGreaterThan(a?.y ?? Infinity);
  expect(points?.counts).toEqual({ inTime: 3, late: 0 });
});

test('pods that were all late and waited from the same moment are in the left half, not cut off at the right edge', () => {
  const late = [wait(3_000, 2_000_000, 'pods/default/never', false)];
  const points = layOutPoints(
    [
      trial(
        late,
        late.map(({ object }) => object),
      ),
    ],
    BROKEN,
  );
  expect(points?.scale.partOf(3_000)).toBeLessThan(0.5);
});

test('pods that were late have their own marks with names, and those far beyond the bound are at the edge', () => {
  const late = [wait(1_000, 2_000_000, 'pods/default/<never>', false), wait(1_000, 120_000, 'pods/default/slow')];
  const trials = [
    trial(
      [wait(1_000, 40_000), ...late],
      late.map(({ object }) => object),
      7,
    ),
  ];
  const points = layOutPoints(trials, BROKEN);
  expect(points?.topMs).toBeLessThan(200_000);
  expect(points?.late.map(({ wait: { object }, isBeyond }) => [object, isBeyond])).toEqual([
    ['pods/default/<never>', true],
    ['pods/default/slow', false],
  ]);
  const { text } = latencyPoints(trials, BROKEN);
  expect(text).toContain('pods/default/&lt;never&gt;, seed 7: never ran, in 33 min 20 s, beyond the upper edge');
  expect(text).toContain('pods/default/slow, seed 7: ran after 2 min');
  expect(text).toContain('✗ bound provision');
  expect(text).toContain('✗ 2 not in time, some beyond the upper edge');
});

test('a pod that was withdrawn before it ran is no point, and without any point nothing is drawn', () => {
  expect(layOutPoints([trial([wait(0, 1_000, 'pods/default/withdrawn', false)])], BROKEN)).toBeUndefined();
  expect(latencyPoints([], BROKEN).text).toBe('');
});

test('any number of pods and trials gives few points', () => {
  const trials = Array.from({ length: 20 }, (_, seed) =>
    trial(
      Array.from({ length: 500 }, (_pod, index) => wait((seed * 7_919 + index * 104_729) % 600_000, (index * 7_877) % 90_000)),
      [],
      seed,
    ),
  );
  const points = layOutPoints(trials, BROKEN);
  expect(points?.counts.inTime).toBe(10_000);
  expect(points?.inTime.length).toBeLessThanOrEqual(200);
  expect(points?.inTime.length).toBeGreaterThan(40);
  expect(latencyPoints(trials, BROKEN).text.length).toBeLessThan(5_000);
});

test('a fault has one band for all trials, from its first arming to its last heal', () => {
  const input = sampleRun({ trials: 3, only: ['capacity/spot-runs-out'] });
  const shifted = input.trials.map(({ seen }, index) => ({
    seed: index + 1,
    waits: seen.waits,
    late: new Set<string>(),
    faults: seen.faults.map((fault) => ({ ...fault, armed: { ...fault.armed, t: fault.armed.t - index * 1_000 } })),
  }));
  const points = layOutPoints(shifted, []);
  expect(points?.faults.rows.map(({ label, bands }) => [label, bands.length, bands[0]?.fromMs, bands[0]?.toMs])).toEqual([
    ['insufficient-capacity', 1, 450, 130_000],
    ['slow-answer', 1, 460, 130_000],
  ]);
});
