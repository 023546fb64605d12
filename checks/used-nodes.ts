import { MAX_FIRINGS_RECORDED } from '../history/events.ts';
import type { Bound } from '../history/events.ts';
import type { FaultLife, PodLife } from '../history/lives.ts';
import type { View } from '../history/view.ts';
import { departuresOf, isItsOwn, ownDeletionsOf, poolsOf, skewOf } from './departures.ts';
import type { Departure, Moment } from './departures.ts';
import { podEvidence } from './evidence.ts';
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
    if (pools.length === 0 || !pools.every((name) => keepsUsedNodes(view, name, departure.decided))) return false;
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

/** Whether a pool kept nodes with pods when the target decided. No later change matters: it would be another reason for a removal. */
function keepsUsedNodes(view: View, name: string, { i: index }: Moment): boolean {
  return view.pools.findLast(({ pool, i }) => pool.name === name && i < index)?.pool.keepsUsedNodes === true;
}

/**
 * The node had always been healthy, its pools had not changed since the target decided to launch it, nothing had been announced about
 * its instance, and no fault had fired that may be a reason.
 */
function hasNoOtherReason(
  view: View,
  { entry, node, at, isVoluntary }: Departure,
  { pools, lagMs }: { readonly pools: readonly string[]; readonly lagMs: number },
): boolean {
  const { claim, request, instance } = entry;
  const madeFromMs = (claim?.created ?? request?.start ?? instance.launched).t - lagMs;
  const isBefore = ({ i }: { readonly i: number }): boolean => i < at.i;
  return (
    isVoluntary &&
    !node.steps.some((step) => step.to === 'not-ready' && isBefore(step)) &&
    !pools.some((name) => changesOf(view, name).some((change) => change.t > madeFromMs && isBefore(change))) &&
    !view.notices.some(({ instance, sent }) => instance === entry.instance.id && isBefore(sent)) &&
    !view.faults.some((fault) => mayBeReason(view, fault, fault.fired.filter(isBefore)))
  );
}

const DOES_NOT_EXIST = /NotFound|NoSuchEntity|DoesNotExist|NonExistent/;

/**
 * Whether a fault may be why a healthy node with pods was removed: it did something to nodes, hid something of the cluster, or delayed what
 * was asked for earlier. A wrong clock is no reason, nor is a request that only failed, however often: it says nothing new about a node that runs pods.
 */
function mayBeReason(view: View, { armed }: FaultLife, fired: FaultLife['fired']): boolean {
  if (fired.length === 0 || skewOf(armed) !== undefined) return false;
  if (fired.length >= MAX_FIRINGS_RECORDED) return true;
  return fired.some(({ span = -1 }) => {
    const { start, effect, end } = view.requests.get(span) ?? {};
    if (start === undefined || (start.wire === 'kube' && /^(list|watch) /.test(start.operation))) return true;
    const isAnswer = end === undefined || end.outcome === 'ok' || DOES_NOT_EXIST.test(end.code ?? '');
    return isAnswer || effect?.effect.kind === 'applied';
  });
}

/** The versions of a pool that replaced another. */
function changesOf(view: View, name: string): View['pools'] {
  return view.pools.filter(({ pool }) => pool.name === name).slice(1);
}

/** A pod of the node had been there for long when the target decided, and nothing had told it to leave. */
function isKept(view: View, pod: PodLife, { decided }: Departure, lagMs: number): boolean {
  const kind = view.workloads.get(pod.workload ?? '')?.truth.kind;
  if (kind === undefined || kind === 'daemon') return false;
  const isThere = [pod.terminating, pod.ended, pod.gone].every((end) => (end?.i ?? Infinity) > decided.i);
  return isThere && (pod.scheduled?.t ?? Infinity) <= decided.t - lagMs;
}
