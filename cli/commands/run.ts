import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import type { NotRun } from '../../history/verdict.ts';
import { whyNoCrashPoints } from '../../harness/crash-points.ts';
import type { CrashName } from '../../harness/crash-points.ts';
import { whyNotRun } from '../../harness/engine.ts';
import { loadTarget } from '../../harness/load.ts';
import { planCrashes, planTrials, runTrials } from '../../harness/run.ts';
import type { PlannedTrial, TrialEnd } from '../../harness/run.ts';
import { worldFor } from '../../harness/world-for.ts';
import type { WorldRef } from '../../harness/world-for.ts';
import { defined } from '../../model/defined.ts';
import { timeName } from '../../reports/clock.ts';
import { gapVerdicts } from '../../reports/manifests.ts';
import type { ManifestsFacts, RunFacts, Shard } from '../../reports/report-input.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import type { Profile } from '../../history/events.ts';
import type { Target } from '../../targets/target.ts';
import { chooseTarget } from '../choose.ts';
import type { ChosenScenario } from '../choose.ts';
import type { Console } from '../console.ts';
import { interruption } from '../interruption.ts';
import { selectScenarios } from '../manifests.ts';
import { writeSetUp } from '../target-set-up.ts';
import { whileUp } from '../world-host.ts';
import type { WorldHost, WorldUp } from '../world-host.ts';
import { prepareTarget } from '../prepare-targets.ts';
import { Progress } from '../progress.ts';
import { exitCodeOf, hasUnknownCrashes } from '../exit-code.ts';
import { reportTrial } from '../report-trial.ts';
import { createRunDirectory, writeRunFacts } from '../run-directory.ts';
import { describeRun, plannedFacts } from '../run-facts.ts';
import { printRun, writeReports } from '../write-reports.ts';
import { EXIT, UsageError } from '../usage-error.ts';

/** The flags of `run`, parsed. */
export interface RunOptions {
  readonly suites: readonly string[];
  readonly profiles?: readonly Profile[];
  readonly scenarios: readonly string[];
  /** A directory with the user's manifests: only the scenarios made from them run. */
  readonly manifests: string | undefined;
  /** With manifests: the run does not pass if a workload is not shown to be served. */
  readonly strict?: boolean;
  readonly target: string;
  readonly seed: number;
  readonly trials: number;
  /** Number of nodes, for scenarios that do not set their own. */
  readonly nodes: number;
  /** The embedded world by default. */
  readonly world: WorldRef | undefined;
  /** What has to run while trials do. */
  readonly host?: WorldHost;
  /** Only this part of the trials. */
  readonly shard?: Shard | undefined;
  readonly out: string | undefined;
  /** The number of processors by default. */
  readonly workers: number | undefined;
  /** Number of clusters in the kind world. */
  readonly clusters?: number | undefined;
  /** Scenarios in which the target is also killed at its side effects; none by default. */
  readonly crashPoints?: CrashChoice;
  readonly json: boolean;
}

/**
 * `marked`: in marked scenarios; if trials of the target are heavy, only if the user requested it. `all`: in every scenario; `only`:
 * at this point alone.
 */
export type CrashChoice =
  { readonly of: 'marked'; readonly isAsked: boolean } | { readonly of: 'all'; readonly only?: CrashName | undefined };

/** `scaleproof run`: runs scenarios against a target, judges them and writes the run directory. */
export async function run(options: RunOptions, console: Console): Promise<number> {
  const { manifests: directory, strict = false, suites, profiles, scenarios, ...how } = options;
  if (strict && directory === undefined)
    throw new UsageError('--strict is about the workloads of --manifests: name a directory, or leave it out');
  const target = chooseTarget(options.target);
  const { chosen, nodes, manifests } = await selectScenarios({ suites, profiles, scenarios, manifests: directory }, console);
  const facts = defined({ manifests: manifests && { ...manifests, strict } });
  return runChosen({ ...how, chosen, nodes: directory === undefined ? how.nodes : Math.max(how.nodes, nodes), ...facts, target }, console);
}

const CRASH_TRIALS = 'crash points, each a trial in which the target is killed at one of its side effects';

/** A run whose scenarios and target are known. */
export type ChosenRun = Omit<RunOptions, 'suites' | 'profiles' | 'scenarios' | 'manifests' | 'strict' | 'target'> & {
  readonly chosen: readonly ChosenScenario[];
  readonly manifests?: ManifestsFacts;
  readonly target: ReturnType<typeof chooseTarget>;
};

