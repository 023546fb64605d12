import { defined } from '../model/defined.ts';
import { namesSpot } from '../model/catalogue.ts';
import { sumCompute } from './compute.ts';
import { LATENCY_STEPS } from './events.ts';
import type { LatencyStep } from './events.ts';
import { WHOLE_PHASES, phaseValuesOf, podTimes } from './latency.ts';
import { instancesAsked, isLaunch, launchInputOf } from './launch-requests.ts';
import { targetsInstances } from './ledger.ts';
import type { GroupLife, InstanceLife, PodLife, RequestLife } from './lives.ts';
import { dueFromMs, eraAt, eraOf, expectationsOf, nodesOf } from './view.ts';
import type { View } from './view.ts';

/** The measures by which versions of an autoscaler are compared: of one trial, from its history alone. */
export interface TrialMeasures {
  readonly kinds: TrialKinds;
  /** From the start of the trial to its end, in ms of the trial's clock. */
  readonly lastedMs: number;
  /** Pods that had to be served and were created. */
  readonly pods: number;
  readonly waits: readonly PhaseWaits[];
  /** What the target's instances cost by the price list, in US dollars: while they ran, on the trial's clock. */
  readonly usd: number;
  readonly launches: Launches;
  /** Requests of the target on both wires; absent if the world doesn't observe all of them. */
  readonly requests?: number;
  /** Pods that ran until the target evicted or deleted them; absent if the world doesn't observe its requests to Kubernetes. */
  readonly disruptions?: number;
  /** The cluster when all pods ran; absent if they never did at once. */
  readonly full?: FullCluster;
}

/** What a trial's scenario contains, independent of the target. */
export interface TrialKinds {
  /** A pool allows spot instances. */
  readonly spot: boolean;
  /** Pods have a hard topology spread constraint. Unknown in older histories. */
  readonly spread: boolean;
  /** A fault was armed. */
  readonly faulty: boolean;
}

/** How long pods took for one phase. */
export interface PhaseWaits {
  /** e.g. `pending -> running` */
  readonly phase: string;
  /** For pods that went through it, in ms, ascending. */
  readonly valuesMs: readonly number[];
  /** For pods that had not by the end of their bound, in ms, ascending: their wait is at least this. They are never dropped. */
  readonly censoredMs: readonly number[];
}

interface Launches {
  /** Requests for instances. */
  readonly asked: number;
  /** Those that returned fewer instances than requested, or got no response. */
  readonly failed: number;
  /** Instances that they launched. */
  readonly instances: number;
}

/** The target's part of the cluster at the first moment when the highest number of pods that had to run were running. */
export interface FullCluster {
  readonly pods: number;
  /** Instances of the target that cost money, or soon would. */
  readonly instances: number;
  readonly usdPerHour: number;
  /** Requested over allocatable, 0 to 1; absent if the history doesn't record it, as in older ones. */
  readonly utilisation?: { readonly cpu: number; readonly memory: number };
}

const MS_PER_HOUR = 3_600_000;

/** Measures a trial. Total: any prefix of a history has measures. */
export function measuresOf(view: View): TrialMeasures {
  const pods = podsToServe(view);
  const instances = targetsInstances(view).map(({ instance }) => instance);
  const full = fullCluster(view, pods, instances);
  const sees = (wire: 'wire.kube' | 'wire.aws'): boolean => view.begin?.world.capabilities.includes(wire) === true;
  return {
    kinds: kindsOf(view),
    lastedMs: view.endMs,
    pods: pods.length,
    waits: phaseWaitsOf(view, pods),
    usd: instances.reduce((sum, instance) => sum + (instance.usdPerHour * paidMs(instance, view.endMs)) / MS_PER_HOUR, 0),
    launches: { ...countLaunches(view), instances: instances.length },
    ...(sees('wire.kube') && sees('wire.aws') ? { requests: ofTarget(view).length } : {}),
    ...(sees('wire.kube') ? { disruptions: countDisruptions(view, pods) } : {}),
    ...defined({ full }),
  };
}

