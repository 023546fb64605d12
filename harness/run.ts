import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HistoryError, readHistory } from '../history/reader.ts';
import type { TrialResult } from '../history/verdict.ts';
import { defined } from '../model/defined.ts';
import { createRealTimeline } from '../runtime/timeline.ts';
import { offeringsToTry } from './offerings-to-try.ts';
import { whyNotRun } from './engine.ts';
import { MAX_SIDE_EFFECTS, crashPointsOf, sideEffectsOf, specifyCrash } from './crash-points.ts';
import type { CrashName, CrashSpec } from './crash-points.ts';
import { loadScenario, loadTarget, scenarioDigestOf, targetDigestOf } from './load.ts';
import type { ModuleRef, TargetRef } from './load.ts';
import { judgeTrial } from './judge-trial.ts';
import type { JudgedTrial } from './judge-trial.ts';
import type { Scenario } from './scenario.ts';
import { realTimeLimitMs } from './real-time-limit.ts';
import { formatReplayLine, parseReplayLine } from './replay-line.ts';
import { superviseTrials } from './supervisor.ts';
import type { TrialLimits, TrialOutcome, TrialRunner } from './supervisor.ts';
import { DEFAULT_NODES } from './trial-spec.ts';
import type { PhaseBegun, TrialCost, TrialSpec } from './trial-spec.ts';
import { catalogueFor, replayWorld, worldFor } from './world-for.ts';
import type { WorldRef } from './world-for.ts';

/** One planned trial: what the child needs, and its labels in a run directory. */
export interface PlannedTrial {
  readonly scenario: { readonly id: string; readonly title: string };
  readonly suite: string;
  readonly ref: ModuleRef;
  readonly digest: string;
  readonly target: TargetRef;
  /** The target's name, or its path as the user gave it. */
  readonly targetLabel: string;
  readonly seed: number;
  readonly nodes: number;
  /** By default the embedded one. */
  readonly world?: WorldRef;
  /** Where the target is killed or upgraded; absent if it is nowhere. */
  readonly crash?: CrashSpec;
  /** A target that is an upgrade is not upgraded: its side effects are counted. */
  readonly withoutUpgrade?: true;
  /** Longest that it may take; in real time only. */
  readonly wallMs: number | undefined;
  /** Most resident memory of its process, if the target declares it. */
  readonly memoryMiB?: number;
  readonly heavy?: true;
  readonly long?: true;
  readonly replay: string;
  /** Name of its history within the run directory. */
  readonly history: string;
}

/** The source of one scenario's trials. */
export interface TrialSource {
  readonly ref: ModuleRef;
  readonly scenario: Pick<Scenario, 'id' | 'title' | 'profile' | 'pools' | 'mostNodes' | 'leastNodes' | 'podStopMs'>;
  readonly suite: string;
  /** The scenario's id, or its path as the user gave it; it goes into replay lines. */
  readonly label: string;
}

/**
 * Plans the trials of one scenario, one for each seed.
 * @param options.withoutUpgrade the first trial does not upgrade the target, so that its side effects are counted
 * @throws LoadError when the target can't be loaded
 */
export async function planTrials(
  source: TrialSource,
  target: { readonly ref: TargetRef; readonly label: string },
  seeds: readonly number[],
  options: { readonly nodes?: number; readonly world?: WorldRef | undefined; readonly withoutUpgrade?: boolean } = {},
): Promise<PlannedTrial[]> {
  const { nodes: chosen = DEFAULT_NODES, world } = options;
  const { scenario, suite, ref, label } = source;
  const nodes = Math.max(chosen, scenario.leastNodes ?? 0);
  const long = scenario.profile === 'endurance' ? (true as const) : undefined;
  const digest = await scenarioDigestOf(ref);
  const targetDigest = await targetDigestOf(target.ref);
  const loaded = await loadTarget(target.ref);
  const catalogue = catalogueFor(loaded, world, scenario.pools);
  const offerings = offeringsToTry(loaded, scenario.pools, catalogue.types.values());
  const limitMs = realTimeLimitMs(loaded.constants, worldFor(loaded, world), {
    nodes,
    offerings,
    pools: scenario.pools,
    ...defined({ mostNodes: scenario.mostNodes, podStopMs: scenario.podStopMs }),
  });
  const wallMs = limitMs === undefined ? undefined : limitMs + (loaded.external?.withinMs ?? 0);
  const names = { scenario: label, scenarioDigest: digest, target: target.label, targetDigest, catalogueDigest: catalogue.digest };
  const counted = options.withoutUpgrade === true && loaded.upgradesTo !== undefined ? seeds[0] : undefined;
  return seeds.map((seed) => ({
    scenario: { id: scenario.id, title: scenario.title },
    suite,
    ref,
    digest,
    target: target.ref,
    targetLabel: target.label,
    seed,
    nodes,
    ...defined({ world }),
    wallMs,
    ...defined({ memoryMiB: loaded.memoryMiB, heavy: loaded.cost === 'heavy' ? (true as const) : undefined, long }),
    ...(seed === counted ? { withoutUpgrade: true } : {}),
    replay: formatReplayLine({ ...names, seed, nodes, ...(world && replayWorld(world)), ...(seed === counted ? { upgrade: 'none' } : {}) }),
    history: `histories/${scenario.id.replaceAll(/[^a-z0-9-]+/gi, '.')}-seed-${seed}.jsonl`,
  }));
}

