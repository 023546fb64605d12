import type { InstanceLife, NodeLife, PodLife } from '../history/lives.ts';
import type { Finding } from '../history/verdict.ts';
import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { isDuring, requestsAbout } from './departures.ts';
import { ROUNDED_MS, isLost, lastMomentOf, leavingOf } from './endings.ts';
import { eventsOf } from './evidence.ts';
import { count, duration, indexes, safetyPart } from './parts.ts';

/** Who looks at what it drains every ten seconds may see so much later that a pod's time has come. */
const LOOK_MS = 15_000;

/**
 * Pods get the time to end that they are owed, and are asked to leave before that. An instance is not ended by the target while
 * a pod that was asked to leave is there and within its grace period, or within what is left of it before the last moment of its
 * node, and not while one runs that nobody has asked. And where a node has such a moment, pods are asked to leave so early that
 * they have their grace period before it. Exempt are instances that were lost anyway, and pods that end with their node.
 */
export const gracePeriods: Check = {
  name: 'grace-periods',
  summary: 'pods that have to leave are asked to, and get their grace period',
  codes: {
    'grace-cut-short': 'the target terminated an instance while a pod on it was within its grace period',
    'never-asked-to-leave': 'the target terminated an instance on which a pod was running that had never been asked to leave',
    'asked-too-late': "a pod was asked to leave too late to get its grace period, although its node's drain left enough time",
  },
  judge: (view) => {
    const ended = view.instances.filter(({ ending }) => ending?.span !== undefined && view.requests.has(ending.span));
    if (ended.length === 0) return undefined;
    const findings = ended.flatMap((instance) => [...judgeInstance(view, instance), ...unaskedOn(view, instance)]);
    return safetyPart(
      view,
      findings,
      `${count(findings.length, 'pod')} cut short, asked too late or never asked on ${count(ended.length, 'instance')} that ended`,
    );
  },
};

function judgeInstance(view: View, instance: InstanceLife): Finding[] {
  const { ending } = instance;
  if (ending === undefined || isLost(view, instance, ending)) return [];
  const request = ending.span === undefined ? undefined : view.requests.get(ending.span);
  const lastMs = lastMomentOf(view, instance) ?? Infinity;
  const leavingMs = leavingOf(view, instance)?.t ?? 0;
  return view.pods.flatMap((pod) => {
    const { terminating, gone, running } = pod;
    const graceMs = graceOf(view, pod);
    if (pod.node?.instance !== instance.id || graceMs === undefined) return [];
    const events = indexes([...pod.steps, ...instance.steps, ...eventsOf(request)]);
    const askedMs = Math.min(terminating?.t ?? Infinity, gone?.t ?? Infinity, ending.t);
    const dueMs = Math.min(askedMs + graceMs, lastMs);
    const isThere = terminating !== undefined && terminating.i < ending.i && (gone?.i ?? Infinity) > ending.i;
    if (isThere && ending.t < dueMs - ROUNDED_MS) {
      const message = `Pod ${pod.name} was asked to leave at ${duration(askedMs)} and had until ${duration(dueMs)} to terminate, but the target terminated its instance ${instance.id} at ${duration(ending.t)}.`;
      return [{ code: 'grace-cut-short', object: pod.object, events, message }];
    }
    const owedMs = Math.min(graceMs, lastMs - Math.max(leavingMs, running?.t ?? Infinity));
    if (lastMs === Infinity || lastMs - askedMs >= owedMs - LOOK_MS) return [];
    const message = `Pod ${pod.name} should get ${duration(owedMs)} to terminate before the drain of its node ends at ${duration(lastMs)}, but was asked to leave only at ${duration(askedMs)}.`;
    return [{ code: 'asked-too-late', object: pod.object, events, message }];
  });
}

/**
 * Pods that ran on an instance when the target ended it, and that nobody had asked to leave. They had been there before the
 * first sign that it had to go: what comes at the last moment, nobody can see in time. Not asked of pods that opted out, which
 * are waited for, or of any where the node's time was up or somebody else had deleted it; where the target had, its pods were
 * left to whoever collects them, which is no request to leave either. What is owed to pods on an instance whose end was announced
 * is for `interruption-handled` to judge.
 */
function unaskedOn(view: View, instance: InstanceLife): Finding[] {
  const { ending } = instance;
  if (ending === undefined || isLost(view, instance, ending)) return [];
  if (view.notices.some(({ instance: id, sent, endsAtMs }) => id === instance.id && endsAtMs !== undefined && sent.i < ending.i)) return [];
  const request = ending.span === undefined ? undefined : view.requests.get(ending.span);
  const lastMs = lastMomentOf(view, instance) ?? Infinity;
  if (ending.t >= lastMs - ROUNDED_MS) return [];
  const leavingIndex = Math.min(leavingOf(view, instance)?.i ?? Infinity, request?.start.i ?? ending.i);
  return view.pods
    .filter((pod) => {
      const { node, running, ended, terminating, gone } = pod;
      if (node?.instance !== instance.id || !mustBeAsked(view, pod)) return false;
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

/** Whether a pod is one that leaves a node by eviction. Of pods of no workload nobody knows whose they are. */
function mustBeAsked(view: View, { workload }: PodLife): boolean {
  const known = workload === undefined ? undefined : view.workloads.get(workload);
  return known !== undefined && known.truth.kind !== 'daemon' && known.deployed.drain === undefined;
}

/** How long a pod may take to end, in milliseconds; undefined if nobody owes it any time. */
function graceOf(view: View, { workload }: PodLife): number | undefined {
  const known = workload === undefined ? undefined : view.workloads.get(workload);
  if (known === undefined || known.truth.kind === 'daemon' || known.deployed.drain === 'stays') return undefined;
  const { graceSeconds } = known.deployed;
  return graceSeconds === undefined ? undefined : graceSeconds * 1_000;
}
