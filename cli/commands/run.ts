import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { readHistory } from '../../history/reader.ts';
import type { NotRun, TrialResult, Verdict } from '../../history/verdict.ts';
import { combine } from '../../history/verdict.ts';
import { resolveBounds } from '../../harness/bounds.ts';
import { whyNotRun } from '../../harness/engine.ts';
import { digestOf, loadTarget, targetDigestOf } from '../../harness/load.ts';
import { planTrials, runTrials } from '../../harness/run.ts';
import type { PlannedTrial, TrialEnd } from '../../harness/run.ts';
import { worldFor } from '../../harness/world-for.ts';
import type { WorldRef } from '../../harness/world-for.ts';
import { countOfferings } from '../../model/offerings.ts';
import { loadCatalogue } from '../../model/instance-catalogue.ts';
import { timeName } from '../../reports/clock.ts';
import { RUN_FORMAT } from '../../reports/report-input.ts';
import type { ReportTrial, RunFacts } from '../../reports/report-input.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import type { Target } from '../../targets/target.ts';
import { chooseScenarios, chooseTarget } from '../choose.ts';
import type { ChosenScenario } from '../choose.ts';
import type { Console } from '../console.ts';
import { interruption } from '../interruption.ts';
import { chooseManifests } from '../manifests.ts';
import { ownVersion } from '../own-version.ts';
import { writeSetUp } from '../target-set-up.ts';
import { whileUp } from '../world-host.ts';
import type { WorldHost, WorldUp } from '../world-host.ts';
import { Progress } from '../progress.ts';
import { createRunDirectory, writeRunFacts } from '../run-directory.ts';
import { printRun, writeReports } from '../write-reports.ts';
import { EXIT, UsageError } from '../usage-error.ts';

/** The flags of `run`, parsed. */
export interface RunOptions {
  readonly suites: readonly string[];
  readonly scenarios: readonly string[];
  /** A directory of the user's own manifests: the scenarios over them, and no others. */
  readonly manifests: string | undefined;
  readonly target: string;
  readonly seed: number;
  readonly trials: number;
  /** What scenarios of a free size shall reach. */
  readonly nodes: number;
  /** By default the embedded one. */
  readonly world: WorldRef | undefined;
  /** What has to be up while trials run in it. */
  readonly host?: WorldHost;
  readonly out: string | undefined;
  /** As many as the machine has processors, if not said otherwise. */
  readonly workers: number | undefined;
  /** Of the kind world, as many as were asked for. */
  readonly clusters?: number | undefined;
  readonly json: boolean;
}

/** `scaleproof run`: runs scenarios against a target, judges them and writes the run directory. */
export async function run(options: RunOptions, console: Console): Promise<number> {
  const found = await (options.manifests === undefined
    ? chooseScenarios(options).then((chosen) => ({ chosen, nodes: 0 }))
    : chooseManifests(options.manifests, options, console));
  const target = chooseTarget(options.target);
  return runChosen({ ...options, chosen: found.chosen, nodes: Math.max(options.nodes, found.nodes), target }, console);
}

/** A run whose scenarios and target are known. */
export type ChosenRun = Omit<RunOptions, 'suites' | 'scenarios' | 'manifests' | 'target'> & {
  readonly chosen: readonly ChosenScenario[];
  readonly target: ReturnType<typeof chooseTarget>;
};

/** Runs what has been chosen. @returns the exit code */
export async function runChosen(options: ChosenRun, console: Console): Promise<number> {
  const target = await loadTarget(options.target.ref);
  if (options.chosen.length === 0) throw new UsageError('no scenario is left by these flags');
  refuseSideBySide(target, options);
  const plan = await planRun(options, target);
  if ((await options.host?.agree?.({ target, trials: plan.trials.length })) === false) return EXIT.pass;
  const interrupted = interruption();
  try {
    return await carryOut(options, { target, plan, signal: interrupted.signal }, console);
  } finally {
    interrupted.release();
  }
}

