import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import type { Episode } from '../../gate/episode.ts';
import { episode, failed, slower } from '../../gate/testing/episodes.ts';
import type { Clock } from '../../runtime/clock.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import { folderWith } from '../testing/files.ts';
import { isUnderWay, progressOf } from './journal.ts';
import type { JournalLine } from './journal.ts';
import { parsePlan } from './plan.ts';
import type { Batch, Prober } from './probes.ts';
import { rollOut, undo } from './roll-out.ts';
import type { CanaryOutcome, RollOut } from './roll-out.ts';

/** A hook that logs its arguments. */
const hook = (log: string): string =>
  `{command: ["${process.execPath}", -e, 'require("fs").appendFileSync("${log}", process.argv.slice(1).join(" ") + "\\n")', "\${ACTION}", "\${STAGE}", "\${PLACE}"]}`;

const sourceWith = (log: string, more = ''): string => `
name: upgrade
baseline: before
candidate: after
share: {clusters: 4}
stages: [{percent: 25, soak: 10m}, {percent: 50, soak: 10m}, {percent: 100, soak: 10m}]
hooks: {deploy: ${hook(log)}, rollback: ${hook(log)}}
${more}`;

/** A fake prober with given results. It writes its batches in place of run directories. */
function proberOf(candidate: (seed: number, stage: number) => Partial<Episode>, asked: Batch[] = []): Prober {
  return {
    isVirtual: true,
    scenarios: new Set(),
    unserved: [],
    seedsOf: ({ atLeast }) => atLeast.spot + atLeast.topology,
    rehearse: () => Promise.resolve(),
    run: (batch, directory) => {
      asked.push(batch);
      mkdirSync(directory);
      writeFileSync(join(directory, 'batch.json'), JSON.stringify(batch));
      return Promise.resolve();
    },
    read: (directory) => {
      const { seed, atLeast, share } = JSON.parse(readFileSync(join(directory, 'batch.json'), 'utf8')) as Batch;
      const seeds = Array.from({ length: atLeast.spot + atLeast.topology }, (_, index) => seed + index);
      return {
        candidate: seeds.map((one) => episode(one, candidate(one, share.length))),
        baseline: seeds.map((one) => episode(one)),
        probes: { candidate: seeds.length, baseline: seeds.length },
        known: atLeast,
        watchedMs: seeds.length * 180_000,
      };
    },
  };
}

interface TestCanary {
  readonly outcome: () => Promise<CanaryOutcome>;
  readonly undo: () => Promise<CanaryOutcome>;
  readonly hooks: () => string[];
  readonly lines: JournalLine[];
}

interface TestCanaryOptions {
  readonly more?: string;
  /** Simulates a crash after this many lines in the journal. */
  readonly killedAfter?: number;
  readonly lines?: JournalLine[];
  readonly clusters?: string;
  readonly source?: string;
  readonly clock?: Clock;
}

function testCanary(testInfo: TestInfo, prober: Prober, options: TestCanaryOptions = {}): TestCanary {
  const { more = '', killedAfter = Infinity, lines = [], clusters = '4', clock = createRealTimeline().scope('test') } = options;
  const directory = folderWith(testInfo);
  const log = join(directory, 'hooks.log');
  const { source = sourceWith(log, more).replace('clusters: 4', `clusters: ${clusters}`) } = options;
  const canary = (): RollOut => ({
    plan: parsePlan(source, 'plan.yaml'),
    source,
    digest: 'digest',
    prober,
    journal: {
      lines,
      append: (line) => {
        lines.push(line);
        if (lines.length === killedAfter) throw new Error('killed');
      },
      close: () => undefined,
    },
    directory,
    clock,
    signal: new AbortController().signal,
    events: { stage: () => undefined, decision: () => undefined, note: () => undefined },
  });
  return {
    outcome: () => rollOut(canary()),
    undo: () => undo(canary()),
    hooks: () => readLines(log),
    lines,
  };
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}

const DEPLOYED = ['deploy 1 cluster-01', 'deploy 2 cluster-02', 'deploy 3 cluster-03', 'deploy 3 cluster-04'];

