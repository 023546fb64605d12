import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { GENERATED_SUITE } from '../../explore/generated.ts';
import { planCrashes, runTrials } from '../../harness/run.ts';
import type { PlannedTrial, TrialEnd } from '../../harness/run.ts';
import { createTrialRunner } from '../../harness/supervisor.ts';
import type { TrialLimits, TrialRunner } from '../../harness/supervisor.ts';
import { ofType } from '../../history/lives.ts';
import { readHistory } from '../../history/reader.ts';
import { defined } from '../../model/defined.ts';
import type { Clock } from '../../runtime/clock.ts';
import { differenceOf } from './difference.ts';
import type { Outcome } from './outcome.ts';
import { ACTIVE, EXECUTED, executedInLast } from './switch.ts';
import type { Executed } from './switch.ts';

/** Trials of one scenario: with the seed that all mutants get first, and with further ones. */
export interface SeededTrials {
  readonly first: PlannedTrial;
  readonly others: readonly PlannedTrial[];
}

/** Where trials run. */
export interface TrialSite {
  /** An existing folder, for histories. */
  readonly folder: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** By default the supervisor's. */
  readonly limits?: TrialLimits;
}

/** The trial of the unchanged controller in one scenario. */
export interface Control extends Executed {
  readonly trial: PlannedTrial;
  /** The same with further seeds. */
  readonly others: readonly PlannedTrial[];
  /** Path of its history. */
  readonly history: string;
  /** Length of its history: what a trial costs, the same on every machine. */
  readonly bytes: number;
}

/** Runs trials of the changed sources without an active mutant, one after the other. */
export interface ControlRunner {
  /**
   * Undefined if it was interrupted, or if its scenario was generated and it does not pass.
   * @throws Error when the trial of another scenario does not pass: nothing would be proved in it
   */
  run(trials: SeededTrials): Promise<Control | undefined>;
  end(): Promise<void>;
}

export function createControlRunner({ folder, clock, signal, limits }: TrialSite): ControlRunner {
  const directory = mkdtempSync(join(folder, 'control-'));
  mkdirSync(join(directory, 'histories'));
  const path = join(directory, 'executed.txt');
  const runner = createTrialRunner({ clock, environment: { [EXECUTED]: path }, ...defined({ limits }) });
  return {
    run: async ({ first: trial, others }) => {
      const end = await runOne(trial, { directory, signal, runner });
      if (signal.aborted) return undefined;
      const passes = end.kind === 'judged' && end.result.verdict === 'pass';
      if (!passes && isGenerated(trial)) return undefined;
      if (!passes) throw new Error(`${trial.scenario.id}: the controller does not pass without a mutant: ${whyOf(end)}`);
      const history = join(directory, trial.history);
      return { trial, others, history, bytes: statSync(history).size, ...executedInLast(readFileSync(path, 'utf8')) };
    },
    end: () => runner.end(),
  };
}

const isGenerated = ({ suite }: PlannedTrial): boolean => suite === GENERATED_SUITE;

/** Generated scenarios are the last, so that it can be said what the others kill without them; of each kind the shortest is the first. */
function inOrder(a: Control, b: Control): number {
  return Number(isGenerated(a.trial)) - Number(isGenerated(b.trial)) || a.bytes - b.bytes || (a.history < b.history ? -1 : 1);
}

/**
 * Runs a mutant in the scenarios that execute it and in which it makes a difference, the generated ones last and the shortest first,
 * until one kills it. One that the wires saw in some scenarios, and none killed, runs in these with further seeds. Undefined if it was
 * interrupted.
 * @param crashed ids of scenarios that are repeated with the mutant killed at each of its side effects, if nothing else kills it
 */