/** Who listens at addresses that a file states can do that for one trial at a time. */
function refuseSideBySide({ name, external }: Target, { workers = 1, clusters = 1 }: Pick<RunOptions, 'workers' | 'clusters'>): void {
  if (external === undefined) return;
  for (const [flag, count] of Object.entries({ workers, clusters }))
    if (count > 1)
      throw new UsageError(
        `--${flag} ${count}: requests of ${name} are taken at the addresses in its file, by one trial at a time; leave it out`,
      );
}

/** Runs the plan and writes the run directory, from its first file to its reports. @returns the exit code */
async function carryOut(
  options: ChosenRun,
  { target, plan, signal }: { readonly target: Target; readonly plan: Plan; readonly signal: AbortSignal },
  console: Console,
): Promise<number> {
  const clock = createRealTimeline().scope('command');
  const startedAtMs = clock.nowMs();
  const startedAt = new Date(startedAtMs).toISOString();
  const directory = createRunDirectory(options.out, startedAt);
  const facts = await factsOf(options, target, plan, { directory, startedAt });
  writeRunFacts(directory, facts);

  const progress = new Progress(console, { total: plan.trials.length, timeName: timeName(facts) });
  let ec2: WorldUp['ec2'];
  const work = (up: WorldUp | undefined): Promise<TrialEnd[]> => {
    ec2 = up?.ec2;
    if (target.external !== undefined) for (const line of writeSetUp(target.external, directory, up?.worlds[0])) console.err(`${line}\n`);
    return runTrials(plan.trials, {
      directory,
      // A cluster takes one trial at a time.
      workers: up?.worlds.length ?? (target.external === undefined ? (options.workers ?? availableParallelism()) : 1),
      ...(up === undefined ? {} : { worlds: up.worlds, ...(up.environment === undefined ? {} : { environment: up.environment }) }),
      signal,
      onBegin: (trial) => progress.begin(trial),
      onEnd: (trial, end) => progress.end(trial, end),
    }).finally(() => progress.close());
  };
  const done = await whileUp(options.host, { signal, directory, console }, work, isWell);
  const ends: readonly TrialEnd[] = 'result' in done ? done.result : [];
  const whyNotBegun = 'reason' in done ? done.reason : 'the run was interrupted before it began';

  // What could be loaded here and not in a trial's process has no history: it is unknown, and the rest still counts.
  const refusals = new Set(ends.flatMap((end) => (end.kind === 'refused' ? [end.message] : [])));
  for (const message of refusals) console.err(`scaleproof: ${message.replaceAll('\n', ' ')}\n`);
  const results = ends.flatMap((end) => (end.kind === 'judged' ? [end.result] : []));
  const unbegun = plan.trials
    .filter((_trial, index) => (ends[index]?.kind ?? 'not-begun') === 'not-begun')
    .map((trial) => notBegun(trial, whyNotBegun));
  const parts = options.host?.times ?? [];
  const finished: RunFacts = {
    ...facts,
    world: { ...facts.world, ...(ec2 === undefined ? {} : { ec2 }), ...(parts.length === 0 ? {} : { parts: [...parts] }) },
    notRun: [...facts.notRun, ...unbegun],
    wallMs: clock.nowMs() - startedAtMs,
  };
  writeRunFacts(directory, finished);
  const input = { run: finished, trials: results.map((result) => reportTrial(directory, result)), notRun: finished.notRun };
  const report = writeReports(directory, input);
  if (options.json) console.out(`${JSON.stringify({ directory, ...report }, undefined, 2)}\n`);
  else printRun(report, directory, console);
  return exitCodeOf(
    results.map(({ verdict }) => verdict),
    signal.aborted || refusals.size > 0 || 'reason' in done || done.isLeft,
  );
}

/** Fail is 1; a run that is not whole can't be a pass; and nothing run at all proves nothing. */
export function exitCodeOf(verdicts: readonly Verdict[], isPartial = false): number {
  const verdict = combine(verdicts);
  if (verdict === 'fail') return EXIT.fail;
  return verdict === 'pass' && !isPartial ? EXIT.pass : EXIT.unknown;
}

