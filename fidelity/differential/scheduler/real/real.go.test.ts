import { expect, test } from '@playwright/test';
import { readRecording } from '../../recording.ts';
import { SCHEDULER_CASES } from '../cases.ts';
import type { Outcome } from '../client.ts';
import { STORAGE_RECORDING } from '../storage/outcome.ts';
import { storageCases } from '../storage/situations.ts';
import { CASES_RECORDING } from '../recorded-cases.ts';
import type { Decisions } from '../recorded-cases.ts';
import { buildScheduler } from './build.ts';
import { CaseRunner } from './case-runner.ts';
import { withScheduler } from './run.ts';

/** The real scheduler in virtual time, built for this if necessary. */

/** One case in this many is run again. */
const EVERY = 7;
/** Random cases that are run again, the first of the recording. */
const RANDOM = 40;

test('a real scheduler decides as recorded', async () => {
  const { server, seed, answers } = readRecording<Decisions>(CASES_RECORDING);
  const again = SCHEDULER_CASES.filter((_, index) => index % EVERY === 0);
  const decided = await withScheduler(await buildScheduler(), seed, async (bench) => {
    const runner = new CaseRunner(bench);
    expect(await runner.prepare(again)).toBe(server);
    const all: Decisions[] = [];
    for (const one of again) all.push(await runner.decisionsOf(one));
    return all;
  });
  expect(decided).toEqual(answers.filter((_, index) => index % EVERY === 0));
});

test('the same seed gives the same outcomes, also among equals', async () => {
  const { seed, answers } = readRecording<Outcome>(STORAGE_RECORDING);
  // All are prepared, as for the recording.
  const all = storageCases(seed, answers.length);
  const outcomes = await withScheduler(await buildScheduler(), seed, async (bench) => {
    const runner = new CaseRunner(bench);
    await runner.prepare(all);
    const first: Outcome[] = [];
    for (const one of all.slice(0, RANDOM)) first.push(await runner.run(one));
    return first;
  });
  expect(outcomes).toEqual(answers.slice(0, RANDOM));
});
