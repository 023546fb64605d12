import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { planTrials, runTrials } from '../../harness/run.ts';
import type { PlannedTrial } from '../../harness/run.ts';
import type { Scenario } from '../../harness/scenario.ts';
import { DEFAULT_NODES } from '../../harness/trial-spec.ts';
import type { NotRun } from '../../history/verdict.ts';
import { removeHistory } from '../../history/usage.ts';
import { defined } from '../../model/defined.ts';
import { timeName } from '../../reports/clock.ts';
import type { RunFacts, Shard } from '../../reports/report-input.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import type { Target } from '../../targets/target.ts';
import type { ChosenScenario, chooseTarget } from '../choose.ts';
import type { Console } from '../console.ts';
import { interruption } from '../interruption.ts';
import type { Selection } from '../manifests.ts';
import { membersOf, notRunFacts } from '../plan-run.ts';
import { Progress } from '../progress.ts';
import { createRunDirectory, writeRunFacts } from '../run-directory.ts';
import { describeRun } from '../run-facts.ts';
import { UsageError } from '../usage-error.ts';
import { abilitiesOf } from './abilities.ts';
import { Reviewer } from './review.ts';
import type { Review, ReviewedEnd, SideTrial } from './review.ts';

/** Why a trial of a scenario is of no use for a comparison; undefined if it is. */
export type WhyUseless = (scenario: Scenario, seed: number) => string | undefined;

/** A target with the letter of its side. */
export interface NamedTarget {
  readonly letter: string;
  readonly target: ReturnType<typeof chooseTarget>;
  /** Trials whose result exists already: they are not run. By default there are none. */
  readonly isDone?: (trial: { readonly scenario: string; readonly seed: number }) => boolean;
}

/** What all targets run. */
export interface TargetRuns {
  readonly chosen: readonly ChosenScenario[];
  /** Absent unless the scenarios are made from manifests. */
  readonly manifests?: Selection['manifests'];
  readonly seed: number;
  /** Number of consecutive seeds. */
  readonly trialsOf: (scenario: string) => number;
  /** Number of nodes, for scenarios that do not set their own. */
  readonly nodesOf: (scenario: string) => number;
  /** Only this part of the trials, the same for all targets. */
  readonly shard?: Shard | undefined;
  readonly workers: number | undefined;
  /** How progress names trials: by the letter of their side, each of which it then counts, or by their target. */
  readonly sideNames: 'letter' | 'target';
  /** May end the run before all trials have begun. */
  readonly review?: Review;
  /** Scenarios whose trials run before all others. By default trials run by seed alone. */
  readonly first?: {
    readonly scenarios: readonly string[];
    /** Called once all of them are over and others are left. @returns what to print */
    readonly then: () => string;
  };
  /** Why a trial is of no use although its target can run it: it is then not run. By default all are of use. */
  readonly whyUseless?: WhyUseless;
}

/** How the trials of all targets ended. */
export interface TargetsEnd {
  readonly isInterrupted: boolean;
  /** If a review ended them. */
  readonly reviewed?: ReviewedEnd;
}

interface Side extends NamedTarget {
  readonly loaded: Target;
  readonly trials: readonly PlannedTrial[];
  readonly notRun: readonly NotRun[];
}

/**
 * Runs the same scenarios with the same seeds against several targets, one trial of each in turn, so that changes on the
 * machine affect all of them alike.
 * @param directory gets a run directory for each, named by its letter
 */
export async function runTargets(
  targets: readonly NamedTarget[],
  runs: TargetRuns,
  {
    directory,
    startedAt,
    signal,
  }: {
    readonly directory: string;
    readonly startedAt: string;
    /** Stops it; Ctrl-C by default. */
    readonly signal?: AbortSignal;
  },
  console: Console,
): Promise<TargetsEnd> {
  const sides = await Promise.all(targets.map((target) => planSide(target, runs)));
  const external = sides.find(({ loaded }) => loaded.external !== undefined);
  if (external !== undefined)
    throw new UsageError(`${external.target.label} is an external target: run it with \`scaleproof run\`, and compare the directories`);
  const facts = await Promise.all(sides.map((side) => factsOf(side, runs, startedAt)));
  sides.forEach(({ letter }, index) => {
    createRunDirectory(join(directory, letter), startedAt);
    writeRunFacts(join(directory, letter), facts[index] as RunFacts);
  });
  const rounds = interleave(sides, runs.first?.scenarios ?? []);
  const trials = rounds.flatMap((round) => round.map(({ trial }) => trial));
  const reviewer = runs.review === undefined ? undefined : new Reviewer(runs.review, rounds);
  const clock = createRealTimeline().scope('compare');
  const progress = new Progress(console, {
    total: trials.length,
    clock,
    timeName: facts[0] === undefined ? 'virtual time' : timeName(facts[0]),
    ...(runs.sideNames === 'letter' ? { sides: new Map(rounds.flat().map(({ letter, trial }) => [trial, letter])) } : { hasTargets: true }),
  });
  const firsts = new Set(trials.filter(({ scenario }) => runs.first?.scenarios.includes(scenario.id)));
  const hasOthers = firsts.size < trials.length;
  const startedMs = clock.nowMs();
  const interrupted = signal === undefined ? interruption() : { signal, release: () => undefined };
  try {
    const ends = await runTrials(trials, {
      directory,
      workers: runs.workers ?? availableParallelism(),
      signal: interrupted.signal,
      mayBegin: () => reviewer?.end === undefined,
      onBegin: (trial) => progress.begin(trial),
      onEnd: (trial, end) => {
        progress.end(trial, end);
        reviewer?.ended(trial, end);
        const isLastOfFirst = end.kind !== 'not-begun' && firsts.delete(trial) && firsts.size === 0;
        if (isLastOfFirst && hasOthers && runs.first !== undefined) progress.say(runs.first.then());
      },
    });
    const refusals = new Set(ends.flatMap((end) => (end.kind === 'refused' ? [end.message] : [])));
    for (const message of refusals) console.err(`scaleproof: ${message.replaceAll('\n', ' ')}\n`);
    if (interrupted.signal.aborted) return { isInterrupted: true };
    const wallMs = clock.nowMs() - startedMs;
    const reviewed = reviewer?.end;
    for (const { trial } of reviewed?.left ?? []) removeHistory(join(directory, trial.history));
    sides.forEach(({ letter }, index) => {
      const own = facts[index] as RunFacts;
      writeRunFacts(join(directory, letter), { ...own, notRun: [...own.notRun, ...leftOutOf(letter, reviewed)], wallMs });
    });
    return { isInterrupted: false, ...defined({ reviewed }) };
  } finally {
    progress.close();
    interrupted.release();
  }
}

