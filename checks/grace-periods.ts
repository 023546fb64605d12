import type { InstanceLife, PodLife } from '../history/lives.ts';
import type { Finding } from '../history/verdict.ts';
import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { ROUNDED_MS, isLost, lastMomentOf, leavingOf } from './endings.ts';
import { eventsOf } from './evidence.ts';
import { count, indexes, safetyPart, seconds } from './parts.ts';

/** Who looks at what it drains every ten seconds may see so much later that a pod's time has come. */
const LOOK_MS = 15_000;

/**
 * Pods get the time to end that they are owed. An instance is not ended by the target while a pod that was asked to leave is
 * there and within its grace period, or within what is left of it before the last moment of its node. And where a node has
 * such a moment, pods are asked to leave so early that they have their grace period before it. Exempt are instances that were
 * lost anyway, and pods that end with their node.
 */
export const gracePeriods: Check = {
  name: 'grace-periods',
  summary: 'pods that have to leave get the time to end that they are owed',
  codes: {
    'grace-cut-short': 'the target ended an instance while a pod on it had time left to end by itself',
    'asked-too-late': 'a pod was asked to leave when less time was left than it is owed, though its node had more',
  },
  judge: (view) => {
    const ended = view.instances.filter(({ ending }) => ending?.span !== undefined && view.requests.has(ending.span));
    if (ended.length === 0) return undefined;
    const findings = ended.flatMap((instance) => judgeInstance(view, instance));
    return safetyPart(view, findings, `${count(findings.length, 'pod')} cut short on ${count(ended.length, 'instance')} that ended`);
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
      const message = `Pod ${pod.name} was asked to leave at ${seconds(askedMs)} and had until ${seconds(dueMs)}, but the target ended its instance ${instance.id} at ${seconds(ending.t)}.`;
      return [{ code: 'grace-cut-short', object: pod.object, events, message }];
    }
    const owedMs = Math.min(graceMs, lastMs - Math.max(leavingMs, running?.t ?? Infinity));
    if (lastMs === Infinity || lastMs - askedMs >= owedMs - LOOK_MS) return [];
    const message = `Pod ${pod.name} is owed ${seconds(owedMs)} to end before the last moment of its node, ${seconds(lastMs)}, but was asked to leave only at ${seconds(askedMs)}.`;
    return [{ code: 'asked-too-late', object: pod.object, events, message }];
  });
}

/** How long a pod may take to end, in milliseconds; undefined if nobody owes it any time. */
function graceOf(view: View, { workload }: PodLife): number | undefined {
  const known = workload === undefined ? undefined : view.workloads.get(workload);
  if (known === undefined || known.truth.kind === 'daemon' || known.deployed.drain === 'stays') return undefined;
  const { graceSeconds } = known.deployed;
  return graceSeconds === undefined ? undefined : graceSeconds * 1_000;
}