export async function judgeMutant(
  id: number,
  controls: readonly Control[],
  { folder, clock, signal, limits, crashed = new Set() }: TrialSite & { readonly crashed?: ReadonlySet<string> },
): Promise<Outcome | undefined> {
  const all = controls.filter(({ executed }) => executed.has(id)).sort(inOrder);
  if (all.length === 0) return { outcome: 'not-executed' };
  // What differs in a trial without a crash says nothing about one with a crash.
  const those = all.filter(({ trial, differing }) => differing.has(id) || crashed.has(trial.scenario.id));
  const directory = join(folder, `mutant-${id}`);
  mkdirSync(join(directory, 'histories'), { recursive: true });
  // What one process keeps between trials was computed by the same mutant.
  const runner = createTrialRunner({ clock, environment: { [ACTIVE]: String(id) }, ...defined({ limits }) });
  const at = { directory, signal, runner };
  const ends: TrialEnd[] = [];
  try {
    for (const { trial } of those) {
      const end = await runOne(trial, at);
      if (signal.aborted) return undefined;
      const killed = killedBy(trial, end, directory);
      if (killed !== undefined) return killed;
      ends.push(end);
    }
    const outcome = unkilled(those, ends, { directory, scenarios: all.map(({ trial }) => trial.scenario.id) });
    const seenIn = new Set(outcome.outcome === 'survived' ? outcome.seen.map(({ scenario }) => scenario) : []);
    for (const trial of those.flatMap((one) => (seenIn.has(one.trial.scenario.id) ? one.others : []))) {
      const killed = killedBy(trial, await runOne(trial, at), directory);
      rmSync(join(directory, trial.history), { force: true });
      if (signal.aborted) return undefined;
      if (killed !== undefined && (await passesWithout(trial, { ...at, clock, ...defined({ limits }) }))) return killed;
      if (signal.aborted) return undefined;
    }
    for (const [index, { trial }] of those.entries()) {
      const end = ends[index];
      if (end === undefined || !crashed.has(trial.scenario.id)) continue;
      const killed = await killedAtCrashPoint(trial, end, at);
      if (signal.aborted || killed !== undefined) return killed;
    }
    return outcome;
  } finally {
    await runner.end();
    rmSync(directory, { recursive: true });
  }
}

interface RunAt {
  readonly directory: string;
  readonly signal: AbortSignal;
  readonly runner: TrialRunner;
}

async function runOne(trial: PlannedTrial, at: RunAt): Promise<TrialEnd> {
  const [end = { kind: 'not-begun' as const }] = await runTrials([trial], { ...at, workers: 1 });
  return end;
}

/** Whether the controller passes a trial without a mutant: with further seeds there is no control. */
async function passesWithout(
  trial: PlannedTrial,
  { directory, signal, clock, limits }: RunAt & Pick<TrialSite, 'clock' | 'limits'>,
): Promise<boolean> {
  const runner = createTrialRunner({ clock, ...defined({ limits }) });
  try {
    const end = await runOne(trial, { directory, signal, runner });
    return end.kind === 'judged' && end.result.verdict === 'pass';
  } finally {
    await runner.end();
  }
}

async function killedAtCrashPoint(trial: PlannedTrial, end: TrialEnd, at: RunAt): Promise<Outcome | undefined> {
  const planned = planCrashes(trial, end, { directory: at.directory });
  for (const crash of 'trials' in planned ? planned.trials : []) {
    const killed = killedBy(crash, await runOne(crash, at), at.directory);
    rmSync(join(at.directory, crash.history), { force: true });
    if (at.signal.aborted || killed !== undefined) return killed;
  }
  return undefined;
}

function killedBy(trial: PlannedTrial, end: TrialEnd, directory: string): Outcome | undefined {
  if (end.kind !== 'judged') return undefined;
  const scenario = trial.scenario.id;
  const failed = end.result.checks.find(({ verdict }) => verdict === 'fail');
  if (failed !== undefined) {
    const { code, message } = failed.findings[0] ?? { code: 'failed', message: failed.summary };
    return { outcome: 'killed', scenario, seed: trial.seed, check: failed.check, code, message };
  }
  // Checks don't blame a target for what the harness was found doing, but without the mutant it does not.
  const [ended] = ofType(readHistory(join(directory, trial.history)).events, 'supervisor');
  if (ended === undefined) return undefined;
  return { outcome: 'killed', scenario, seed: trial.seed, check: 'supervisor', code: ended.cause, message: ended.message };
}

/**
 * @param ends of the trials of the mutant, in the order of the controls
 * @param scenarios all that executed it
 */
function unkilled(
  controls: readonly Control[],
  ends: readonly TrialEnd[],
  { directory, scenarios }: { readonly directory: string; readonly scenarios: string[] },
): Outcome {
  const unjudged = ends.findIndex((end) => end.kind !== 'judged' || end.result.verdict === 'unknown');
  const end = ends[unjudged];
  if (end !== undefined) return { outcome: 'unknown', scenarios, scenario: controls[unjudged]?.trial.scenario.id ?? '', why: whyOf(end) };
  const seen = controls.flatMap(({ trial, history }) => {
    const difference = differenceOf(history, join(directory, trial.history));
    return difference === undefined ? [] : [{ scenario: trial.scenario.id, difference }];
  });
  return seen.length === 0 ? { outcome: 'not-seen', scenarios } : { outcome: 'survived', scenarios, seen };
}

/** Why a trial has no verdict, or failed. */
function whyOf(end: TrialEnd): string {
  if (end.kind === 'refused') return end.message;
  if (end.kind === 'not-begun') return 'it did not begin';
  return end.result.checks.flatMap(({ check, verdict, summary }) => (verdict === 'pass' ? [] : [`${check}: ${summary}`])).join('; ');
}