/** How a planned trial ended. */
export type TrialEnd =
  /** `cost`: of the trial's process, without judging; unknown if the process was ended from outside. */
  | ({ readonly kind: 'judged'; readonly cost?: TrialCost } & JudgedTrial)
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'not-begun' };

/**
 * Plans the trials that kill or upgrade the target at its side effects, from a trial in which they can be counted.
 * @param only just this crash point
 * @returns the trials, or why the side effects can't be counted
 */
export function planCrashes(
  counted: PlannedTrial,
  end: TrialEnd,
  { directory, only }: { readonly directory: string; readonly only?: CrashName | undefined },
): { readonly trials: readonly PlannedTrial[] } | { readonly uncounted: string } {
  if (end.kind !== 'judged' || end.result.verdict !== 'pass') return { uncounted: 'the trial without a crash did not pass' };
  const effects = sideEffectsOf(readHistory(join(directory, counted.history)).events);
  const points = only === undefined ? crashPointsOf(effects, { isUpgrade: counted.withoutUpgrade === true }) : [only];
  const had = `the trial without a crash has ${effects.length} side effects`;
  if (points.length === 0 || points.some(({ nth }) => nth > effects.length)) return { uncounted: had };
  if (effects.length > MAX_SIDE_EFFECTS) return { uncounted: `${had}, and ${MAX_SIDE_EFFECTS} are the most` };
  const line = parseReplayLine(counted.replay);
  const trials = points.map((point) => ({
    ...counted,
    crash: specifyCrash(point, effects),
    replay: formatReplayLine({ ...line, upgrade: undefined, crash: point }),
    history: counted.history.replace(/\.jsonl$/, `-${point.moment}-${point.nth}.jsonl`),
  }));
  return { trials };
}

/** How trials are run. */
export interface RunOptions {
  /** The run directory; `histories` exists in it. */
  readonly directory: string;
  readonly workers: number;
  readonly signal: AbortSignal;
  /** Asked before each trial; if false, no further trial begins, and running ones go on. By default always true. */
  readonly mayBegin?: () => boolean;
  readonly limits?: TrialLimits;
  /** The world of each worker's trials, one per worker; by default the world they were planned for. */
  readonly worlds?: readonly WorldRef[];
  /** Extra environment variables for the processes of trials. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Replaces the workers, with their limits and environment: runs all trials and stays open for the caller. */
  readonly runner?: TrialRunner;
  readonly onBegin?: (trial: PlannedTrial) => void;
  readonly onPhase?: (trial: PlannedTrial, begun: PhaseBegun) => void;
  readonly onEnd?: (trial: PlannedTrial, end: TrialEnd) => void;
}

