import { stripVTControlCharacters } from 'node:util';
import { expect, test } from '@playwright/test';
import type { PlannedTrial } from '../harness/run.ts';
import type { TrialResult, Verdict } from '../history/verdict.ts';
import type { Clock } from '../runtime/clock.ts';
import { createRandom } from '../runtime/random.ts';
import { createVirtualTimeline } from '../runtime/timeline.ts';
import type { Console } from './console.ts';
import { Progress } from './progress.ts';

const REWRITE = '\r\u001b[K';

/** The output on standard error during some work in virtual time. */
async function written(how: Partial<Console>, work: (console: Console, clock: Clock) => Promise<void>): Promise<string> {
  const texts: string[] = [];
  const timeline = createVirtualTimeline({ startMs: 0, random: createRandom(1) });
  const console: Console = {
    out: () => undefined,
    err: (text) => texts.push(text),
    interactive: false,
    color: false,
    columns: 80,
    ...how,
  };
  await timeline.run(work(console, timeline.scope('test')));
  return texts.join('');
}

function trial(id: string): PlannedTrial {
  return {
    scenario: { id, title: id },
    suite: 'suite',
    ref: { module: 'file:///scenario.ts', export: 'mine' },
    digest: '',
    target: { name: 'reference' },
    targetLabel: 'reference',
    seed: 1,
    nodes: 10,
    wallMs: undefined,
    replay: '',
    history: '',
  };
}

function result(id: string, verdict: Verdict): TrialResult {
  const findings = verdict === 'fail' ? [{ code: 'leaked-instance', object: 'instance/i-1', events: [], message: 'it leaked' }] : [];
  return {
    scenario: id,
    title: id,
    suite: 'suite',
    target: 'reference',
    seed: 1,
    verdict,
    checks: [{ check: 'no-leaked-instances', verdict, summary: '', findings, measurements: [] }],
    replay: '',
    history: '',
    success: { served: 0, asked: 0 },
    latencies: [],
    instances: { created: 0, terminated: 0, live: 0, leaked: 0 },
    faults: { armed: 0, fired: 0 },
    interleaving: '',
    virtualMs: 61_000,
  };
}

/** Runs one trial after the other, with the same duration. */
async function runAll(progress: Progress, clock: Clock, verdicts: readonly Verdict[], eachMs: number): Promise<void> {
  for (const [index, verdict] of verdicts.entries()) {
    const id = `a/${index + 1}`;
    progress.begin(trial(id));
    await clock.sleep(eachMs);
    progress.judged(`${id} seed 1`, result(id, verdict));
  }
  progress.close();
}

const repeat = (verdict: Verdict, count: number): Verdict[] => Array.from({ length: count }, () => verdict);

test('without a terminal: failures at once, and a tally for each tenth', async () => {
  const text = await written({}, (console, clock) => {
    const progress = new Progress(console, { total: 40, clock, timeName: 'virtual time' });
    return runAll(progress, clock, [...repeat('pass', 9), 'fail', ...repeat('pass', 30)], 2_000);
  });
  expect(text).toBe(`\
[ 4/40] 72s left
[ 8/40] 64s left
[10/40] fail a/10 seed 1: leaked-instance
[12/40] 1 failed, 56s left
[16/40] 1 failed, 48s left
[20/40] 1 failed, 40s left
[24/40] 1 failed, 32s left
[28/40] 1 failed, 24s left
[32/40] 1 failed, 16s left
[36/40] 1 failed, 8s left
`);
});

test('without a terminal tallies have a minimum interval, so a short run has none', async () => {
  const text = await written({}, (console, clock) => {
    const progress = new Progress(console, { total: 40, clock, timeName: 'virtual time' });
    return runAll(progress, clock, repeat('pass', 40), 100);
  });
  expect(text).toBe('');
});

