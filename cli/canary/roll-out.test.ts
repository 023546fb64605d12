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

/** A hook that writes down what it was asked for. */
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

/** A made-up autoscaler: what each of its probes comes to. Batches are kept where the run directories would be. */
function proberOf(candidate: (seed: number, stage: number) => Partial<Episode>, asked: Batch[] = []): Prober {
  return {
    isVirtual: true,
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

interface Stand {
  readonly outcome: () => Promise<CanaryOutcome>;
  readonly undo: () => Promise<CanaryOutcome>;
  readonly hooks: () => string[];
  readonly lines: JournalLine[];
}

interface StandOptions {
  readonly more?: string;
  /** The process ends when so many lines are in the journal. */
  readonly killedAfter?: number;
  readonly lines?: JournalLine[];
  readonly clusters?: string;
  readonly source?: string;
  readonly clock?: Clock;
}

function stand(testInfo: TestInfo, prober: Prober, options: StandOptions = {}): Stand {
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

test('a good candidate gets everything, stage by stage, after as many probes as were asked for', async ({}, testInfo) => {
  const asked: Batch[] = [];
  const { outcome, hooks } = stand(
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

test('a bad one is stopped after the first batch, and taken from where it is', async ({}, testInfo) => {
  const { outcome, hooks } = stand(
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

test('what shows only with a larger share is taken from all that have it', async ({}, testInfo) => {
  const { outcome, hooks } = stand(
    testInfo,
    proberOf((seed, share) => (share === 2 ? slower(4)(seed) : {})),
  );
  expect(await outcome()).toMatchObject({ how: 'rolled-back', stage: 2, places: [] });
  expect(hooks()).toEqual([...DEPLOYED.slice(0, 2), 'rollback 2 cluster-01', 'rollback 2 cluster-02']);
});

test('what can not be told is held, after as many probes as the plan has', async ({}, testInfo) => {
  const unknown = (seed: number): Partial<Episode> => (seed % 5 === 0 ? { verdict: 'unknown' } : {});
  const { outcome, undo, hooks } = stand(testInfo, proberOf(unknown), { more: 'probes: {most: 210}' });
  const held = await outcome();
  expect(held).toMatchObject({ how: 'held', stage: 1, places: ['cluster-01'], probes: { candidate: 210 } });
  expect(held.why).toContain('The plan has no more than 210 probes a stage: with more of them it can go on.');
  expect(hooks()).toEqual(['deploy 1 cluster-01']);
  expect(await undo()).toMatchObject({ how: 'rolled-back', places: [], why: 'somebody asked for it' });
  expect(hooks()).toEqual(['deploy 1 cluster-01', 'rollback 1 cluster-01']);
});

test('a soak is probed through, and one that is too long for the probes is held', async ({}, testInfo) => {
  const long = 'probes: {most: 300}\nrules: {p99Ratio: 3}';
  const { outcome, lines } = stand(
    testInfo,
    {
      ...proberOf(() => ({})),
      read: (directory) => ({ ...proberOf(() => ({})).read(directory), watchedMs: 60_000 }),
    },
    { more: long },
  );
  // A minute in each batch of 30: ten minutes take 300 probes in one place, and four places would take 1,200.
  expect(await outcome()).toMatchObject({
    how: 'held',
    stage: 2,
    why: expect.stringContaining('raise probes.most, or shorten the soak'),
  });
  expect(progressOf(lines)?.batches.filter(({ stage }) => stage === 0)).toHaveLength(10);
});

test('a hook that fails holds, with what it said; so does one that undoes', async ({}, testInfo) => {
  const bad = `{command: ["${process.execPath}", -e, 'console.error("no such release"); process.exit(4)']}`;
  const log = join(folderWith(testInfo), 'hooks.log');
  const lines: JournalLine[] = [];
  const of = (deploy: string, rollback: string): Stand =>
    stand(testInfo, proberOf(failed), {
      source: sourceWith(log).replace(/hooks:.*/, `hooks: {deploy: ${deploy}, rollback: ${rollback}}`),
      lines,
    });
  const held = await of(bad, bad).outcome();
  expect(held).toMatchObject({ how: 'held', stage: 1, decision: undefined, places: ['cluster-01'] });
  expect(held.why).toMatch(/^the deploy hook `.*`: it ended with exit code 4; it said: no such release$/);
  const stuck = await of(hook(log), bad).outcome();
  expect(stuck).toMatchObject({ how: 'not-rolled-back', stage: 1, places: ['cluster-01'] });
  expect(stuck.why).toMatch(/^It was to be rolled back \(The candidate fails .*\), and that failed: the rollback hook .*no such release$/);
  // Once it is to go back it never goes on, and it is undone by the plan as it was when it began.
  expect(await of(hook(log), hook(log)).outcome()).toMatchObject({ how: 'not-rolled-back' });
});

test('it is undone where it is, by the plan as it was, whatever became of the file and of what was probed', async ({}, testInfo) => {
  const unknown = (seed: number): Partial<Episode> => (seed % 5 === 0 ? { verdict: 'unknown' } : {});
  const lines: JournalLine[] = [];
  await stand(testInfo, proberOf(unknown), { more: 'probes: {most: 210}', lines }).outcome();
  const other = stand(
    testInfo,
    proberOf(() => ({})),
    { more: 'probes: {most: 300}', lines, clusters: '[x, y, z]' },
  );
  expect(await other.undo()).toMatchObject({ how: 'rolled-back', places: [] });
  expect(other.hooks()).toEqual(['deploy 1 cluster-01', 'rollback 1 cluster-01']);
});

test('real places are watched through the soak, and looked at after it, also when nobody watched meanwhile', async ({}, testInfo) => {
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
    // Killed after the first batch of the first stage; a day goes by.
    if (isKilled) {
      await expect(stand(info, prober, { lines, clock, killedAfter: 4 }).outcome()).rejects.toThrow('killed');
      nowMs += 86_400_000;
    }
    const outcome = await stand(info, prober, { lines, clock }).outcome();
    expect(outcome, outcome.why).toMatchObject({ how: 'rolled-out' });
    const first = progressOf(lines)?.batches.filter(({ stage }) => stage === 0) ?? [];
    const deployedAtMs = 0;
    expect(first.at(-1)?.begunAtMs).toBeGreaterThanOrEqual(deployedAtMs + 600_000);
    expect(slept.slice(0, 4)).toEqual([150_000, 150_000, 150_000, 150_000]);
    expect(asked.filter(({ share }) => share.length === 1).length).toBe(isKilled ? 5 : 15);
  }
});

test('killed after any line of its journal, it goes on to the same end, or is undone', async ({}, testInfo) => {
  for (const [name, make] of [
    ['good', () => proberOf(() => ({}))],
    ['bad', () => proberOf((seed, share) => (share === 2 ? failed(seed) : {}))],
  ] as const) {
    const isGood = name === 'good';
    const whole = stand({ ...testInfo, outputPath: (...parts: string[]) => testInfo.outputPath(name, ...parts) }, make());
    const end = await whole.outcome();
    for (let killedAfter = 1; killedAfter < whole.lines.length; killedAfter += 1) {
      for (const isUndone of [false, true]) {
        const info = {
          ...testInfo,
          outputPath: (...parts: string[]) => testInfo.outputPath(`${name}-${killedAfter}-${String(isUndone)}`, ...parts),
        };
        const lines: JournalLine[] = [];
        const first = stand(info, make(), { killedAfter, lines });
        await expect(first.outcome()).rejects.toThrow('killed');
        if (isUndone && !isUnderWay(progressOf(lines))) continue;
        const second = stand(info, make(), { lines });
        const outcome = await (isUndone ? second.undo() : second.outcome());
        if (isUndone) expect(outcome).toMatchObject({ how: 'rolled-back', places: [] });
        else expect(outcome).toMatchObject({ how: end.how, places: end.places });
        // Whatever has the candidate and is to lose it is told so, at the latest by whoever came after.
        const has = new Set(
          second
            .hooks()
            .filter((line) => line.startsWith('deploy'))
            .map((line) => line.split(' ')[2]),
        );
        const lost = new Set(
          second
            .hooks()
            .filter((line) => line.startsWith('rollback'))
            .map((line) => line.split(' ')[2]),
        );
        if (isUndone || !isGood) expect([...has].every((place) => lost.has(place))).toBe(true);
        else expect([...has].sort()).toEqual(['cluster-01', 'cluster-02', 'cluster-03', 'cluster-04']);
      }
    }
  }
});
