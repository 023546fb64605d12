import { LATENCY_STEPS } from './events.ts';
import type { LatencyStep } from './events.ts';
import type { PodLife } from './lives.ts';
import type { Latency } from './verdict.ts';
import { dueFromMs, instanceOf } from './view.ts';
import type { View } from './view.ts';

/**
 * When a pod reached each step, in milliseconds since the start of the trial: `pending` it was created (or the faults were
 * healed, if it needs that), `request` the target sent the request that launched its node's instance, `instance` that was
 * running, `registered` its Node was created, `ready` the Node was Ready, `running` the pod ran.
 *
 * The steps of a launch exist only for pods whose node was requested after they were pending: the others found a node that
 * existed or was being launched.
 */
type PodTimes = { readonly [step in LatencyStep]?: number };

/** The times of one pod. */
export function podTimes(view: View, pod: PodLife): PodTimes {
  const pending = dueFromMs(view, pod) ?? pod.created?.t;
  const times: { [step in LatencyStep]?: number } = {};
  if (pending !== undefined) times.pending = pending;
  if (pod.running !== undefined) times.running = pod.running.t;
  const { node } = pod;
  const instance = instanceOf(view, node);
  const span = instance?.launched.span;
  const request = span === undefined ? undefined : view.requests.get(span)?.start.t;
  if (node === undefined || instance === undefined || request === undefined || request < (pending ?? 0)) return times;
  times.request = request;
  if (instance.running !== undefined) times.instance = instance.running.t;
  if (node.created !== undefined) times.registered = node.created.t;
  if (node.ready !== undefined) times.ready = node.ready.t;
  return times;
}

/** The time from one step to another; undefined if the pod did not reach both. Steps out of order take no time. */
export function between(times: PodTimes, from: LatencyStep, to: LatencyStep): number | undefined {
  const fromMs = times[from];
  const toMs = times[to];
  return fromMs === undefined || toMs === undefined ? undefined : Math.max(0, toMs - fromMs);
}

/** How long one phase took, for each pod that went through it. */
export interface PhaseValues {
  /** e.g. `pending -> request`, `healed -> request` */
  readonly phase: string;
  /** Milliseconds, ascending, at least one. */
  readonly valuesMs: readonly number[];
}

/** The name of the first step if a pod's wait counts from the heal of faults, not from its creation. */
const HEALED = 'healed';

/** The total latency of a pod: from its creation, or from the heal, until it runs. */
export const WHOLE_PHASES = { fromCreation: 'pending -> running', fromHeal: `${HEALED} -> running` } as const;

/** Whether a phase is the total latency, and not a step of it. */
export function isWholePhase(phase: string): boolean {
  return phase === WHOLE_PHASES.fromCreation || phase === WHOLE_PHASES.fromHeal;
}

/** Whether a phase is counted from the heal of faults; its steps have the same names as those from the creation. */
export function isFromHeal(phase: string): boolean {
  return phase.startsWith(`${HEALED} -> `);
}

/**
 * Every step of pods of schedulable workloads, and the total. Waits that start at the heal are separate phases, so that a wait
 * for the world is not mixed with a wait for the target. Steps that no pod reached are absent.
 */
export function phaseValuesOf(view: View): PhaseValues[] {
  const pods = servablePods(view).map((pod) => ({ times: podTimes(view, pod), isHealed: isDueFromHeal(view, pod) }));
  const pairs: [LatencyStep, LatencyStep][] = LATENCY_STEPS.slice(1).map((to, index) => [LATENCY_STEPS[index] ?? 'pending', to]);
  const phaseOf = (phase: string, from: LatencyStep, to: LatencyStep, among: typeof pods): PhaseValues[] => {
    const valuesMs = among.flatMap(({ times }) => between(times, from, to) ?? []).sort((a, b) => a - b);
    return valuesMs.length === 0 ? [] : [{ phase, valuesMs }];
  };
  return [...pairs, ['pending', 'running'] as const].flatMap(([from, to]) => {
    if (from !== 'pending') return phaseOf(`${from} -> ${to}`, from, to, pods);
    const created = pods.filter(({ isHealed }) => !isHealed);
    const healed = pods.filter(({ isHealed }) => isHealed);
    return [...phaseOf(`${from} -> ${to}`, from, to, created), ...phaseOf(`${HEALED} -> ${to}`, from, to, healed)];
  });
}

/** How long one pod waited. */
export interface Wait {
  /** The pod, e.g. `pods/default/web-1`. */
  readonly object: string;
  /** From when to when, in milliseconds since the start of the trial: until it ran, was removed, or the history ended. */
  readonly fromMs: number;
  readonly untilMs: number;
  readonly hasRun: boolean;
}

/** The waits of the pods of schedulable workloads, in the order in which they became pending. */
export function waitsOf(view: View): Wait[] {
  const waits = servablePods(view).flatMap((pod): Wait[] => {
    const { pending, running } = podTimes(view, pod);
    if (pending === undefined) return [];
    const untilMs = running ?? (pod.terminating ?? pod.gone)?.t ?? view.endMs;
    return [{ object: pod.object, fromMs: pending, untilMs: Math.max(pending, untilMs), hasRun: running !== undefined }];
  });
  return waits.sort((a, b) => a.fromMs - b.fromMs);
}

function servablePods({ workloads }: View): PodLife[] {
  return [...workloads.values()]
    .filter(({ truth }) => truth.kind === 'schedulable' || truth.kind === 'schedulable-after-heal')
    .flatMap(({ pods }) => pods);
}

function isDueFromHeal(view: View, pod: PodLife): boolean {
  const dueMs = dueFromMs(view, pod);
  return dueMs !== undefined && pod.created !== undefined && dueMs > pod.created.t;
}

/** Percentiles of every phase of one trial. */
export function latenciesOf(view: View): Latency[] {
  return phaseValuesOf(view).map(summarizePhase);
}

/** The percentiles of one phase. */
export function summarizePhase({ phase, valuesMs }: PhaseValues): Latency {
  return {
    phase,
    count: valuesMs.length,
    p50Ms: percentile(valuesMs, 50),
    p95Ms: percentile(valuesMs, 95),
    p99Ms: percentile(valuesMs, 99),
  };
}

/**
 * Nearest rank: the smallest value such that at least `rank` percent of the values don't exceed it.
 * @param sorted ascending, at least one
 * @param rank more than 0, at most 100
 */
export function percentile(sorted: readonly number[], rank: number): number {
  const value = sorted[Math.max(0, Math.ceil((rank / 100) * sorted.length) - 1)];
  if (value === undefined) throw new RangeError('there is no percentile of nothing');
  return value;
}
