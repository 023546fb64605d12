import { expect, test } from '@playwright/test';
import { pendingPods, readyNodes, thinned } from '../../history/amounts.ts';
import type { TrialSeen } from '../../history/seen.ts';
import { createView } from '../../history/view.ts';
import { buildReport } from '../build-report.ts';
import type { TrialReport } from '../run-report.ts';
import { sampleRun } from '../testing/sample-run.ts';
import { Sketch } from '../testing/sketch.ts';
import { layOutPicture, renderPicture, representative } from './picture.ts';

function trialOf(id: string, seed = 1): { readonly trial: TrialReport; readonly seen: TrialSeen } {
  const input = sampleRun({ trials: seed, only: [id] });
  const trial = buildReport(input).scenarios[0]?.results[seed - 1];
  const seen = input.trials[seed - 1]?.seen;
  if (trial === undefined || seen === undefined) throw new Error(`no trial of ${id}`);
  return { trial, seen };
}

test('nodes count while they are Ready, and pods while they do not run, except those of DaemonSets', () => {
  const sketch = new Sketch({ id: 'a/b', title: 't', suite: 's' }, 1);
  sketch.deploy(1_000, 'agents', 1, { truth: { kind: 'daemon' } });
  const [first, second] = sketch.deploy(2_000, 'web', 2);
  sketch.at(5_000, { type: 'node', node: 'n', uid: 'n', to: 'created' });
  sketch.at(6_000, { type: 'node', node: 'n', uid: 'n', to: 'ready' });
  sketch.at(7_000, { type: 'pod', pod: first?.name ?? '', uid: first?.uid ?? '', to: 'running' });
  sketch.at(8_000, { type: 'node', node: 'n', uid: 'n', to: 'not-ready' });
  sketch.at(9_000, { type: 'node', node: 'n', uid: 'n', to: 'uncordoned' });
  sketch.at(10_000, { type: 'node', node: 'n', uid: 'n', to: 'ready' });
  sketch.at(11_000, { type: 'node', node: 'n', uid: 'n', to: 'gone' });
  sketch.at(12_000, { type: 'pod', pod: second?.name ?? '', uid: second?.uid ?? '', to: 'gone' });
  const view = createView(sketch.finish());
  expect(readyNodes(view)).toEqual([
    { tMs: 6_000, value: 1 },
    { tMs: 8_000, value: 0 },
    { tMs: 10_000, value: 1 },
    { tMs: 11_000, value: 0 },
  ]);
  const pending = pendingPods(view);
  expect(Math.max(...pending.map(({ value }) => value))).toBe(2);
  expect(pending.slice(-2)).toEqual([
    { tMs: 7_000, value: 1 },
    { tMs: 12_000, value: 0 },
  ]);
});

test('of many changes the peak and the last are kept', () => {
  const amounts = Array.from({ length: 10_000 }, (_, index) => ({ tMs: index, value: index === 4_321 ? 99 : index % 7 }));
  const kept = thinned(amounts, 120);
  expect(kept.length).toBeLessThanOrEqual(120);
  expect(kept.map(({ tMs }) => tMs)).toEqual(kept.map(({ tMs }) => tMs).sort((a, b) => a - b));
  expect(kept).toContainEqual(amounts[4_321]);
  expect(kept.at(-1)).toEqual(amounts.at(-1));
  expect(thinned(amounts.slice(0, 120), 120)).toEqual(amounts.slice(0, 120));
});

test('a picture has nodes, pending pods, faults and findings at their moments', () => {
  const { trial, seen } = trialOf('crashes/killed-after-launch');
  const { nodes, pending, faults, findingsMs, scale } = layOutPicture(trial, seen);
  expect([nodes.most, pending.most]).toEqual([5, 5]);
  const x = Math.round(scale.partOf(2_500) * 1_000);
  expect(pending.path, 'all five at once').toMatch(new RegExp(`^M0 48h${x}v-46h`));
  expect(faults.rows).toEqual([
    { label: 'crash', bands: [expect.objectContaining({ fromMs: 2_480, toMs: 150_000, firedMs: [[15_300]] })] },
  ]);
  expect(findingsMs).toEqual([420_000]);
  expect(renderPicture(trial, seen).text).toContain(
    'aria-label="Seed 1, 7 min: up to 5 Ready nodes, up to 5 pending pods. Faults: crash from 0:02.480 to 2:30.000, fired once. Findings at 7:00.000."',
  );
});

test('more kinds of faults than have room are counted, and one kind shares a row', () => {
  const { trial, seen } = trialOf('capacity/spot-runs-out');
  const [first] = seen.faults;
  if (first === undefined) throw new Error('no fault');
  const faults = ['a', 'b', 'a', 'c', 'd', 'e'].map((fault) => ({
    ...first,
    armed: { ...first.armed, fault: { ...first.armed.fault, fault } },
  }));
  const { rows, hidden } = layOutPicture(trial, { ...seen, faults }).faults;
  expect(rows.map(({ label, bands }) => [label, bands.length])).toEqual([
    ['a', 2],
    ['b', 1],
    ['c', 1],
  ]);
  expect(hidden).toBe(2);
  expect(renderPicture(trial, { ...seen, faults }).text).toContain('+2 more kinds of faults');
});

test('a picture stays small, however many changes and firings a trial has', () => {
  const { trial, seen } = trialOf('crashes/killed-after-launch');
  const amounts = Array.from({ length: 120 }, (_, index) => ({ tMs: index * 3_000, value: (index * 37) % 1_000 }));
  const [first] = seen.faults;
  const [firing] = first?.fired ?? [];
  if (first === undefined || firing === undefined) throw new Error('no fault');
  const fired = Array.from({ length: 5_000 }, (_, index) => ({ ...firing, t: 20_000 + index * 25 }));
  const { text } = renderPicture(trial, { ...seen, nodes: amounts, pending: amounts, faults: [{ ...first, fired }] });
  expect(text.length).toBeLessThan(6_000);
});

test('a scenario is represented by a trial that failed, or else was unknown, or else by its first', () => {
  const { trial } = trialOf('scheduling/spot-spread');
  const trials = (...verdicts: TrialReport['verdict'][]): TrialReport[] => verdicts.map((verdict, seed) => ({ ...trial, seed, verdict }));
  expect(representative({ results: trials('pass', 'unknown', 'fail', 'fail') })?.seed).toBe(2);
  expect(representative({ results: trials('pass', 'unknown') })?.seed).toBe(1);
  expect(representative({ results: trials('pass', 'pass') })?.seed).toBe(0);
  expect(representative({ results: [] })).toBeUndefined();
});