test('a good candidate gets all places, stage by stage, after the planned number of probes', async ({}, testInfo) => {
  const asked: Batch[] = [];
  const { outcome, hooks } = testCanary(
    testInfo,
    proberOf(() => ({}), asked),
  );
  expect(await outcome()).toMatchObject({
    how: 'rolled-out',
    stage: 3,
    places: ['cluster-01', 'cluster-02', 'cluster-03', 'cluster-04'],
    probes: { candidate: 450, baseline: 450 },
    decision: { verdict: 'advance' },
  });
  expect(hooks()).toEqual(DEPLOYED);
  expect(asked.map(({ share, rest }) => `${share.length}+${rest.length}`)).toEqual([
    ...new Array<string>(5).fill('1+3'),
    ...new Array<string>(5).fill('2+2'),
    ...new Array<string>(5).fill('4+0'),
  ]);
  expect(asked.reduce((sum, { atLeast }) => sum + atLeast.spot, 0)).toBe(300);
  expect(new Set(asked.map(({ seed }) => seed)).size).toBe(15);
});

test('a bad candidate is stopped after the first batch, and rolled back', async ({}, testInfo) => {
  const { outcome, hooks } = testCanary(
    testInfo,
    proberOf((seed) => (seed % 3 === 0 ? failed(seed) : {})),
  );
  expect(await outcome()).toMatchObject({
    how: 'rolled-back',
    stage: 1,
    places: [],
    probes: { candidate: 30 },
    decision: { verdict: 'roll-back' },
  });
  expect(hooks()).toEqual(['deploy 1 cluster-01', 'rollback 1 cluster-01']);
});

test('a candidate that fails only with a larger share is rolled back from all places', async ({}, testInfo) => {
  const { outcome, hooks } = testCanary(
    testInfo,
    proberOf((seed, share) => (share === 2 ? slower(4)(seed) : {})),
  );
  expect(await outcome()).toMatchObject({ how: 'rolled-back', stage: 2, places: [] });
  expect(hooks()).toEqual([...DEPLOYED.slice(0, 2), 'rollback 2 cluster-01', 'rollback 2 cluster-02']);
});

test('without a decision the canary holds, after all probes of the plan', async ({}, testInfo) => {
  const unknown = (seed: number): Partial<Episode> => (seed % 5 === 0 ? { verdict: 'unknown' } : {});
  const { outcome, undo, hooks } = testCanary(testInfo, proberOf(unknown), { more: 'probes: {most: 210}' });
  const held = await outcome();
  expect(held).toMatchObject({ how: 'held', stage: 1, places: ['cluster-01'], probes: { candidate: 210 } });
  expect(held.why).toContain('The plan allows 210 probes a stage: raise probes.most to go on.');
  expect(hooks()).toEqual(['deploy 1 cluster-01']);
  expect(await undo()).toMatchObject({ how: 'rolled-back', places: [], why: 'it was requested' });
  expect(hooks()).toEqual(['deploy 1 cluster-01', 'rollback 1 cluster-01']);
});

test('probes continue through a soak, and a soak that is too long for the probes holds', async ({}, testInfo) => {
  const long = 'probes: {most: 300}\nrules: {p99Ratio: 3}';
  const { outcome, lines } = testCanary(
    testInfo,
    {
      ...proberOf(() => ({})),
      read: (directory) => ({ ...proberOf(() => ({})).read(directory), watchedMs: 60_000 }),
    },
    { more: long },
  );
  // One minute per batch of 30: ten minutes take 300 probes in one place, and would take 1,200 in four.
  expect(await outcome()).toMatchObject({
    how: 'held',
    stage: 2,
    why: expect.stringContaining('raise probes.most, or shorten the soak'),
  });
  expect(progressOf(lines)?.batches.filter(({ stage }) => stage === 0)).toHaveLength(10);
});

test('if a deploy hook fails, the canary holds; if a rollback hook fails, it is not rolled back; both errors have the output', async ({}, testInfo) => {
  const bad = `{command: ["${process.execPath}", -e, 'console.error("no such release"); process.exit(4)']}`;
  const log = join(folderWith(testInfo), 'hooks.log');
  const lines: JournalLine[] = [];
  const of = (deploy: string, rollback: string): TestCanary =>
    testCanary(testInfo, proberOf(failed), {
      source: sourceWith(log).replace(/hooks:.*/, `hooks: {deploy: ${deploy}, rollback: ${rollback}}`),
      lines,
    });
  const held = await of(bad, bad).outcome();
  expect(held).toMatchObject({ how: 'held', stage: 1, decision: undefined, places: ['cluster-01'] });
  expect(held.why).toMatch(/^the deploy hook `.*`: exit code 4; its output: no such release$/);
  const stuck = await of(hook(log), bad).outcome();
  expect(stuck).toMatchObject({ how: 'not-rolled-back', stage: 1, places: ['cluster-01'] });
  expect(stuck.why).toMatch(
    /^The rollback failed: the rollback hook .*no such release \(reason for the rollback: The candidate fails .*\)$/s,
  );
  // A rollback is final, and uses the plan as it was at the start.
  expect(await of(hook(log), hook(log)).outcome()).toMatchObject({ how: 'not-rolled-back' });
});