/** Runs trials and judges their histories. The ends are in the order of the trials, whatever the number of workers. */
export async function runTrials(trials: readonly PlannedTrial[], options: RunOptions): Promise<TrialEnd[]> {
  const { directory, workers, signal, mayBegin, limits, worlds, environment, runner, onBegin, onPhase, onEnd } = options;
  const specs = trials.map((trial) => specOf(trial, directory));
  const planned = new Map(specs.map((spec, index) => [spec, trials[index] as PlannedTrial]));
  const ends = new Map<TrialSpec, TrialEnd>();
  const finish = (spec: TrialSpec, outcome: TrialOutcome): void => {
    const trial = planned.get(spec) as PlannedTrial;
    const end = outcome.kind === 'recorded' ? judgeOrRefuse(trial, directory, outcome.cost) : outcome;
    ends.set(spec, end);
    onEnd?.(trial, end);
  };
  await superviseTrials(specs, {
    workers,
    clock: createRealTimeline().scope('supervisor'),
    signal,
    ...defined({ mayBegin, limits, environment, runner }),
    assign: (spec, worker) => {
      const world = worlds?.[worker];
      return world === undefined ? spec : { ...spec, world };
    },
    onBegin: (spec) => onBegin?.(planned.get(spec) as PlannedTrial),
    onPhase: (spec, begun) => onPhase?.(planned.get(spec) as PlannedTrial, begun),
    onEnd: finish,
  });
  return specs.map((spec) => ends.get(spec) ?? { kind: 'not-begun' });
}

/** All that a process needs to run a planned trial. @param directory the run directory */
export function specOf(trial: PlannedTrial, directory: string): TrialSpec {
  return {
    scenario: trial.ref,
    suite: trial.suite,
    scenarioDigest: trial.digest,
    target: trial.target,
    seed: trial.seed,
    nodes: trial.nodes,
    ...defined({ world: trial.world, crash: trial.crash, withoutUpgrade: trial.withoutUpgrade }),
    ...defined({ wallMs: trial.wallMs, memoryMiB: trial.memoryMiB, heavy: trial.heavy, long: trial.long }),
    historyPath: join(directory, trial.history),
  };
}

/** A history that can't be read says nothing about the target, and must not end the run. */
function judgeOrRefuse(trial: PlannedTrial, directory: string, cost: TrialCost | undefined): TrialEnd {
  try {
    return { kind: 'judged', ...judgeTrial(trial, directory), ...defined({ cost }) };
  } catch (error) {
    if (error instanceof HistoryError) return { kind: 'refused', message: error.message };
    throw error;
  }
}

/**
 * Runs one trial of a scenario in a process and judges it, as the command does.
 * @param options.directory an existing directory with a folder `histories`
 * @throws LoadError when scenario or target can't be loaded
 * @throws Error when target or world lack what the scenario needs
 */
export async function runTrial(options: {
  readonly scenario: ModuleRef;
  /** Goes into the replay line: the id of a bundled scenario; by default the module's path and its export. */
  readonly label?: string;
  readonly suite?: string;
  readonly target?: TargetRef;
  readonly seed?: number;
  /** By default the embedded one. */
  readonly world?: WorldRef;
  readonly directory: string;
  readonly limits?: TrialLimits;
  /** Extra environment variables for the trial's process. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Replaces the trial's own process, with its limits and environment. */
  readonly runner?: TrialRunner;
}): Promise<TrialResult> {
  const { scenario: ref, suite = 'user', target = { name: 'reference' }, seed = 1, world } = options;
  const { directory, limits, environment, runner } = options;
  const scenario = await loadScenario(ref);
  const loaded = await loadTarget(target);
  const reason = whyNotRun(scenario, loaded, worldFor(loaded, world).facts.capabilities);
  if (reason !== undefined) throw new Error(`${scenario.id} is not run: ${reason}`);
  const targetLabel = 'name' in target ? target.name : labelOf(target);
  const source = { ref, scenario, suite, label: options.label ?? labelOf(ref) };
  const trials = await planTrials(source, { ref: target, label: targetLabel }, [seed], { world });
  const [end] = await runTrials(trials, {
    directory,
    workers: 1,
    signal: new AbortController().signal,
    ...defined({ limits, environment, runner }),
  });
  if (end?.kind === 'judged') return end.result;
  throw new Error(end?.kind === 'refused' ? end.message : `the trial of ${scenario.id} did not begin`);
}

/** A file, or a module's export, as the command's arguments: `./path` and `./path#export`. */
export function labelOf(ref: ModuleRef | { readonly file: string }): string {
  const path = relative('.', fileURLToPath('file' in ref ? ref.file : ref.module)).replaceAll('\\', '/');
  return `${path.startsWith('.') ? '' : './'}${path}${'file' in ref ? '' : `#${ref.export}`}`;
}