/** The number of trials of the scenario that has most. */
function mostTrials({ chosen, trialsOf }: TargetRuns): number {
  return Math.max(...chosen.map(({ scenario }) => trialsOf(scenario.id)));
}

async function planSide(side: NamedTarget, runs: TargetRuns): Promise<Side> {
  const { chosen, seed, trialsOf, nodesOf, whyUseless, shard } = runs;
  const isOurs = shard === undefined ? () => true : membersOf(shard, { chosen, seed, trials: mostTrials(runs) });
  const { target: loaded, whyNotRun } = await abilitiesOf(side.target.ref);
  const trials: PlannedTrial[] = [];
  const notRun: NotRun[] = [];
  for (const source of chosen) {
    const { scenario, suite } = source;
    const seeds = Array.from({ length: trialsOf(scenario.id) }, (_, index) => seed + index).filter(
      (one) => isOurs(scenario.id, one) && side.isDone?.({ scenario: scenario.id, seed: one }) !== true,
    );
    const unable = whyNotRun(scenario);
    const reasons = new Map(seeds.map((one) => [one, unable ?? whyUseless?.(scenario, one)]));
    const runnable = seeds.filter((one) => reasons.get(one) === undefined);
    if (runnable.length > 0) trials.push(...(await planTrials(source, side.target, runnable, { nodes: nodesOf(scenario.id) })));
    for (const [one, reason] of reasons) {
      if (reason !== undefined) notRun.push({ scenario: scenario.id, title: scenario.title, suite, seed: one, reason });
    }
  }
  return { ...side, loaded, trials, notRun };
}

/** The trials of a side that its review left out. */
function leftOutOf(letter: string, reviewed: ReviewedEnd | undefined): NotRun[] {
  if (reviewed === undefined) return [];
  return reviewed.left.filter((one) => one.letter === letter).map(({ trial }) => notRunFacts(trial, reviewed.why));
}

/**
 * Rounds of one trial of each side with the same scenario and seed: those of the first scenarios, then by seed, so that as soon as
 * possible each scenario has had a trial. Each trial writes to the directory of its side.
 */
function interleave(sides: readonly Side[], first: readonly string[]): SideTrial[][] {
  const rounds = new Map<string, SideTrial[]>();
  for (const { letter, trials } of sides) {
    for (const trial of trials) {
      const round = rounds.get(trial.history) ?? [];
      rounds.set(trial.history, round);
      round.push({ letter, trial: { ...trial, history: join(letter, trial.history) } });
    }
  }
  const ranked = [...rounds.values()].flatMap((round) => {
    const [one] = round;
    return one === undefined ? [] : [{ round, rank: first.includes(one.trial.scenario.id) ? 0 : 1, seed: one.trial.seed }];
  });
  return ranked.sort((a, b) => a.rank - b.rank || a.seed - b.seed).map(({ round }) => round);
}

/** The run facts of one side. */
function factsOf({ letter, target, loaded, trials, notRun }: Side, runs: TargetRuns, startedAt: string): Promise<RunFacts> {
  const { chosen, manifests, seed, shard } = runs;
  const id = `${startedAt.replaceAll(':', '-')}-${letter}`;
  return describeRun({
    id,
    startedAt,
    chosen,
    target,
    loaded,
    world: undefined,
    nodes: DEFAULT_NODES,
    seed,
    trials: mostTrials(runs),
    shard,
    planned: trials,
    notRun,
    ...defined({ manifests: manifests && { ...manifests, strict: false } }),
  });
}