/** Runs the chosen scenarios. @param print prints the report @returns the exit code */
export async function runChosen(chosenRun: ChosenRun, console: Console, print: typeof printRun = printRun): Promise<number> {
  if (chosenRun.chosen.length === 0) throw new UsageError('these flags select no scenario');
  const options = { ...chosenRun, target: await prepareTarget(chosenRun.target, console) };
  const target = await loadTarget(options.target.ref);
  refuseParallelTrials(target, options);
  const plan = await planRun(options, target);
  if ((await options.host?.agree?.({ target, trials: plan.trials.length })) === false) return EXIT.pass;
  const interrupted = interruption();
  try {
    return await carryOut(options, { target, plan, signal: interrupted.signal, print }, console);
  } finally {
    interrupted.release();
  }
}

/** An external target has fixed addresses in its file, so it can serve only one trial at a time. */
function refuseParallelTrials({ name, external }: Target, { workers = 1, clusters = 1 }: Pick<RunOptions, 'workers' | 'clusters'>): void {
  if (external === undefined) return;
  for (const [flag, count] of Object.entries({ workers, clusters }))
    if (count > 1)
      throw new UsageError(`--${flag} ${count}: ${name} uses the addresses in its file, which serve one trial at a time; leave it out`);
}

/** Runs the plan and writes the run directory, from its first file to its reports. @returns the exit code */
async function carryOut(
  options: ChosenRun,
  {
    target,
    plan,
    signal,
    print,
  }: { readonly target: Target; readonly plan: Plan; readonly signal: AbortSignal; readonly print: typeof printRun },
  console: Console,
): Promise<number> {
  const clock = createRealTimeline().scope('command');
  const startedAtMs = clock.nowMs();
  const startedAt = new Date(startedAtMs).toISOString();
  const directory = createRunDirectory(options.out, startedAt);
  let facts = await describeRun({
    ...options,
    id: basename(directory),
    startedAt,
    loaded: target,
    planned: plan.trials,
    notRun: plan.notRun,
    crashPointsOf: (id) => crashPointsOf(plan, id),
  });
  writeRunFacts(directory, facts);

  const progress = new Progress(console, { total: plan.trials.length, clock, timeName: timeName(facts) });
  const trials: PlannedTrial[] = [...plan.trials];
  let ec2: WorldUp['ec2'];
  const work = async (up: WorldUp | undefined): Promise<TrialEnd[]> => {
    ec2 = up?.ec2;
    if (target.external !== undefined) for (const line of writeSetUp(target.external, directory, up?.worlds[0])) console.err(`${line}\n`);
    const how = {
      directory,
      // A cluster takes one trial at a time.
      workers: up?.worlds.length ?? (target.external === undefined ? (options.workers ?? availableParallelism()) : 1),
      ...defined({ worlds: up?.worlds, environment: up?.environment }),
      signal,
      onBegin: (trial: PlannedTrial) => progress.begin(trial),
      onEnd: (trial: PlannedTrial, end: TrialEnd) => progress.end(trial, end),
    };
    try {
      const ends = await runTrials(plan.trials, how);
      if (signal.aborted || plan.crashed.size === 0) return ends;
      const crashes = planCrashTrials(plan, ends, { directory, choice: options.crashPoints });
      facts = withCrashes(facts, crashes);
      writeRunFacts(directory, facts);
      trials.push(...crashes.trials);
      progress.add(crashes.trials.length, CRASH_TRIALS);
      return [...ends, ...(await runTrials(crashes.trials, how))];
    } finally {
      progress.close();
    }
  };
  const done = await whileUp(options.host, { signal, directory, console }, work, allPassed);
  const ends: readonly TrialEnd[] = 'result' in done ? done.result : [];
  const whyNotBegun = 'reason' in done ? done.reason : 'the run was interrupted before it started';

  // A trial whose process failed to load its modules has no history: it is unknown, and the others still count.
  const refusals = new Set(ends.flatMap((end) => (end.kind === 'refused' ? [end.message] : [])));
  for (const message of refusals) console.err(`scaleproof: ${message.replaceAll('\n', ' ')}\n`);
  const judged = ends.filter((end) => end.kind === 'judged');
  // Crash points that never started are listed in their own table.
  const notStarted = trials
    .filter(({ crash }, index) => crash === undefined && (ends[index]?.kind ?? 'not-begun') === 'not-begun')
    .map((trial) => notRunFacts(trial, whyNotBegun));
  const parts = options.host?.times ?? [];
  const finished: RunFacts = {
    ...facts,
    world: { ...facts.world, ...defined({ ec2, parts: parts.length === 0 ? undefined : [...parts] }) },
    notRun: [...facts.notRun, ...notStarted],
    wallMs: clock.nowMs() - startedAtMs,
  };
  writeRunFacts(directory, finished);
  const input = { run: finished, trials: judged.map((trial) => reportTrial(directory, trial)), notRun: finished.notRun };
  const report = writeReports(directory, input);
  if (options.json) console.out(`${JSON.stringify({ directory, ...report }, undefined, 2)}\n`);
  else print(report, directory, console);
  return exitCodeOf(
    [...judged.map(({ result }) => result.verdict), ...gapVerdicts(finished.manifests)],
    hasUnknownCrashes(report) || signal.aborted || refusals.size > 0 || 'reason' in done || done.isLeft,
  );
}