test('a rollback uses the plan as it was at the start, and needs neither the file nor the probes', async ({}, testInfo) => {
  const unknown = (seed: number): Partial<Episode> => (seed % 5 === 0 ? { verdict: 'unknown' } : {});
  const lines: JournalLine[] = [];
  await testCanary(testInfo, proberOf(unknown), { more: 'probes: {most: 210}', lines }).outcome();
  const other = testCanary(
    testInfo,
    proberOf(() => ({})),
    { more: 'probes: {most: 300}', lines, clusters: '[x, y, z]' },
  );
  expect(await other.undo()).toMatchObject({ how: 'rolled-back', places: [] });
  expect(other.hooks()).toEqual(['deploy 1 cluster-01', 'rollback 1 cluster-01']);
});

test('real places are probed through the soak and once after it, even if the canary was killed in between', async ({}, testInfo) => {
  for (const isKilled of [false, true]) {
    const info = { ...testInfo, outputPath: (...parts: string[]) => testInfo.outputPath(String(isKilled), ...parts) };
    const asked: Batch[] = [];
    let nowMs = 0;
    const slept: number[] = [];
    const clock = {
      ...createRealTimeline().scope('test'),
      nowMs: () => nowMs,
      sleep: (ms: number) => {
        slept.push(ms);
        nowMs += ms;
        return Promise.resolve();
      },
    };
    const lines: JournalLine[] = [];
    const prober = { ...proberOf(() => ({}), asked), isVirtual: false };
    // Killed after the first batch of the first stage; resumed a day later.
    if (isKilled) {
      await expect(testCanary(info, prober, { lines, clock, killedAfter: 4 }).outcome()).rejects.toThrow('killed');
      nowMs += 86_400_000;
    }
    const outcome = await testCanary(info, prober, { lines, clock }).outcome();
    expect(outcome, outcome.why).toMatchObject({ how: 'rolled-out' });
    const first = progressOf(lines)?.batches.filter(({ stage }) => stage === 0) ?? [];
    const deployedAtMs = 0;
    expect(first.at(-1)?.begunAtMs).toBeGreaterThanOrEqual(deployedAtMs + 600_000);
    expect(slept.slice(0, 4)).toEqual([150_000, 150_000, 150_000, 150_000]);
    expect(asked.filter(({ share }) => share.length === 1).length).toBe(isKilled ? 5 : 15);
  }
});

for (const { name, make } of [
  { name: 'good', make: () => proberOf(() => ({})) },
  { name: 'bad', make: () => proberOf((seed, share) => (share === 2 ? failed(seed) : {})) },
])
  test(
    `a ${name} candidate: killed after any line of the journal, the canary can be resumed, or rolled back`,
    { tag: '@long' },
    async ({}, testInfo) => {
      const isGood = name === 'good';
      const whole = testCanary({ ...testInfo, outputPath: (...parts: string[]) => testInfo.outputPath(name, ...parts) }, make());
      const end = await whole.outcome();
      for (let killedAfter = 1; killedAfter < whole.lines.length; killedAfter += 1) {
        for (const isUndone of [false, true]) {
          const info = {
            ...testInfo,
            outputPath: (...parts: string[]) => testInfo.outputPath(`${name}-${killedAfter}-${String(isUndone)}`, ...parts),
          };
          const lines: JournalLine[] = [];
          const first = testCanary(info, make(), { killedAfter, lines });
          await expect(first.outcome()).rejects.toThrow('killed');
          if (isUndone && !isUnderWay(progressOf(lines))) continue;
          const second = testCanary(info, make(), { lines });
          const outcome = await (isUndone ? second.undo() : second.outcome());
          if (isUndone) expect(outcome).toMatchObject({ how: 'rolled-back', places: [] });
          else expect(outcome).toMatchObject({ how: end.how, places: end.places });
          // Each place that got the candidate gets a rollback hook, from the second process at the latest.
          const deployed = new Set(
            second
              .hooks()
              .filter((line) => line.startsWith('deploy'))
              .map((line) => line.split(' ')[2]),
          );
          const rolledBack = new Set(
            second
              .hooks()
              .filter((line) => line.startsWith('rollback'))
              .map((line) => line.split(' ')[2]),
          );
          if (isUndone || !isGood) expect([...deployed].every((place) => rolledBack.has(place))).toBe(true);
          else expect([...deployed].sort()).toEqual(['cluster-01', 'cluster-02', 'cluster-03', 'cluster-04']);
        }
      }
    },
  );
