import { defined } from '../model/defined.ts';
import { LABEL } from '../model/kube.ts';
import { sumCompute } from './compute.ts';
import { LATENCY_STEPS } from './events.ts';
import type { LatencyStep } from './events.ts';
import { WHOLE_PHASES, phaseValuesOf, podTimes } from './latency.ts';
import { targetsInstances } from './ledger.ts';
import type { InstanceLife, PodLife, RequestLife } from './lives.ts';
import { dueFromMs, eraAt, eraOf, expectationsOf } from './view.ts';
import type { View } from './view.ts';

/** What two versions of an autoscaler are compared by: measured in one trial, from its history alone. */
export interface TrialMeasures {
  readonly kinds: TrialKinds;
  /** From the trial's beginning to its end, in ms of its own time. */
  readonly lastedMs: number;
  /** Pods that were to be served and came up. */
  readonly pods: number;
  readonly waits: readonly PhaseWaits[];
  /** What the target's instances cost by the price list, in US dollars: from running to their end, in the trial's time. */
  readonly usd: number;
  readonly launches: Launches;
  /** Requests of the target on both wires; absent where the world doesn't see all of them. */
  readonly requests?: number;
  /** The cluster when all pods ran; absent where they never did, all at once. */
  readonly full?: FullCluster;
}

/** What a trial's scenario asks for, whatever the target makes of it. */
export interface TrialKinds {
  /** A pool allows spot instances. */
  readonly spot: boolean;
  /** Pods have a hard topology spread constraint. Not to be seen in older histories. */
  readonly spread: boolean;
  /** A fault was armed. */
  readonly faulty: boolean;
}

/** How long pods took for one phase. */
export interface PhaseWaits {
  /** e.g. `pending -> running` */
  readonly phase: string;
  /** Of pods that went through it, in ms, ascending. */
  readonly valuesMs: readonly number[];
  /** Of pods that had not when their time was up, in ms, ascending: at least so long. They are never dropped. */
  readonly censoredMs: readonly number[];
}

interface Launches {
  /** Requests for instances. */
  readonly asked: number;
  /** Those that were answered with fewer instances than were asked for, or not at all. */
  readonly failed: number;
  /** Instances that came of them. */
  readonly instances: number;
}

/** The target's part of a cluster in the first moment in which the most pods ran that ever were to. */
export interface FullCluster {
  readonly pods: number;
  /** Instances of the target that were paid for, or would soon be. */
  readonly instances: number;
  readonly usdPerHour: number;
  /** Requested over allocatable, 0 to 1; absent where the history doesn't tell: older ones do not. */
  readonly utilisation?: { readonly cpu: number; readonly memory: number };
}

/** Requests that launch instances. */
const LAUNCHES: readonly string[] = ['ec2:CreateFleet', 'ec2:RunInstances'];
const MS_PER_HOUR = 3_600_000;

/** Measures a trial. Total: any beginning of a history has measures. */
export function measuresOf(view: View): TrialMeasures {
  const pods = podsToServe(view);
  const instances = targetsInstances(view).map(({ instance }) => instance);
  const full = fullCluster(view, pods, instances);
  const seesRequests = (['wire.kube', 'wire.aws'] as const).every((one) => view.begin?.world.capabilities.includes(one) === true);
  return {
    kinds: kindsOf(view),
    lastedMs: view.endMs,
    pods: pods.length,
    waits: waitsOf(view, pods),
    usd: instances.reduce((sum, instance) => sum + (instance.usdPerHour * paidMs(instance, view.endMs)) / MS_PER_HOUR, 0),
    launches: { ...countLaunches(view), instances: instances.length },
    ...(seesRequests ? { requests: ofTarget(view).length } : {}),
    ...defined({ full }),
  };
}

function kindsOf(view: View): TrialKinds {
  const allowsSpot = view.pools.some(({ pool }) =>
    pool.requirements.some(({ key, operator, values = [] }) => key === LABEL.capacityType && operator === 'In' && values.includes('spot')),
  );
  const isSpread = [...view.workloads.values()].some(({ deployed }) => deployed.spreadOver !== undefined);
  return { spot: allowsSpot, spread: isSpread, faulty: view.faults.length > 0 };
}

/** Pods of workloads that pools can serve, at once or after the heal. */
function podsToServe(view: View): PodLife[] {
  return [...view.workloads.values()]
    .filter(({ truth }) => truth.kind === 'schedulable' || truth.kind === 'schedulable-after-heal')
    .flatMap((workload) => workload.pods);
}

