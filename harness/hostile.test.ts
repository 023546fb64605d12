import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import type { TrialResult } from '../history/verdict.ts';
import { suites } from '../suites/catalogue.ts';
import { planTrials, runTrial, runTrials } from './run.ts';
import { DEFAULT_LIMITS } from './supervisor.ts';
import type { TrialLimits } from './supervisor.ts';

const module = new URL('./testing/hostile.ts', import.meta.url).href;

function runHostile(target: string, testInfo: TestInfo, limits: TrialLimits): Promise<TrialResult> {
  const directory = testInfo.outputPath('run');
  mkdirSync(join(directory, 'histories'), { recursive: true });
  const scenario = suites[0]?.scenarios[0]?.ref;
  if (scenario === undefined) throw new Error('there is no scenario');
  return runTrial({ scenario, target: { module, export: target }, directory, limits });
}

/** Each run finishes with a clear verdict, whatever the target does. */
for (const { target, code, says, tag = [], ...wall } of [
  { target: 'spins', code: 'hung', says: 'took 2 s of processor time without letting anything else run' },
  { target: 'spinsInMicrotasks', code: 'hung', says: 'took 2 s of processor time without letting anything else run', tag: '@long' },
  { target: 'spinsOnItsWire', code: 'hung', says: 'took 2 s of processor time without letting anything else run', tag: '@long' },
  { target: 'spinsAtStart', code: 'hung', says: 'took 2 s of processor time without letting anything else run', tag: '@long' },
  { target: 'waitsForever', code: 'hung', says: 'stood still for 4 s of real time', turnWallMs: 4_000 },
  { target: 'throwsOnItsWire', code: 'exited', says: 'another uncaught error' },
  { target: 'failsToApplyPools', code: 'panicked', says: 'no such pool' },
  { target: 'letsNoTimePass', code: 'spun', says: 'due at once' },
  { target: 'neverAnswers', code: 'not-ready', says: 'ready' },
  { target: 'throwsAtStart', code: 'exited', says: 'no configuration' },
  { target: 'throwsLater', code: 'exited', says: 'nil map', tag: '@long' },
  { target: 'panicsAndGoesOn', code: 'recovered-panic', says: 'nil map' },
  { target: 'throwsUncaught', code: 'exited', says: 'an uncaught error', tag: '@long' },
  { target: 'exits', code: 'exited', says: 'with code 0' },
  { target: 'eatsMemory', code: 'out-of-memory', says: 'MiB' },
  { target: 'eatsWhatItDeclares', code: 'out-of-memory', says: 'the limit is 900 MiB', tag: '@long' },
  { target: 'eatsHeap', code: 'out-of-memory', says: 'heap limit' },
  { target: 'floods', code: 'flooded', says: 'requests' },
]) {
  test(`a target that ${target}: ${code}`, { tag }, async ({}, testInfo) => {
    const result = await runHostile(target, testInfo, { ...DEFAULT_LIMITS, turnCpuMs: 2_000, ...wall, rssMiB: 700, heapMiB: 300 });
    expect(result.verdict).toBe('fail');
    const finding = result.checks.flatMap(({ findings }) => findings).find((candidate) => candidate.code === code);
    expect(finding?.message).toContain(says);
  });
}

for (const { target, signal, tag = [] } of [
  { target: 'crashes', signal: 'SIGSEGV' },
  { target: 'aborts', signal: 'SIGABRT', tag: '@long' },
]) {
  test(`a process that is ended by ${signal} is not the target's deed: there is no verdict`, { tag }, async ({}, testInfo) => {
    const result = await runHostile(target, testInfo, DEFAULT_LIMITS);
    expect(result.checks.flatMap(({ findings }) => findings)).toEqual([]);
    expect(result.verdict).toBe('unknown');
    expect(JSON.stringify(result)).toContain(`the trial's process ended by ${signal}, a crash of Node.js itself`);
  });
}

test('a process that is stopped and never continued is killed', async ({}, testInfo) => {
  const result = await runHostile('stopsForever', testInfo, { ...DEFAULT_LIMITS, turnWallMs: 4_000 });
  // Its watcher is stopped too, and may not have reported yet who was running.
  expect(result.verdict).not.toBe('pass');
  expect(JSON.stringify(result)).toContain('stood still for 4 s of real time without letting anything else run');
});

test('a target whose process gets no CPU for longer than the limit of a turn is not hung', async ({}, testInfo) => {
  const result = await runHostile('getsNoProcessor', testInfo, { ...DEFAULT_LIMITS, turnCpuMs: 2_000 });
  expect(result.checks.flatMap(({ findings }) => findings)).toEqual([]);
  expect(result.verdict).toBe('pass');
});

test('a trial in virtual time that takes too much processor time is ended, whoever uses it', { tag: '@long' }, async ({}, testInfo) => {
  // On a busy machine it may take long to use that much: real time must not end the trial first. Loading the scenario counts, too, and
  // most of the time has to be the target's.
  const result = await runHostile('spins', testInfo, { ...DEFAULT_LIMITS, cpuMs: 8_000, wallFactor: 60, turnWallMs: 240_000 });
  const messages = result.checks.flatMap(({ findings }) => findings.map(({ message }) => message));
  expect(messages.join('\n')).toContain('the trial was not over after 8 s of processor time');
});

test('an aborted trial leaves nothing behind for the next one', async ({}, testInfo) => {
  const directory = testInfo.outputPath('run');
  mkdirSync(join(directory, 'histories'), { recursive: true });
  const [suite] = suites;
  const [first] = suite?.scenarios ?? [];
  if (suite === undefined || first === undefined) throw new Error('there is no scenario');
  const source = { ref: first.ref, scenario: first.scenario, suite: suite.name, label: first.scenario.id };
  const target = { ref: { module, export: 'floods' }, label: './testing/hostile.ts#floods' };
  const ends = await runTrials(await planTrials(source, target, [1, 2]), { directory, workers: 1, signal: new AbortController().signal });
  const codes = ends.map((end) =>
    end.kind === 'judged' ? end.result.checks.flatMap(({ findings }) => findings.map(({ code }) => code)) : [],
  );
  expect(codes.map((found) => found.includes('flooded'))).toEqual([true, true]);
});