test('with several sides it counts each, and says which one failed', async () => {
  const text = await written({}, async (console, clock) => {
    const trials = Array.from({ length: 20 }, (_, index) => trial(`a/${Math.floor(index / 2)}`));
    const sides = new Map(trials.map((one, index) => [one, index % 2 === 0 ? 'baseline' : 'candidate']));
    const progress = new Progress(console, { total: 20, clock, timeName: 'virtual time', sides });
    for (const [index, one] of trials.slice(0, 6).entries()) {
      progress.begin(one);
      await clock.sleep(3_000);
      progress.end(one, {
        kind: 'judged',
        result: result('a/1', index === 3 ? 'fail' : 'pass'),
        seen: { phases: [], waits: [], faults: [], nodes: [], pending: [], endMs: 0, truncated: false },
      });
    }
    progress.close();
  });
  expect(text).toBe(`\
[ 2/20] baseline 1 of 10, candidate 1 of 10, 54s left
[ 4/20] fail candidate in a/1 seed 1: leaked-instance
[ 4/20] baseline 2 of 10, candidate 2 of 10, 1 failed, 48s left
[ 6/20] baseline 3 of 10, candidate 3 of 10, 1 failed, 42s left
`);
});

test('with --verbose every trial has a line', async () => {
  const text = await written({ verbose: true }, (console, clock) => {
    const progress = new Progress(console, { total: 2, clock, timeName: 'virtual time' });
    return runAll(progress, clock, ['pass', 'fail'], 10_000);
  });
  expect(text).toBe('[1/2] pass a/1 seed 1 (61s of virtual time)\n[2/2] fail a/2 seed 1 (61s of virtual time): leaked-instance\n');
});

test('only the first failures are printed, and the others are counted', async () => {
  const text = await written({}, (console, clock) => {
    const progress = new Progress(console, { total: 50, clock, timeName: 'virtual time' });
    return runAll(progress, clock, repeat('fail', 50), 100);
  });
  const lines = text.trimEnd().split('\n');
  expect(lines.filter((line) => line.includes('leaked-instance'))).toHaveLength(20);
  expect(lines.slice(20)).toEqual(['20 failures printed; further ones are only counted here, and listed at the end']);
});

test('expected failures are neither printed nor counted', async () => {
  const text = await written({}, (console, clock) => {
    const progress = new Progress(console, { total: 2, clock, timeName: 'virtual time', failures: 'silent' });
    return runAll(progress, clock, ['fail', 'fail'], 10_000);
  });
  expect(text).toBe('[1/2] 10s left\n');
});

test('on a terminal: one line that is also rewritten each second, failures above it, and nothing left at the end', async () => {
  const text = await written({ interactive: true, color: true }, (console, clock) => {
    const progress = new Progress(console, { total: 3, clock, timeName: 'virtual time' });
    return runAll(progress, clock, ['pass', 'fail', 'pass'], 2_500);
  });
  const rewrites = text.split(REWRITE).map(stripVTControlCharacters);
  expect(rewrites[1]).toBe('░░░░░░░░░░ 0/3  a/1 seed 1');
  const above = rewrites.filter((rewrite) => rewrite.includes('\n'));
  expect(above).toEqual([expect.stringMatching(/^\[2\/3\] fail a\/2 seed 1: leaked-instance\n░*.* 1\/3/u)]);
  expect(rewrites.filter((rewrite) => rewrite.includes('a/3'))).toEqual([
    '██████░░░░ 2/3, 1 failed, 3s left  a/3 seed 1',
    '██████░░░░ 2/3, 1 failed, 2s left  a/3 seed 1',
    '██████░░░░ 2/3, 1 failed, 1s left  a/3 seed 1',
  ]);
  expect(text.endsWith(REWRITE)).toBe(true);
  const seconds = rewrites.filter((rewrite) => rewrite.includes(' 0/3'));
  expect(seconds.length, 'once at the start, and each second').toBeGreaterThanOrEqual(3);
});

test('trials can be added during the run', async () => {
  const text = await written({}, async (console, clock) => {
    const progress = new Progress(console, { total: 2, clock, timeName: 'virtual time' });
    progress.judged('a seed 1', result('a', 'pass'));
    await clock.sleep(6_000);
    progress.judged('b seed 1', result('b', 'pass'));
    progress.add(2, 'crash points');
    await clock.sleep(6_000);
    progress.judged('c seed 1', result('c', 'pass'));
    progress.close();
  });
  expect(text).toBe('2 more trials: crash points\n[3/4] 4s left\n');
});