interface Plan {
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

/** The trials in which the target is killed: for each scenario, with its first seed. */
function planCrashTrials(
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

/** The facts of a run, with its crash points. */
function withCrashes(facts: RunFacts, { trials, uncounted }: Crashes): RunFacts {
  return {
    ...facts,
    scenarios: facts.scenarios.map((scenario) => {
      const why = uncounted.get(scenario.id);
      return why === undefined ? scenario : { ...scenario, crashPoints: { uncounted: why } };
    }),
    planned: [...facts.planned, ...trials.map(plannedFacts)],
  };
}

/** Scenarios are in the order of their suites, with all seeds of a scenario together. */
async function planRun(options: ChosenRun, target: Target): Promise<Plan> {
  const trials: PlannedTrial[] = [];
  const notRun: NotRun[] = [];
  const crashed = new Set<string>();
  const leftOut = new Map<string, string>();
  const { capabilities } = worldFor(target, options.world).facts;
  const seeds = Array.from({ length: options.trials }, (_, index) => options.seed + index);
  for (const source of options.chosen) {
    const reason = whyNotRun(source.scenario, target, capabilities);
    if (reason === undefined) {
      const { id, crashPoints = false } = source.scenario;
      if (crashPoints || options.crashPoints?.of === 'all') {
        const why = whyLeftOut(options.crashPoints, target) ?? whyNoCrashPoints(capabilities);
        if (why !== undefined && options.crashPoints?.of === 'all') throw new UsageError(`${id}: crash points can't be run: ${why}`);
        if (why === undefined) crashed.add(id);
        else leftOut.set(id, why);
      }
      trials.push(...(await planTrials(source, options.target, seeds, { nodes: options.nodes, world: options.world })));
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

/** One shard of a plan: every n-th of its trials. A scenario's crash points belong to its first seed. */
function shardOf(plan: Plan, { shard, chosen, seed: first, trials }: Pick<ChosenRun, 'shard' | 'chosen' | 'seed' | 'trials'>): Plan {
  if (shard === undefined) return plan;
  const places = new Map(chosen.map(({ scenario }, index) => [scenario.id, index * trials]));
  const isOurs = (id: string, seed: number): boolean => ((places.get(id) ?? 0) + seed - first) % shard.of === shard.number - 1;
  const own = plan.trials.filter(({ scenario, seed }) => isOurs(scenario.id, seed));
  const notRun = plan.notRun.filter(({ scenario, seed }) => isOurs(scenario, seed));
  if (own.length + notRun.length === 0)
    throw new UsageError(`--shard ${shard.number}/${shard.of}: there are only ${plan.trials.length} trials; use fewer shards`);
  return { ...plan, trials: own, notRun, crashed: new Set([...plan.crashed].filter((id) => isOurs(id, first))) };
}

function crashPointsOf({ crashed, leftOut }: Plan, id: string): RunFacts['scenarios'][number]['crashPoints'] {
  const why = leftOut.get(id);
  if (why !== undefined) return { leftOut: why };
  return crashed.has(id) ? {} : undefined;
}

function notRunFacts({ scenario, suite, seed }: PlannedTrial, reason: string): NotRun {
  return { scenario: scenario.id, title: scenario.title, suite, seed, reason };
}

/** If everything passed, nobody needs the world's logs. */
function allPassed(ends: readonly TrialEnd[]): boolean {
  return ends.every((end) => end.kind === 'judged' && end.result.verdict === 'pass');
}
