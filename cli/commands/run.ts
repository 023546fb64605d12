import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { loadTarget } from '../../harness/load.ts';
import { runTrials } from '../../harness/run.ts';
import type { PlannedTrial, TrialEnd } from '../../harness/run.ts';
import { replayWorld } from '../../harness/world-for.ts';
import { defined } from '../../model/defined.ts';
import { timeName } from '../../reports/clock.ts';
import { formatCount } from '../../reports/format.ts';
import { describeGaps, gapVerdicts } from '../../reports/manifests.ts';
import type { ManifestsFacts, RunFacts } from '../../reports/report-input.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import type { Target } from '../../targets/target.ts';
import { chooseTarget, isChosen } from '../choose.ts';
import type { ScenarioChoice } from '../choose.ts';
import { chooseRecorded } from '../choose-recorded.ts';
import type { Console } from '../console.ts';
import { readFailedTrials } from '../failed-trials.ts';
import { interruption } from '../interruption.ts';
import { listTrials } from '../list-trials.ts';
import { selectScenarios } from '../manifests.ts';
import { crashPointsOf, notRunFacts, planCrashTrials, planRun, withCrashes, withoutCrashes } from '../plan-run.ts';
import type { Plan, TrialChoice } from '../plan-run.ts';
import { writeSetUp } from '../target-set-up.ts';
import { whileUp } from '../world-host.ts';
import type { WorldHost, WorldUp } from '../world-host.ts';
import { prepareTarget } from '../prepare-targets.ts';
import { Progress } from '../progress.ts';
import { exitCodeOf, hasUnknownCrashes } from '../exit-code.ts';
import { reportTrial } from '../report-trial.ts';
import { createRunDirectory, newestRunDirectory, readRunFacts, writeRunFacts } from '../run-directory.ts';
import { describeRun } from '../run-facts.ts';
import { printRun, writeReports } from '../write-reports.ts';
import { EXIT, UsageError } from '../usage-error.ts';

/** How a run is carried out. */
interface RunSettings {
  /** What has to run while trials do. */
  readonly host?: WorldHost;
  readonly out: string | undefined;
  /** The number of processors by default. */
  readonly workers: number | undefined;
  /** Number of clusters in the kind world. */
  readonly clusters?: number | undefined;
  /** After so many failed trials no further one is started; by default all are. */
  readonly maxFailures?: number;
  readonly json: boolean;
}

/** The flags of `run`, parsed. */
export interface RunOptions extends ScenarioChoice, Omit<TrialChoice, 'chosen' | 'target'>, RunSettings {
  /** A directory with the user's manifests: only the scenarios made from them run. */
  readonly manifests: string | undefined;
  /** With manifests: the run does not pass if a workload is not shown to be served. */
  readonly strict?: boolean;
  readonly target: string;
  /** Only print the trials. */
  readonly list?: boolean;
}

/** A run whose scenarios and target are known. */
export type ChosenRun = TrialChoice & RunSettings & { readonly manifests?: ManifestsFacts };

/** `scaleproof run`: runs scenarios against a target, judges them and writes the run directory. */
export async function run(options: RunOptions, console: Console): Promise<number> {
  const { manifests: directory, strict = false, list = false, suites, profiles, scenarios, grep, grepInvert, ...how } = options;
  const choice = { suites, profiles, scenarios, grep, grepInvert, manifests: directory };
  const target = chooseTarget(options.target);
  const { chosen, nodes: least, manifests } = await selectScenarios(choice, [target], console);
  if (strict && manifests === undefined) throw new UsageError('--strict requires --manifests');
  const nodes = directory === undefined ? how.nodes : Math.max(how.nodes, least);
  const chosenRun = { ...how, chosen, nodes, target, ...defined({ manifests: manifests && { ...manifests, strict } }) };
  return list ? listTrials(chosenRun, console) : runChosen(chosenRun, console);
}

/** The flags of `run --last-failed`, parsed. */
export type RunFailedOptions = Omit<
  RunOptions,
  'suites' | 'scenarios' | 'manifests' | 'strict' | 'seed' | 'trials' | 'target' | 'nodes'