function ofTarget(view: View): RequestLife[] {
  return [...view.requests.values()].filter(({ start }) => start.principal === 'target');
}

/** EC2 bills an instance while it is running, and neither while it is pending nor while it is stopped. */
function paidMs({ steps }: InstanceLife, endMs: number): number {
  let paid = 0;
  let sinceMs: number | undefined;
  for (const { to, t } of steps) {
    if (to === 'running') sinceMs ??= t;
    else if (sinceMs !== undefined) {
      paid += t - sinceMs;
      sinceMs = undefined;
    }
  }
  return sinceMs === undefined ? paid : paid + Math.max(0, endMs - sinceMs);
}

function countLaunches(view: View): Omit<Launches, 'instances'> {
  const launches = ofTarget(view).filter(({ start }) => LAUNCHES.includes(start.operation) && inputOf(start).DryRun !== true);
  return { asked: launches.length, failed: launches.filter((request) => !isFulfilled(view, request)).length };
}

/** Who repeats a request with the token of one that took effect is answered with the instances of that one. */
function isFulfilled({ instances }: View, { span, start, end }: RequestLife): boolean {
  const { ClientToken: token, TargetCapacitySpecification: target, MaxCount = 1 } = inputOf(start);
  const wanted = Number(target?.TotalTargetCapacity ?? MaxCount);
  const own = instances.filter(({ launched }) => launched.span === span);
  const earlier = instances.filter((one) => token !== undefined && one.token === token && one.launched.i < (end?.i ?? Infinity));
  return end?.outcome === 'ok' && Math.max(own.length, earlier.length) >= wanted;
}

interface LaunchInput {
  readonly ClientToken?: unknown;
  readonly DryRun?: unknown;
  readonly MaxCount?: unknown;
  readonly TargetCapacitySpecification?: { readonly TotalTargetCapacity?: unknown };
}

function inputOf({ input }: RequestLife['start']): LaunchInput {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? input : {};
}

/** The phases in their order: those that pods went through, and those that they were kept in. */
function waitsOf(view: View, pods: readonly PodLife[]): PhaseWaits[] {
  const censored = new Map<string, number[]>();
  for (const { phase, waitedMs } of pods.flatMap((pod) => keptIn(view, pod)))
    censored.set(phase, [...(censored.get(phase) ?? []), waitedMs]);
  const seen = new Map(phaseValuesOf(view).map(({ phase, valuesMs }) => [phase, valuesMs]));
  const order = [...PHASES, ...seen.keys(), ...censored.keys()];
  return [...new Set(order)]
    .filter((phase) => seen.has(phase) || censored.has(phase))
    .map((phase) => ({ phase, valuesMs: seen.get(phase) ?? [], censoredMs: (censored.get(phase) ?? []).sort((a, b) => a - b) }));
}

const HEALED_TO_REQUEST = 'healed -> request';
const STEP_PHASES = LATENCY_STEPS.slice(1).map((to, index) => `${LATENCY_STEPS[index] ?? 'pending'} -> ${to}`);
/** In the order in which they are told. */
export const PHASES: readonly string[] = [
  STEP_PHASES[0] ?? '',
  HEALED_TO_REQUEST,
  ...STEP_PHASES.slice(1),
  WHOLE_PHASES.fromCreation,
  WHOLE_PHASES.fromHeal,
];

/**
 * The phases in which a pod was when its time was up: the whole way, and the step that it did not take. A pod that was taken
 * away before that says nothing of how long it would have waited, as in the success rate; nor does one that came when nothing was
 * expected of its workload any more, as when its pools have gone.
 */
