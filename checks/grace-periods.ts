import type { InstanceLife, NodeLife, PodLife, RequestLife } from '../history/lives.ts';
import type { Finding } from '../history/verdict.ts';
import { nodesOf } from '../history/view.ts';
import { pausesOf } from '../history/pauses.ts';
import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { isDuring, requestsAbout } from './departures.ts';
import { ROUNDED_MS, drainOf, isLost, leavingOf } from './endings.ts';
import { eventsOf } from './evidence.ts';
import { count, duration, indexes, safetyPart } from './parts.ts';

/** A target that checks its drains every ten seconds may notice this much later that a pod's time has come. */
const CHECK_PERIOD_MS = 15_000;
/** A drain without a deadline. */
const UNLIMITED = { sinceMs: 0, earliestMs: Infinity, latestMs: Infinity };

/**
 * Pods get their grace period, and are told to terminate before the instance is. The target does not terminate an instance
 * while a pod that was told to terminate is within its grace period (or what is left of it before the node's deadline), nor
 * while a pod runs that was never told to. If a node has a deadline, pods are told to terminate early enough to have
 * their grace period before it, as soon as no fault withholds an answer about it. Exempt are instances that were lost anyway, and pods
 * that stop with their node.
 */
export const gracePeriods: Check = {
  name: 'grace-periods',
  summary: 'pods that have to leave are asked to, and get their grace period',
  codes: {
    'grace-cut-short': 'the target terminated an instance while a pod on it was within its grace period',
    'never-asked-to-leave': 'the target terminated an instance on which a pod was running that had never been asked to leave',
    'asked-too-late': 'a pod was asked to leave too late to get its grace period, although the drain of its node started early enough',
  },
  judge: (view) => {
    const ended = view.instances.filter(({ ending }) => ending?.span !== undefined && view.requests.has(ending.span));
    if (ended.length === 0) return undefined;
    const podsOf = Map.groupBy(view.pods, ({ node }) => node?.instance);
    const findings = ended.flatMap((instance) => {
      const pods = podsOf.get(instance.id) ?? [];
      return [...judgeInstance(view, instance, pods), ...unaskedOn(view, instance, pods)];
    });
    return safetyPart(
      view,
      findings,
      `${count(findings.length, 'pod')} cut short, asked too late or never asked on ${count(ended.length, 'instance')} that ended`,
    );
  },
};

function judgeInstance(view: View, instance: InstanceLife, pods: readonly PodLife[]): Finding[] {
  const { ending } = instance;
  if (ending === undefined || isLost(view, instance, ending)) return [];
  const request = ending.span === undefined ? undefined : view.requests.get(ending.span);
  const { sinceMs, earliestMs, latestMs } = drainOf(view, instance) ?? UNLIMITED;
  return pods.flatMap((pod) => {
    const { terminating, gone, running, ended, node } = pod;
    const graceMs = graceOf(view, pod);
    // Nothing is left to stop in a pod that ended by itself. One without its Node ends as soon as somebody misses that.
    const lastIndex = Math.min(terminating?.i ?? Infinity, node?.gone?.i ?? Infinity, ending.i);
    if (graceMs === undefined || (ended?.i ?? Infinity) < lastIndex) return [];
    const events = indexes([...pod.steps, ...instance.steps, ...eventsOf(request)]);
    const askedMs = Math.min(terminating?.t ?? Infinity, gone?.t ?? Infinity, ending.t);
    const dueMs = Math.min(askedMs + graceMs, earliestMs);
    const isThere = terminating !== undefined && terminating.i < ending.i && (gone?.i ?? Infinity) > ending.i;
    if (isThere && ending.t < dueMs - ROUNDED_MS) {
      const message = `Pod ${pod.name} was asked to leave at ${duration(askedMs)} and had until ${duration(dueMs)} to terminate, but the target terminated its instance ${instance.id} at ${duration(ending.t)}.`;
      return [{ code: 'grace-cut-short', object: pod.object, events, message }];
    }
    if (latestMs === Infinity) return [];
    const freeMs = Math.max(
      sinceMs,
      running?.t ?? Infinity,
      heldUpMs(view, instance, sinceMs, Math.min(askedMs, latestMs - graceMs + CHECK_PERIOD_MS)),
    );
    const owedMs = Math.min(graceMs, latestMs - freeMs);
    if (latestMs - askedMs >= owedMs - CHECK_PERIOD_MS) return [];
    const message = `Pod ${pod.name} should get ${duration(owedMs)} to terminate before the drain of its node ends at ${duration(latestMs)}, but was asked to leave only at ${duration(askedMs)}.`;
    return [{ code: 'asked-too-late', object: pod.object, events, message }];
  });
}

