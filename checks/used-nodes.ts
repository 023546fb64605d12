import type { Bound } from '../history/events.ts';
import type { PodLife } from '../history/lives.ts';
import type { View } from '../history/view.ts';
import { departuresOf, isItsOwn, ownDeletionsOf, poolAt, poolsOf } from './departures.ts';
import type { Departure } from './departures.ts';
import { podEvidence } from './evidence.ts';
import { hasNoOtherReason } from './other-reasons.ts';
import { count, duration, nameBound, safetyPart, withBound } from './parts.ts';
import type { Part } from './parts.ts';

/** A decision may be based on what was true this long before. */
const LAG_BOUND = 'launch-lag';

/**
 * Nodes with pods are not removed to save costs if their pool allows that for empty nodes only, or for none. The history does not
 * show why a node was removed, so only removals without any other reason are judged (`hasNoOtherReason`). A node has pods if one of
 * them was there for longer than a target's knowledge may lag behind: a pod may arrive on a node that was empty when the target
 * decided.
 * @returns undefined if no pool is ever like this, or the target does not consolidate
 */
export function judgeUsedNodes(view: View): Part | undefined {
  if (!view.pools.some(({ pool }) => pool.keepsUsedNodes === true) || view.begin?.target.features.includes('consolidation') !== true)
    return undefined;
  return withBound(view, LAG_BOUND, (bound) => judgeRemovals(view, bound));
}

function judgeRemovals(view: View, bound: Bound): Part {
  const deletions = ownDeletionsOf(view);
  const judged = departuresOf(view).filter((departure) => {
    const pools = [...poolsOf(view, departure.entry)];
    // No later change of a pool matters: it would be another reason for a removal.
    const isKeeping = (name: string): boolean => poolAt(view, name, departure.decided)?.keepsUsedNodes === true;
    if (pools.length === 0 || !pools.every(isKeeping)) return false;
    return isItsOwn(departure, deletions) && hasNoOtherReason(view, departure, { pools, lagMs: bound.value });
  });
  const podsByNode = Map.groupBy(view.pods, ({ node }) => node?.uid);
  const findings = judged.flatMap((departure) => {
    const { node, at, decided } = departure;
    const pod = podsByNode.get(node.uid)?.find((one) => isKept(view, one, departure, bound.value));
    if (pod === undefined) return [];
    return {
      code: 'used-node-consolidated',
      object: node.object,
      events: [...new Set([...podEvidence(view, pod), at.i])].sort((a, b) => a - b),
      message: `Node ${node.name} was removed from ${duration(decided.t)} on for no reason that the history shows, while pod ${pod.name} had been on it since ${duration(pod.scheduled?.t ?? 0)}; its pool allows that for empty nodes at most (${nameBound(bound)}).`,
    };
  });
  return safetyPart(view, findings, `${findings.length} of ${count(judged.length, 'removed node')} had pods that their pools keep there`);
}

/** A pod of the node had been there for long when the target decided, and nothing had told it to leave. */
function isKept(view: View, pod: PodLife, { decided }: Departure, lagMs: number): boolean {
  const kind = view.workloads.get(pod.workload ?? '')?.truth.kind;
  if (kind === undefined || kind === 'daemon') return false;
  const isThere = [pod.terminating, pod.ended, pod.gone].every((end) => (end?.i ?? Infinity) > decided.i);
  return isThere && (pod.scheduled?.t ?? Infinity) <= decided.t - lagMs;
}
