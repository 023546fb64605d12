import type { PodLife } from '../history/lives.ts';
import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { departuresOf, isDuring, isItsOwn, ownDeletionsOf, poolAt, poolsOf } from './departures.ts';
import type { Departure } from './departures.ts';
import { blindnessOf, wasBlind } from './hidden.ts';
import { isInUse } from './in-use.ts';
import { judgeUsedNodes } from './used-nodes.ts';
import { count, duration, indexes, mergeParts, nameBound, safetyPart, withBound } from './parts.ts';
import type { Part } from './parts.ts';

/** A decision may be based on what was true this long before. */
const LAG_BOUND = 'launch-lag';

/**
 * No node is disrupted voluntarily while a user or a pod on it has opted out of that, nor to save costs while it has pods and its pool has
 * opted out.
 */
export const optOuts: Check = {
  name: 'opt-outs',
  summary: 'nodes are not disrupted voluntarily if they or their pods opted out of it, nor consolidated if their pools did',
  codes: {
    'opted-out-node-disturbed': 'a node was disrupted voluntarily that a user had marked as do-not-disrupt',
    'opted-out-pod-disturbed': 'a node was disrupted voluntarily while a pod that had opted out was on it',
    'used-node-consolidated': 'a node with pods was removed to save costs, although its pool allows that for empty nodes only, or for none',
  },
  judge: (view) => mergeParts([judgeNodes(view), judgePods(view), judgeUsedNodes(view)].filter((part) => part !== undefined)),
};

function judgeNodes(view: View): Part | undefined {
  const optedOut = view.nodes.filter(({ steps }) => steps.some(({ to }) => to === 'opted-out'));
  if (optedOut.length === 0) return undefined;
  const deletions = ownDeletionsOf(view);
  const isFixed = (name: string): boolean => view.pools.some(({ pool }) => pool.name === name && pool.replicas !== undefined);
  const blindness = blindnessOf(view);
  return withBound(view, LAG_BOUND, (bound) => {
    const findings = departuresOf(view).flatMap((departure) => {
      const { node, entry, at, isVoluntary } = departure;
      // A pool of fixed size that shrinks has to lose some node.
      if (!isItsOwn(departure, deletions) || [...poolsOf(view, entry)].some(isFixed)) return [];
      const since = node.steps.findLast(({ to, i }) => (to === 'opted-out' || to === 'opted-in') && i < at.i);
      if (!isVoluntary || since?.to !== 'opted-out') return [];
      // A node that is not in use yet may be given up, whoever wants to keep it.
      if (!isInUse(view, entry, at)) return [];
      // The request may have been delayed.
      const decidedMs = deletions.get(entry.claim?.object ?? '')?.find((request) => isDuring(request, at))?.start.t ?? at.t;
      if (wasBlind(blindness, since.t, decidedMs) || decidedMs - since.t <= bound.value) return [];
      return {
        code: 'opted-out-node-disturbed',
        object: node.object,
        events: indexes([...node.steps, at]),
        message: `Node ${node.name} was marked as do-not-disrupt at ${duration(since.t)}, and the target disrupted it voluntarily at ${duration(at.t)} (${nameBound(bound)}).`,
      };
    });
    return safetyPart(view, findings, `${findings.length} of ${count(optedOut.length, 'node')} that opted out disturbed`);
  });
}

function judgePods(view: View): Part | undefined {
  const pods = view.pods.filter(({ workload }) => view.workloads.get(workload ?? '')?.deployed.drain === 'opted-out');
  if (pods.length === 0) return undefined;
  const findings = departuresOf(view)
    .filter((departure) => departure.isVoluntary && !hasDeadline(view, departure))
    .flatMap((departure) =>
      pods
        .filter((pod) => isOn(pod, departure))
        .map((pod) => ({
          code: 'opted-out-pod-disturbed',
          object: pod.object,
          events: indexes([...pod.steps, ...departure.node.steps, departure.at]),
          message: `Pod ${pod.name} had opted out of disruption and was on node ${departure.node.name} when the target disrupted it voluntarily at ${duration(departure.at.t)}.`,
        })),
    );
  return safetyPart(view, findings, `${findings.length} of ${count(pods.length, 'pod')} that opted out disturbed`);
}

/**
 * Its pool has changed since the node was launched, and sets a deadline for drains: then it is replaced whatever is on it.
 * Source: Karpenter's documentation of terminationGracePeriod, and `pkg/controllers/disruption/types.go`, v1.8.
 */
function hasDeadline(view: View, { entry, at }: Departure): boolean {
  const madeFrom = entry.claim?.created ?? entry.instance.launched;
  const hasChanged = (name: string): boolean => view.pools.some(({ pool, i }) => pool.name === name && i > madeFrom.i && i < at.i);
  return [...poolsOf(view, entry)].some((name) => poolAt(view, name, madeFrom)?.terminationGracePeriodMs !== undefined && hasChanged(name));
}

/** The pod was on the node before the decision, and had neither finished nor begun to terminate. */
function isOn({ node, scheduled, finished, terminating, gone }: PodLife, departure: Departure): boolean {
  if (node?.uid !== departure.node.uid || (scheduled?.i ?? Infinity) > departure.decided.i) return false;
  return [finished, terminating, gone].every((step) => (step?.i ?? Infinity) > departure.at.i);
}