function kindsOf(view: View): TrialKinds {
  const isSpread = [...view.workloads.values()].some(({ deployed }) => deployed.spreadOver !== undefined);
  return { spot: view.pools.some(({ pool }) => namesSpot(pool)), spread: isSpread, faulty: view.faults.length > 0 };
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

/** A request can take effect again while its pod leaves: each pod counts once. */
function countDisruptions(view: View, pods: readonly PodLife[]): number {
  const applied = ofTarget(view).filter(({ start, effect }) => DISRUPTIONS.includes(start.operation) && effect?.effect.kind === 'applied');
  const byPod = Map.groupBy(applied, ({ start }) => start.object ?? '');
  return pods.filter(({ object, running, ended, gone }) => {
    const untilIndex = Math.min(ended?.i ?? Infinity, gone?.i ?? Infinity);
    // A pod may be gone before its deletion is recorded as done.
    return running !== undefined && byPod.get(object)?.some(({ start }) => start.i > running.i && start.i < untilIndex);
  }).length;
}

const DISRUPTIONS: readonly string[] = ['create pods/eviction', 'delete pods'];

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
  const launches = ofTarget(view).filter((request) => isLaunch(view, request) && launchInputOf(request.start).DryRun !== true);
  return { asked: launches.length, failed: launches.filter((request) => !isFulfilled(view, request)).length };
}

/** A retry with the token of an earlier launch gets the instances of that launch. */
function isFulfilled(view: View, request: RequestLife): boolean {
  const { instances } = view;
  const { span, start, end } = request;
  const group = view.groups.find(({ steps }) => steps.some((step) => step.span === span));
  if (group !== undefined) return hasReached(view, group, span);
  const { ClientToken: token } = launchInputOf(start);
  const own = instances.filter(({ launched }) => launched.span === span);
  const earlier = instances.filter((one) => token !== undefined && one.token === token && one.launched.i < (end?.i ?? Infinity));
  return end?.outcome === 'ok' && Math.max(own.length, earlier.length) >= instancesAsked(view, request);
}

/** Whether a group has had its desired capacity since a request set it, and before it was lowered. */
function hasReached({ instances }: View, { name, steps }: GroupLife, span: number): boolean {
  const step = steps.find((one) => one.span === span);
  if (step === undefined) return false;
  const lowered = steps.find(({ i, desired }) => i > step.i && desired < step.desired)?.i ?? Infinity;
  const members = instances.filter(({ group }) => group === name);
  return members.some(({ launched: { i: now } }) => {
    const live = members.filter(({ launched, ending }) => launched.i <= now && now < (ending?.i ?? Infinity));
    return now > step.i && now < lowered && live.length >= step.desired;
  });
}

/** The phases in order: those that pods went through, and those that they got stuck in. */
export function phaseWaitsOf(view: View, pods: readonly PodLife[] = podsToServe(view)): PhaseWaits[] {
  const censored = new Map<string, number[]>();
  for (const { phase, waitedMs } of pods.flatMap((pod) => stuckIn(view, pod)))
    censored.set(phase, [...(censored.get(phase) ?? []), waitedMs]);
  const seen = new Map(phaseValuesOf(view).map(({ phase, valuesMs }) => [phase, valuesMs]));
  const order = [...PHASES, ...seen.keys(), ...censored.keys()];
  return [...new Set(order)]
    .filter((phase) => seen.has(phase) || censored.has(phase))
    .map((phase) => ({ phase, valuesMs: seen.get(phase) ?? [], censoredMs: (censored.get(phase) ?? []).sort((a, b) => a - b) }));
}

const HEALED_TO_REQUEST = 'healed -> request';
const STEP_PHASES = LATENCY_STEPS.slice(1).map((to, index) => `${LATENCY_STEPS[index] ?? 'pending'} -> ${to}`);
/** In the order of reports. */
export const PHASES: readonly string[] = [
  STEP_PHASES[0] ?? '',
  HEALED_TO_REQUEST,
  ...STEP_PHASES.slice(1),
  WHOLE_PHASES.fromCreation,
  WHOLE_PHASES.fromHeal,
];

/**
 * The phases that a pod was in when its bound had passed: the total, and the step that it did not reach. A pod that was deleted
 * before that says nothing about how long it would have waited, as in the success rate; nor does one that was created when
 * nothing was expected of its workload any more, such as after its pools were removed.
 */
function stuckIn(view: View, pod: PodLife): { readonly phase: string; readonly waitedMs: number }[] {
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
  // A pod bound to an existing node took none of a launch's steps.
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
 * The first moment when as many pods ran as were ever wanted at once, and none was waiting. A terminating pod is no longer
 * wanted.
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
 * Requested over allocatable, for pods and instances of the target at one point of the history, including DaemonSet pods. An
 * instance without a node yet counts with what its node will have or, if it never became one, with all of its type.
 */
function utilisationAt(view: View, live: readonly InstanceLife[], index: number): FullCluster['utilisation'] {
  const ids = new Set(live.map(({ id }) => id));
  const has = live.map((instance) => {
    const { vcpu, memoryMiB } = instance.launched;
    const nodes = nodesOf(view, instance);
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
