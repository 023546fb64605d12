import { whyNoCrashPoints } from '../harness/crash-points.ts';
import type { CrashName } from '../harness/crash-points.ts';
import { whyNotRun } from '../harness/engine.ts';
import { planCrashes, planTrials } from '../harness/run.ts';
import type { PlannedTrial, TrialEnd } from '../harness/run.ts';
import { worldFor } from '../harness/world-for.ts';
import type { WorldRef } from '../harness/world-for.ts';
import type { NotRun } from '../history/verdict.ts';
import type { RunFacts, Shard } from '../reports/report-input.ts';
import type { Target } from '../targets/target.ts';
import type { ChosenScenario, ChosenTarget } from './choose.ts';
import { plannedFacts } from './run-facts.ts';
import { UsageError } from './usage-error.ts';

/** What decides the trials of a run. */
export interface TrialChoice {
  readonly chosen: readonly ChosenScenario[];
  readonly target: ChosenTarget;
  readonly seed: number;
  readonly trials: number;
  /** Number of nodes, for scenarios that do not set their own. */
  readonly nodes: number;
  /** The embedded world by default. */
  readonly world: WorldRef | undefined;
  /** Only this part of the trials. */
  readonly shard?: Shard | undefined;
  /** Scenarios in which the target is also killed, or upgraded, at its side effects; none by default. */
  readonly crashPoints?: CrashChoice;
  /** The target is not upgraded, as in a trial that counts its side effects. */
  readonly withoutUpgrade?: boolean;
  /** Only these of the trials; by default all. */
  readonly only?: TrialSubset;
}

/** Some of the trials of a choice. */
export interface TrialSubset {
  has(scenario: string, seed: number): boolean;
  /** Whether crash points of a scenario are run: it needs no mark for them, and a mark alone is not enough. */
  hasCrashPoints(scenario: string): boolean;
}

/**
 * `marked`: in marked scenarios; if trials of the target are heavy, only if the user requested it. `all`: in every scenario; `only`:
 * at this point alone.
 */
export type CrashChoice =
  { readonly of: 'marked'; readonly isAsked: boolean } | { readonly of: 'all'; readonly only?: CrashName | undefined };

/** The trials of a run, before the first one starts. */
export interface Plan {
  readonly trials: readonly PlannedTrial[];
  readonly notRun: readonly NotRun[];
  /** Ids of scenarios whose first trial counts all side effects. */
  readonly crashed: ReadonlySet<string>;
  /** Why crash points of other marked scenarios are skipped, by id. */
  readonly leftOut: ReadonlyMap<string, string>;
}

/** The result of counting side effects. */
interface Crashes {
  readonly trials: readonly PlannedTrial[];
  /** Why the side effects of a scenario could not be counted, by its id. */
  readonly uncounted: ReadonlyMap<string, string>;
}

/** The trials in which the target is killed or upgraded at a side effect: for each scenario, with its first seed. */
export function planCrashTrials(
  { trials, crashed }: Plan,
  ends: readonly TrialEnd[],
  { directory, choice }: { readonly directory: string; readonly choice: CrashChoice | undefined },
): Crashes {
  const uncounted = new Map<string, string>();
  const only = choice?.of === 'all' ? choice.only : undefined;
  const planned = [...crashed].flatMap((id) => {
    const index = trials.findIndex(({ scenario }) => scenario.id === id);
    const [trial, end] = [trials[index], ends[index]];
    if (trial === undefined || end === undefined) return [];
    const crashes = planCrashes(trial, end, { directory, only });
    if ('trials' in crashes) return crashes.trials;
    uncounted.set(id, crashes.uncounted);
    return [];
  });
  return { trials: planned, uncounted };
}

/** The facts of a run that ended before its crash points. @param why it did */
export function withoutCrashes(facts: RunFacts, why: string): RunFacts {
  return {
    ...facts,
    scenarios: facts.scenarios.map((scenario) =>
      scenario.crashPoints === undefined ? scenario : { ...scenario, crashPoints: { leftOut: why, ...scenario.crashPoints } },
    ),
  };
}

/** The facts of a run, with its crash points. */
export function withCrashes(facts: RunFacts, { trials, uncounted }: Crashes): RunFacts {
  return {
    ...facts,
    scenarios: facts.scenarios.map((scenario) => {
      const why = uncounted.get(scenario.id);
      return why === undefined ? scenario : { ...scenario, crashPoints: { uncounted: why } };
    }),
    planned: [...facts.planned, ...trials.map(plannedFacts)],
  };
}

