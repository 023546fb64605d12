import type { Bound, EventOf } from '../history/events.ts';
import type { PodLife } from '../history/lives.ts';
import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { blindnessOf, wasBlind } from './hidden.ts';
import { count, duration, indexes, nameBound, safetyPart, withBound } from './parts.ts';
import type { Part } from './parts.ts';

/** A decision may be based on what was true this long before. */
const LAG_BOUND = 'launch-lag';
const EVICTION = 'create pods/eviction';
const DELETION = 'delete pods';

/**
 * Critical pods and those of DaemonSets are evicted after the other pods of their node: those may need what they provide, such as storage
 * or logs. A pod counts as asked from the first try on, also if its budget refuses that. Pods that opted out, those that had just
 * arrived, and those that a fault may have hidden don't hold up others. Deletions are not judged: when the time of a node is over,
 * each pod leaves by its own grace period.
 */
export const drainOrder: Check = {
  name: 'drain-order',
  summary: 'critical pods, and those of DaemonSets, are asked to leave their nodes last',
  codes: { 'critical-pod-first': 'a pod was asked to leave while another one, which it may serve, had not been' },
  judge: (view) => {
    if (view.begin?.target.features.includes('drain-order') !== true || !view.begin.world.capabilities.includes('wire.kube'))
      return undefined;
    return withBound(view, LAG_BOUND, (bound) => judgeEvictions(view, bound));
  },
};

function judgeEvictions(view: View, bound: Bound): Part {
  const starts = [...view.requests.values()].map(({ start }) => start);
  const byObject = Map.groupBy(
    starts.filter(({ operation }) => operation === EVICTION || operation === DELETION),
    ({ object }) => object,
  );
  /** The first request that asked it to leave. A later pod may have the same name. */
  const askedAt = ({ object, steps, gone }: PodLife): EventOf<'request.start'> | undefined =>
    byObject.get(object)?.find(({ i }) => i > (steps[0]?.i ?? 0) && i < (gone?.i ?? Infinity));
  const podsByNode = Map.groupBy(view.pods, ({ node }) => node?.uid);
  const blindness = blindnessOf(view);
  const evicted = view.pods.flatMap((pod) => {
    const request = rankOf(view, pod) > 0 ? askedAt(pod) : undefined;
    return request?.operation === EVICTION && pod.node !== undefined ? [{ pod, node: pod.node, request }] : [];
  });
  const findings = evicted.flatMap(({ pod, node, request }) => {
    const mayNeedIt = (other: PodLife): boolean =>
      rankOf(view, other) < rankOf(view, pod) &&
      view.workloads.get(other.workload ?? '')?.deployed.drain === undefined &&
      (other.scheduled?.t ?? Infinity) <= request.t - bound.value &&
      [other.ended, other.terminating, other.gone, askedAt(other)].every((end) => (end?.i ?? Infinity) > request.i) &&
      !wasBlind(blindness, other.scheduled?.t ?? 0, request.t);
    const first = podsByNode.get(node.uid)?.find(mayNeedIt);
    if (first === undefined) return [];
    return {
      code: 'critical-pod-first',
      object: pod.object,
      events: indexes([...first.steps, ...node.steps, ...pod.steps, request]),
      message: `Pod ${pod.name} was asked to leave node ${node.name} at ${duration(request.t)}, before ${first.name}, which had been there since ${duration(first.scheduled?.t ?? 0)} and may need it (${nameBound(bound)}).`,
    };
  });
  return safetyPart(view, findings, `${findings.length} of ${count(evicted.length, 'critical pod')} asked to leave before others`);
}

/** The higher, the later it leaves: DaemonSets after others, critical pods after both. Pods of unknown workloads don't count. */
function rankOf(view: View, { workload }: PodLife): number {
  const known = view.workloads.get(workload ?? '');
  if (known === undefined) return NaN;
  return (known.deployed.critical === true ? 2 : 0) + (known.truth.kind === 'daemon' ? 1 : 0);
}
