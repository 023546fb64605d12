import { basename, join, relative } from 'node:path';
import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import type { ChosenScenario, ChosenTarget } from '../cli/choose.ts';
import { reportTrial } from '../cli/report-trial.ts';
import { createRunDirectory, writeRunFacts } from '../cli/run-directory.ts';
import { describeRun } from '../cli/run-facts.ts';
import { writeReports } from '../cli/write-reports.ts';
import { whyNotRun } from '../harness/engine.ts';
import { loadTarget } from '../harness/load.ts';
import { planTrials, runTrials } from '../harness/run.ts';
import type { PlannedTrial, TrialEnd } from '../harness/run.ts';
import { DEFAULT_LIMITS, timeLimitOf } from '../harness/supervisor.ts';
import type { TrialRunner } from '../harness/supervisor.ts';
import type { PhaseBegun } from '../harness/trial-spec.ts';
import { worldFor } from '../harness/world-for.ts';
import { PHASES } from '../history/events.ts';
import type { TrialResult } from '../history/verdict.ts';
import { formatMoment } from '../reports/format.ts';
import { Mailbox } from '../runtime/mailbox.ts';
import { createRealTimeline } from '../runtime/timeline.ts';
import { causesFirst } from '../reports/causes.ts';
import { failuresOf } from './failures.ts';
import type { Failure } from './failures.ts';

/** A trial that is part of a test. */
export interface TrialOfTest {
  readonly target: ChosenTarget;
  readonly seed: number;
  readonly nodes: number;
  readonly runner: TrialRunner;
  /** Aborted when the test ends, for any reason. */
  readonly signal: AbortSignal;
  /** Number of the trial within its test, from 1. */
  readonly number: number;
  /** Extends the timeout of the test, in milliseconds, unless the user set one. */
  readonly allow: (moreMs: number) => void;
  readonly testInfo: TestInfo;
}

/**
 * Runs one trial and reports it to Playwright: phases and checks are steps, findings are soft failures, report and history are
 * attachments. The test's output folder then has a run directory like that of the command.
 * @throws Error if scenario or target can't be loaded, or the trial did not start; Playwright's own error to skip the test
 */
export async function runInTest(source: ChosenScenario, trial: TrialOfTest): Promise<TrialResult> {
  const { target, seed, nodes, testInfo } = trial;
  const loaded = await loadTarget(target.ref);
  if (loaded.external !== undefined)
    throw new Error(`${target.label} is an external target that you start for each trial: use \`scaleproof run\``);
  const reason = whyNotRun(source.scenario, loaded, worldFor(loaded, undefined).facts.capabilities);
  testInfo.skip(reason !== undefined, `not run: ${reason}`);

  const [planned] = await planTrials(source, target, [seed], { nodes });
  if (planned === undefined) throw new Error(`no trial of ${source.label} was planned`);
  // The trial has its own time limit, with a better error message; the timeout is for the rest of the test.
  trial.allow(timeLimitOf(planned, DEFAULT_LIMITS).wallMs);

  return step(testInfo, `trial of ${source.label}, target ${target.label}, seed ${seed}`, async () => {
    const clock = createRealTimeline().scope('test');
    const startedAtMs = clock.nowMs();
    const startedAt = new Date(startedAtMs).toISOString();
    const directory = createRunDirectory(testInfo.outputPath(trial.number === 1 ? 'trial' : `trial-${trial.number}`), startedAt);
    const facts = await describeRun({
      id: basename(directory),
      startedAt,
      chosen: [source],
      target,
      loaded,
      world: undefined,
      nodes,
      seed,
      trials: 1,
      planned: [planned],
      notRun: [],
    });
    writeRunFacts(directory, facts);

    const end = await runInSteps(planned, directory, trial);
    if (end.kind !== 'judged') throw new Error(end.kind === 'refused' ? end.message : `the trial of ${source.label} did not start`);

    const finished = { ...facts, wallMs: clock.nowMs() - startedAtMs };
    writeRunFacts(directory, finished);
    writeReports(directory, { run: finished, trials: [reportTrial(directory, end)], notRun: [] });
    await testInfo.attach('report.html', { path: join(directory, 'report.html'), contentType: 'text/html' });
    await testInfo.attach('history.jsonl', { path: join(directory, planned.history), contentType: 'application/jsonl' });
    await reportChecks(end.result, directory, testInfo);
    return end.result;
  });
}

/** Shows each phase as a step while it lasts. */
async function runInSteps(planned: PlannedTrial, directory: string, { runner, signal, testInfo }: TrialOfTest): Promise<TrialEnd> {
  const phases = new Mailbox<PhaseBegun>(PHASES.length);
  const shown = showPhases(phases, testInfo);
  try {
    const [end] = await runTrials([planned], { directory, workers: 1, signal, runner, onPhase: (_trial, begun) => phases.push(begun) });
    return end ?? { kind: 'not-begun' };
  } finally {
    phases.close();
    await shown;
  }
}

async function showPhases(phases: AsyncIterable<PhaseBegun>, testInfo: TestInfo): Promise<void> {
  const iterator = phases[Symbol.asyncIterator]();
  let next = await iterator.next();
  while (next.done !== true) {
    const { phase, t } = next.value;
    next = await step(testInfo, `${phase}, from ${formatMoment(t)} of the trial`, () => iterator.next());
  }
}

/** Shows each check as a step, with its findings. */
async function reportChecks(result: TrialResult, directory: string, testInfo: TestInfo): Promise<void> {
  const place = { history: relative('.', join(directory, result.history)), replay: result.replay };
  let reported = 0;
  for (const check of causesFirst(result.checks)) {
    await step(testInfo, `check ${check.check}: ${check.summary}`, async () => {
      for (const failure of failuresOf(check, place)) {
        // Playwright shows the lines of the test below each error that has a location: once is enough.
        failSoftly(failure, reported === 0 ? testInfo : undefined);
        reported += 1;
      }
    });
  }
  if (reported === 0 && result.verdict !== 'pass') throw new Error(`the verdict is ${result.verdict}, and no check says why`);
}

/** A step with the location of the test: locations inside this package would not help the reader. */
function step<T>({ file, line, column }: TestInfo, title: string, body: () => Promise<T>): Promise<T> {
  return test.step(title, body, { location: { file, line, column } });
}

/** A soft assertion is Playwright's only way to fail a test and let it continue. */
const failing = expect.extend({
  toHold(error: Error): { pass: boolean; message: () => string } {
    throw error;
  },
});

function failSoftly({ title, message }: Failure, place: Pick<TestInfo, 'file' | 'line' | 'column'> | undefined): void {
  const error = new Error(message);
  error.stack = `Error: ${message}${place === undefined ? '' : `\n    at ${place.file}:${place.line}:${place.column}`}`;
  failing.soft(error, title).toHold();
}