/**
 * Scenarios are in the order of their suites, with all seeds of a scenario together.
 * @throws UsageError for a shard without trials, and if requested crash points can't be run
 */
export async function planRun(options: TrialChoice, target: Target): Promise<Plan> {
  const trials: PlannedTrial[] = [];
  const notRun: NotRun[] = [];
  const crashed = new Set<string>();
  const leftOut = new Map<string, string>();
  const { capabilities } = worldFor(target, options.world).facts;
  const allSeeds = Array.from({ length: options.trials }, (_, index) => options.seed + index);
  for (const source of options.chosen) {
    const seeds = allSeeds.filter((seed) => options.only?.has(source.scenario.id, seed) !== false);
    const reason = whyNotRun(source.scenario, target, capabilities);
    if (reason === undefined) {
      const { id, crashPoints = false } = source.scenario;
      if (options.only?.hasCrashPoints(id) ?? (crashPoints || options.crashPoints?.of === 'all')) {
        const why = whyLeftOut(options.crashPoints, target) ?? whyNoCrashPoints(capabilities) ?? whyNoUpgrade(options.crashPoints, target);
        if (why !== undefined && options.crashPoints?.of === 'all') throw new UsageError(`${id}: crash points can't be run: ${why}`);
        if (why === undefined) crashed.add(id);
        else leftOut.set(id, why);
      }
      const { nodes, world } = options;
      const withoutUpgrade = crashed.has(id) || options.withoutUpgrade === true;
      trials.push(...(await planTrials(source, options.target, seeds, { nodes, world, withoutUpgrade })));
    } else {
      const { scenario, suite } = source;
      notRun.push(...seeds.map((seed) => ({ scenario: scenario.id, title: scenario.title, suite, seed, reason })));
    }
  }
  return shardOf({ trials, notRun, crashed, leftOut }, options);
}

/** Why crash points are skipped, although the world supports them. */
function whyLeftOut(choice: CrashChoice | undefined, { cost }: Target): string | undefined {
  if (choice === undefined) return 'they were not requested';
  if (choice.of === 'all' || choice.isAsked || cost !== 'heavy') return undefined;
  return 'they are hundreds of trials, and each takes many seconds with this target; request them with --crash-points';
}

function whyNoUpgrade(choice: CrashChoice | undefined, { name, upgradesTo }: Target): string | undefined {
  const isAsked = choice?.of === 'all' && choice.only?.moment === 'upgrade';
  return isAsked && upgradesTo === undefined ? `${name} is not an upgrade, FROM..TO` : undefined;
}

/** Which trials of a run belong to a shard: every n-th one, by scenario and then by seed. */
export function membersOf(
  { number, of }: Shard,
  { chosen, seed: first, trials }: Pick<TrialChoice, 'chosen' | 'seed' | 'trials'>,
): (scenario: string, seed: number) => boolean {
  const places = new Map(chosen.map(({ scenario }, index) => [scenario.id, index * trials]));
  return (scenario, seed) => ((places.get(scenario) ?? 0) + seed - first) % of === number - 1;
}

/** One shard of a plan. A scenario's crash points belong to its first seed. */
function shardOf(plan: Plan, { shard, chosen, seed: first, trials }: Pick<TrialChoice, 'shard' | 'chosen' | 'seed' | 'trials'>): Plan {
  if (shard === undefined) return plan;
  const isOurs = membersOf(shard, { chosen, seed: first, trials });
  const own = plan.trials.filter(({ scenario, seed }) => isOurs(scenario.id, seed));
  const notRun = plan.notRun.filter(({ scenario, seed }) => isOurs(scenario, seed));
  if (own.length + notRun.length === 0)
    throw new UsageError(`--shard ${shard.number}/${shard.of}: there are only ${plan.trials.length} trials; use fewer shards`);
  return { ...plan, trials: own, notRun, crashed: new Set([...plan.crashed].filter((id) => isOurs(id, first))) };
}

/** What is known of a scenario's crash points before they run; undefined if it has none. */
export function crashPointsOf({ crashed, leftOut }: Plan, id: string): RunFacts['scenarios'][number]['crashPoints'] {
  const why = leftOut.get(id);
  if (why !== undefined) return { leftOut: why };
  return crashed.has(id) ? {} : undefined;
}

/** A planned trial that was not run. */
export function notRunFacts({ scenario, suite, seed }: PlannedTrial, reason: string): NotRun {
  return { scenario: scenario.id, title: scenario.title, suite, seed, reason };
}