> & {
  /** The run whose trials are repeated; by default the newest one. */
  readonly directory: string | undefined;
  /** The target of that run by default. */
  readonly target: string | undefined;
  /** The number of nodes of that run by default. */
  readonly nodes: number | undefined;
};

/**
 * `scaleproof run --last-failed`: runs the trials of an earlier run again that failed or were unknown.
 * @throws UsageError if there is no such run, or it was in another world
 */
export async function runFailed(options: RunFailedOptions, console: Console): Promise<number> {
  const { directory = newestRunDirectory() } = options;
  const failed = readFailedTrials(directory);
  if (failed === undefined) {
    const { manifests } = readRunFacts(directory);
    const gaps = manifests?.strict === true ? describeGaps(manifests) : undefined;
    if (gaps !== undefined)
      throw new UsageError(
        `no trial failed in ${directory}, but with --strict the run did: ${gaps}. Mend the manifests, and run them again`,
      );
    const print = options.json ? console.err : console.out;
    print(`Nothing failed in ${directory}, so there is nothing to run.\n`);
    return EXIT.pass;
  }
  const world = options.world === undefined ? 'embedded' : replayWorld(options.world).world;
  if (world !== failed.world)
    throw new UsageError(
      `${directory} ran in the world ${failed.world}, and these flags name ${world}; repeat it with the same --world, --machines and --nodes`,
    );
  const { target: targetName = failed.target, nodes = failed.nodes } = options;
  const target = chooseTarget(targetName);
  const all = await Promise.all(failed.scenarios.map((label) => chooseRecorded(label)));
  const chosen = all.filter(({ scenario }) => isChosen(scenario, options));
  if (chosen.length === 0) throw new UsageError(`these flags select no scenario that failed in ${directory}`);
  const { crashPoints, list, ...rest } = options;
  const chosenRun = {
    ...rest,
    chosen,
    target,
    nodes,
    seed: failed.seeds.first,
    trials: failed.seeds.last - failed.seeds.first + 1,
    only: failed.trials,
    ...defined({ crashPoints: crashPoints && ({ of: 'all' } as const) }),
  };
  return list === true ? listTrials(chosenRun, console) : runChosen(chosenRun, console);
}

const CRASH_TRIALS = 'crash points, each at one side effect';

/** Runs the chosen scenarios. @param print prints the report @returns the exit code */
export async function runChosen(chosenRun: ChosenRun, console: Console, print: typeof printRun = printRun): Promise<number> {
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
  let failures = 0;
  const whyStopped = (): string | undefined => reasonToStop(failures, options.maxFailures);
  const work = async (up: WorldUp | undefined): Promise<TrialEnd[]> => {
    ec2 = up?.ec2;
    if (target.external !== undefined) for (const line of writeSetUp(target.external, directory, up?.worlds[0])) console.err(`${line}\n`);
    const how = {
      directory,
      // A cluster takes one trial at a time.
      workers: up?.worlds.length ?? (target.external === undefined ? (options.workers ?? availableParallelism()) : 1),
      ...defined({ worlds: up?.worlds, environment: up?.environment }),
      signal,
      mayBegin: () => whyStopped() === undefined,
      onBegin: (trial: PlannedTrial) => progress.begin(trial),
      onEnd: (trial: PlannedTrial, end: TrialEnd) => {
        if (end.kind === 'judged' && end.result.verdict === 'fail') failures += 1;
        progress.end(trial, end);
      },
    };
    try {
      const ends = await runTrials(plan.trials, how);
      if (signal.aborted || plan.crashed.size === 0) return ends;
      const stopped = whyStopped();
      if (stopped !== undefined) {
        facts = withoutCrashes(facts, stopped);
        return ends;
      }
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
  const whyNotBegun =
    'reason' in done ? done.reason : ((signal.aborted ? undefined : whyStopped()) ?? 'the run was interrupted before it started');

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

/** Why no further trial starts; undefined if all may. */
function reasonToStop(failures: number, max = Infinity): string | undefined {
  return failures < max ? undefined : `the run stopped after ${formatCount(failures, 'failed trial')} (--max-failures ${max})`;
}

/** If everything passed, nobody needs the world's logs. */
function allPassed(ends: readonly TrialEnd[]): boolean {
  return ends.every((end) => end.kind === 'judged' && end.result.verdict === 'pass');
}