function keptIn(view: View, pod: PodLife): { readonly phase: string; readonly waitedMs: number }[] {
  const dueMs = dueFromMs(view, pod);
  if (pod.running !== undefined || pod.created === undefined || dueMs === undefined) return [];
  const leaveMs = (pod.terminating ?? pod.ended ?? pod.gone)?.t;
  const untilMs = leaveMs ?? view.endMs;
  const era = eraAt(view, pod.workload ?? '', pod.created.i);
  const expected = expectationsOf(view, 'served').find((one) => one.workload === pod.workload && eraOf(view, one) === era);
  if (era > 0 && expected === undefined) return [];
  const boundMs = expected === undefined ? undefined : view.bounds.get(expected.bound)?.value;
  if (leaveMs !== undefined && (boundMs === undefined || leaveMs - dueMs < boundMs)) return [];
  const isHealed = dueMs > pod.created.t;
  const whole = { phase: isHealed ? WHOLE_PHASES.fromHeal : WHOLE_PHASES.fromCreation, waitedMs: Math.max(0, untilMs - dueMs) };
  const times = podTimes(view, pod);
  // Who was bound to a node that was there already took none of a launch's steps.
  if (pod.node !== undefined && times.request === undefined) return [whole];
  const missing = LATENCY_STEPS.findIndex((step) => times[step] === undefined);
  const from: LatencyStep = LATENCY_STEPS[missing - 1] ?? 'pending';
  const phase = missing === 1 && isHealed ? HEALED_TO_REQUEST : (STEP_PHASES[missing - 1] ?? '');
  return [{ phase, waitedMs: Math.max(0, untilMs - (times[from] ?? dueMs)) }, whole];
}

/** The target's cluster when all pods ran. @param instances the target's */
function fullCluster(view: View, pods: readonly PodLife[], instances: readonly InstanceLife[]): FullCluster | undefined {
  const moment = whenAllRan(pods);
  if (moment === undefined) return undefined;
  const live = instances.filter(({ launched, ending }) => launched.i < moment.i && (ending?.i ?? Infinity) > moment.i);
  const utilisation = utilisationAt(view, live, moment.i);
  return {
    pods: moment.pods,
    instances: live.length,
    usdPerHour: live.reduce((sum, { usdPerHour }) => sum + usdPerHour, 0),
    ...defined({ utilisation }),
  };
}

/**
 * The first moment in which as many pods ran as ever were wanted at once, and none was waiting. A pod that is on its way out
 * is not wanted any more.
 */
function whenAllRan(pods: readonly PodLife[]): { readonly i: number; readonly pods: number } | undefined {
  const changes = pods.flatMap(({ steps, created, running, terminating, ended, gone }) => {
    const leave = Math.min(...[terminating, ended, gone].map((step) => step?.i ?? Infinity));
    const isRunning = running !== undefined && running.i < leave;
    return [
      { i: created?.i ?? steps[0]?.i ?? 0, wanted: 1, run: 0 },
      ...(isRunning ? [{ i: running.i, wanted: 0, run: 1 }] : []),
      ...(leave === Infinity ? [] : [{ i: leave, wanted: -1, run: isRunning ? -1 : 0 }]),
    ];
  });
  let [wanted, run, most] = [0, 0, 0];
  let best: { readonly i: number; readonly pods: number } | undefined;
  for (const change of changes.sort((a, b) => a.i - b.i)) {
    wanted += change.wanted;
    run += change.run;
    most = Math.max(most, wanted);
    if (run > 0 && run === wanted && run > (best?.pods ?? 0)) best = { i: change.i, pods: run };
  }
  return best === undefined || best.pods < most ? undefined : best;
}

/**
 * Requested over allocatable, of pods and machines of the target at one place of the history. DaemonSets' pods are among
 * them. A machine that is no node yet counts with what its node will have or, if it never became one, with all of its type.
 */
function utilisationAt(view: View, live: readonly InstanceLife[], index: number): FullCluster['utilisation'] {
  const ids = new Set(live.map(({ id }) => id));
  const has = live.map(({ id, launched: { vcpu, memoryMiB } }) => {
    const nodes = view.nodes.filter(({ instance }) => instance === id);
    const said = nodes.flatMap(({ steps }) => steps.flatMap(({ allocatable }) => allocatable ?? []))[0];
    if (said !== undefined || nodes.length > 0 || vcpu === undefined || memoryMiB === undefined) return said;
    return { cpuMilli: vcpu * 1_000, memoryMiB };
  });
  const known = has.filter((one) => one !== undefined);
  if (known.length < has.length || known.length === 0) return undefined;
  const there = view.pods.filter(
    ({ scheduled, ended, gone, node }) =>
      ids.has(node?.instance ?? '') && (scheduled?.i ?? 0) <= index && Math.min(ended?.i ?? Infinity, gone?.i ?? Infinity) > index,
  );
  const requested = sumCompute(there.flatMap(({ workload }) => view.workloads.get(workload ?? '')?.deployed.requests ?? []));
  const allocatable = sumCompute(known);
  if (allocatable.cpuMilli === 0 || allocatable.memoryMiB === 0) return undefined;
  return { cpu: requested.cpuMilli / allocatable.cpuMilli, memory: requested.memoryMiB / allocatable.memoryMiB };
}
