import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { createView } from '../../../history/view.ts';
import type { View } from '../../../history/view.ts';
import { buildReport } from '../../build-report.ts';
import { createDescriber } from '../../describe-event.ts';
import { Sketch } from '../../testing/sketch.ts';
import { sampleRun } from '../../testing/sample-run.ts';
import { groupFindings } from '../groups.ts';
import { LANES, LANES_PASSED, layOut } from './lay-out.ts';
import type { Timeline } from './model.ts';
import { createScale } from './scale.ts';

function timelineOf(id: string, seed = 1): { readonly timeline: Timeline; readonly view: View } {
  const input = sampleRun({ trials: seed, only: [id] });
  const trial = buildReport(input).scenarios[0]?.results[seed - 1];
  const events = input.trials[seed - 1]?.events ?? [];
  if (trial === undefined) throw new Error(`no trial of ${id}`);
  const view = createView(events);
  return { timeline: layOut(view, groupFindings(trial), createDescriber(events), trial.verdict === 'pass' ? LANES_PASSED : LANES), view };
}

function group(timeline: Timeline, title: string): Timeline['groups'][number] {
  const found = timeline.groups.find((one) => one.title.startsWith(title));
  if (found === undefined) throw new Error(`no group ${title}`);
  return found;
}

test('a leaked instance is flagged, and its bar says that it is still live', () => {
  const { timeline } = timelineOf('crashes/killed-after-launch');
  const { lanes } = group(timeline, 'Instances');
  const leaked = lanes.filter(({ flagged }) => flagged !== undefined);
  expect(leaked).toHaveLength(1);
  expect(leaked[0]?.bars.map(({ style, label }) => ({ style, label }))).toEqual([
    { style: 'instance-pending', label: undefined },
    { style: 'instance-running', label: 'still live at the end' },
  ]);
  expect(leaked[0]?.bars.at(-1)?.toMs).toBe(timeline.scale.endMs);
  expect(timeline.flags).toEqual([{ tMs: 420_000, groups: [1], title: 'Finding 1: leaked-instance' }]);
});

test('a claim and a node are nested under their instance', () => {
  const { lanes } = group(timelineOf('provisioning/scale-out-and-back').timeline, 'Instances');
  expect(lanes.map(({ isNested }) => isNested === true)).toEqual(
    Array.from({ length: 3 * LANES_PASSED.instances }, (_, index) => index % 3 !== 0),
  );
  const [instance, claim, node] = lanes;
  expect(new Set([instance, claim, node].map((lane) => lane?.instance)).size).toBe(1);
  expect(instance?.steps?.[0]?.text).toContain('sends ec2:CreateFleet');
  expect(claim?.title).toMatch(/^claim /);
  expect(node?.bars.map(({ style }) => style)).toEqual(['node-joining', 'node-ready', 'ending']);
});

test('a crash is shown in the lane of the target and in the request without a response', () => {
  const { timeline } = timelineOf('crashes/killed-after-launch');
  const target = group(timeline, 'Target').lanes[0];
  expect(target?.bars.map(({ style, label }) => label ?? style)).toEqual(['target-starting', '#1', 'target-starting', '#2']);
  expect(target?.ticks.map(({ tMs, style }) => ({ tMs, style }))).toEqual([{ tMs: 15_300, style: 'killed' }]);
  const fleets = group(timeline, 'Requests').lanes.find(({ label }) => label === 'ec2:CreateFleet');
  expect(fleets?.ticks[0]).toMatchObject({ tMs: 14_000, style: 'info' });
  expect(fleets?.ticks.slice(1).every(({ style }) => style === 'ok')).toBe(true);
});

test('fleets with instances and errors are partial', () => {
  const { timeline } = timelineOf('capacity/spot-runs-out');
  const fleets = group(timeline, 'Requests').lanes.find(({ label }) => label === 'ec2:CreateFleet');
  expect(fleets?.ticks.filter(({ style }) => style === 'partial')).toHaveLength(4);
  expect(timeline.bands.map(({ label, firedMs }) => ({ label, fired: firedMs.flat().length }))).toEqual([
    { label: 'insufficient-capacity', fired: 4 },
    { label: 'slow-answer', fired: 0 },
  ]);
});

test('lanes are limited, findings first, and the rest is counted', () => {
  const { timeline } = timelineOf('scheduling/spot-spread');
  expect(group(timeline, 'Pods')).toMatchObject({ title: 'Pods (50)', hidden: `+${50 - LANES_PASSED.pods} more pods` });
  expect(group(timeline, 'Pods').lanes).toHaveLength(LANES_PASSED.pods);

  const sketch = new Sketch({ id: 'a/b', title: 't', suite: 's' }, 1);
  const nodes = Array.from({ length: LANES.instances + 5 }, (_, index) => sketch.launch(10_000 + index, index, { nodeless: true }));
  const events = sketch.finish();
  const last = nodes.at(-1)?.instance ?? '';
  const findings = [
    { number: 1, check: 'c', code: 'x', findings: [{ code: 'x', object: `instance/${last}`, events: [], message: '', evidence: [] }] },
  ];
  const { lanes, hidden } = group(layOut(createView(events), findings, createDescriber(events), LANES), 'Instances');
  expect(hidden).toBe('+5 more instances');
  expect(lanes).toHaveLength(LANES.instances);
  expect(lanes.filter(({ flagged }) => flagged === 1).map(({ label }) => label.split(' ')[0])).toEqual([last]);
});

test('open watches are not errors', () => {
  const sketch = new Sketch({ id: 'a/b', title: 't', suite: 's' }, 1);
  sketch.request(5_000, { operation: 'watch pods', end: 'none' });
  const events = sketch.finish();
  const reads = group(layOut(createView(events), [], createDescriber(events), LANES), 'Requests').lanes.find(
    ({ label }) => label === 'Kubernetes reads',
  );
  expect(reads?.ticks.every(({ style }) => style === 'ok')).toBe(true);
});

test('long intervals without changes are shortened; the scale stays monotone and complete', () => {
  const idle = (gaps: readonly number[]): View => {
    const sketch = new Sketch({ id: 'a/b', title: 't', suite: 's' }, 1);
    let t = 3_000;
    for (const gapMs of gaps) {
      t += gapMs;
      sketch.at(t, { type: 'pod', pod: 'default/a', uid: 'a', to: 'created' });
    }
    return createView(sketch.finish());
  };
  const scale = createScale(idle([1_000, 900_000, 20_000]));
  expect(scale.breaks).toEqual([{ fromMs: 9_000, toMs: 899_000 }]);
  expect(scale.partOf(899_000) - scale.partOf(9_000)).toBeLessThan(0.1);
  expect(createScale(idle([10_000, 50_000, 20_000])).breaks).toEqual([]);

  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 2_000_000 }), { maxLength: 8 }), (gaps) => {
      const { partOf, endMs } = createScale(idle(gaps));
      const parts = Array.from({ length: 101 }, (_, index) => partOf((index / 100) * endMs));
      expect(parts[0]).toBe(0);
      expect(parts[100]).toBe(1);
      expect(parts.filter((part, index) => part < (parts[index - 1] ?? 0))).toEqual([]);
    }),
  );
});