/**
 * Until when a fault kept the target from going on with a drain in this time: it was paused, or the answer to a change of the instance's
 * Nodes was withheld. Clients of the API server have no time-out of their own for changes.
 */
function heldUpMs(view: View, instance: InstanceLife, fromMs: number, toMs: number): number {
  const objects = new Set(nodesOf(view, instance).map(({ object }) => object));
  const struck = view.faults.flatMap(({ fired }) =>
    fired.flatMap(({ span }) => (span === undefined ? [] : (view.requests.get(span) ?? []))),
  );
  const isMeant = ({ start }: RequestLife): boolean =>
    start.mutating && objects.has(start.object ?? '') && start.t >= fromMs && start.t < toMs;
  const pauses = pausesOf(view).filter((pause) => pause.fromMs < toMs && (pause.toMs ?? Infinity) > fromMs);
  const untilMs = [...struck.filter(isMeant).map(({ end }) => end?.t), ...pauses.map((pause) => pause.toMs)];
  return Math.max(0, ...untilMs.map((one) => one ?? view.endMs));
}

/**
 * Pods that ran on an instance when the target terminated it and were never told to terminate. They had been there before the
 * first sign that the node had to go: a target can't see last-minute arrivals in time. Exempt are pods that opted out, whose
 * end is waited for, and nodes whose deadline had passed or that another client had deleted. If the target deleted the Node,
 * its pods were left to the garbage collector, which does not count as telling them. Pods on an instance whose end was
 * announced are judged by `interruption-handled`.
 */
function unaskedOn(view: View, instance: InstanceLife, pods: readonly PodLife[]): Finding[] {
  const { ending } = instance;
  if (ending === undefined || isLost(view, instance, ending)) return [];
  if (view.notices.some(({ instance: id, sent, endsAtMs }) => id === instance.id && endsAtMs !== undefined && sent.i < ending.i)) return [];
  const request = ending.span === undefined ? undefined : view.requests.get(ending.span);
  const { earliestMs } = drainOf(view, instance) ?? UNLIMITED;
  if (ending.t >= earliestMs - ROUNDED_MS) return [];
  const leavingIndex = Math.min(leavingOf(view, instance)?.i ?? Infinity, request?.start.i ?? ending.i);
  return pods
    .filter((pod) => {
      const { node, running, ended, terminating, gone } = pod;
      if (node === undefined || !mustBeAsked(view, pod)) return false;
      const isNodeGone = (node.gone?.i ?? Infinity) < ending.i;
      if (isNodeGone && !isDeletedByTarget(view, node)) return false;
      if (running === undefined || running.i > leavingIndex) return false;
      const lastIndex = Math.min(node.gone?.i ?? Infinity, ending.i);
      return [ended, terminating, gone].every((step) => (step?.i ?? Infinity) > lastIndex);
    })
    .map((pod) => ({
      code: 'never-asked-to-leave',
      object: pod.object,
      events: indexes([...pod.steps, ...(pod.node?.steps ?? []), ...eventsOf(request), ending]),
      message: `Pod ${pod.name} had been running on instance ${instance.id} since ${duration(pod.running?.t ?? 0)} when the target terminated the instance at ${duration(ending.t)}, and had never been asked to leave.`,
    }));
}

function isDeletedByTarget(view: View, { steps, object }: NodeLife): boolean {
  const marked = steps.find(({ to }) => to === 'terminating' || to === 'gone');
  const deletions = requestsAbout(view, ({ operation }) => operation === 'delete nodes').get(object) ?? [];
  return marked !== undefined && deletions.some((request) => isDuring(request, marked));
}

/** Whether a pod leaves a node by eviction. The owner of a pod without a workload is unknown. */
function mustBeAsked(view: View, { workload }: PodLife): boolean {
  const known = workload === undefined ? undefined : view.workloads.get(workload);
  return known !== undefined && known.truth.kind !== 'daemon' && known.deployed.drain === undefined;
}

/** A pod's grace period, in milliseconds; undefined if it has none. */
function graceOf(view: View, { workload }: PodLife): number | undefined {
  const known = workload === undefined ? undefined : view.workloads.get(workload);
  if (known === undefined || known.truth.kind === 'daemon' || known.deployed.drain === 'stays') return undefined;
  const { graceSeconds } = known.deployed;
  return graceSeconds === undefined ? undefined : graceSeconds * 1_000;
}