/** A judged trial for the reports; its events are read from the file each time they are asked for, and not kept. */
export function reportTrial(directory: string, result: TrialResult): ReportTrial {
  const path = join(directory, result.history);
  let truncated: boolean | undefined;
  return {
    result,
    get events() {
      const history = readHistory(path);
      truncated = history.truncated;
      return history.events;
    },
    get truncated() {
      return truncated ?? readHistory(path).truncated;
    },
  };
}

interface Plan {
  readonly trials: readonly PlannedTrial[];
  readonly notRun: readonly NotRun[];
}

/** Seeds of one scenario are neighbours; scenarios come in the order of their suites. */
async function planRun(options: ChosenRun, target: Target): Promise<Plan> {
  const trials: PlannedTrial[] = [];
  const notRun: NotRun[] = [];
  const { capabilities } = worldFor(target, options.world).facts;
  const seeds = Array.from({ length: options.trials }, (_, index) => options.seed + index);
  for (const source of options.chosen) {
    const reason = whyNotRun(source.scenario, target, capabilities);
    if (reason === undefined) {
      trials.push(...(await planTrials(source, options.target, seeds, { nodes: options.nodes, world: options.world })));
    } else {
      const { scenario, suite } = source;
      notRun.push(...seeds.map((seed) => ({ scenario: scenario.id, title: scenario.title, suite, seed, reason })));
    }
  }
  refuseSharedHistories(trials);
  return { trials, notRun };
}

/** Two scenarios of one id can't be told apart, neither in the report nor by the files of their histories. */
function refuseSharedHistories(trials: readonly PlannedTrial[]): void {
  const owners = new Map<string, PlannedTrial>();
  for (const trial of trials) {
    const other = owners.get(trial.history);
    if (other !== undefined)
      throw new UsageError(
        `two scenarios have the id "${trial.scenario.id}": "${other.scenario.title}" and "${trial.scenario.title}"; give one of them another id`,
      );
    owners.set(trial.history, trial);
  }
}

async function factsOf(
  options: ChosenRun,
  target: Target,
  plan: Plan,
  { directory, startedAt }: { readonly directory: string; readonly startedAt: string },
): Promise<RunFacts> {
  const { ref, label } = options.target;
  const { facts: world, unseen } = worldFor(target, options.world);
  const digest = await targetDigestOf(ref);
  const catalogue = loadCatalogue();
  return {
    format: RUN_FORMAT,
    id: basename(directory),
    startedAt,
    versions: { scaleproof: ownVersion(), node: process.version },
    seed: options.seed,
    trials: options.trials,
    scenarios: await Promise.all(
      options.chosen.map(async ({ scenario, suite, ref: { module } }) => ({
        id: scenario.id,
        title: scenario.title,
        suite,
        profile: scenario.profile,
        requirements: [...scenario.requirements],
        digest: await digestOf(module),
      })),
    ),
    target: {
      name: label,
      features: [...target.features],
      constants: { ...target.constants },
      ...(digest === undefined ? {} : { digest }),
    },
    world: {
      name: world.name,
      capabilities: [...world.capabilities],
      allowances: { ...world.allowances },
      ...(unseen === undefined ? {} : { unseen: [...unseen] }),
    },
    bounds: Object.values(
      resolveBounds({
        constants: target.constants,
        allowances: world.allowances,
        nodes: options.nodes,
        // Those of the scenario with the most: the bounds of the others are printed beside what was measured.
        offerings: Math.max(0, ...options.chosen.map(({ scenario }) => countOfferings(scenario.pools, catalogue.types.values()))),
      }),
    ),
    digests: { catalogue: catalogue.digest, prices: catalogue.pricesDigest },
    planned: plan.trials.map(({ scenario, suite, seed, replay, history }) => ({
      scenario: scenario.id,
      title: scenario.title,
      suite,
      seed,
      replay,
      history,
    })),
    notRun: [...plan.notRun],
  };
}

function notBegun({ scenario, suite, seed }: PlannedTrial, reason: string): NotRun {
  return { scenario: scenario.id, title: scenario.title, suite, seed, reason };
}

/** Logs of a world in which everything passed are of use to nobody. */
function isWell(ends: readonly TrialEnd[]): boolean {
  return ends.every((end) => end.kind === 'judged' && end.result.verdict === 'pass');
}
