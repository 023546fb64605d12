import { LABEL } from '../../model/kube.ts';
import type { Node, Pod, Taint } from '../../model/kube.ts';
import { addResources, maxResources, parseResources, podRequests, subtractResources } from '../../model/resources.ts';
import type { Resources } from '../../model/resources.ts';
import type { Labels } from '../../model/selector.ts';
import { CONDITION, KARPENTER, UNREGISTERED_TAINT, isDeleting, isTrue, nameOf } from '../api.ts';
import type { NodeClaim } from '../api.ts';
import type { Context } from '../context.ts';
import { offeringLabels, offeringsOfClaim } from '../launch/plan.ts';
import type { NodeCandidate, PoolOptions } from '../scheduling/types.ts';
import { isNodePod } from './pools.ts';

/** Taints that a starting node has until it is ready; what waits for it may be planned onto it all the same. */
const STARTING_TAINTS: readonly string[] = [
  UNREGISTERED_TAINT.key,
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
  'node.cloudprovider.kubernetes.io/uninitialized',
];

/**
 * The nodes that pods may be planned onto: those of the cluster, whoever made them, and those on their way. A node that
 * is not initialized counts with what its claim promises where it doesn't say itself.
 */
export function readNodes(context: Context, pools: readonly PoolOptions[]): NodeCandidate[] {
  const { state } = context;
  const claimOf = new Map<string, NodeClaim>();
  const candidates: NodeCandidate[] = [];
  for (const claim of state.claims.list()) {
    const providerId = claim.status?.providerID;
    if (providerId !== undefined) claimOf.set(providerId, claim);
    if (isDeleting(claim) || (providerId !== undefined && state.nodesOf(providerId).length > 0)) continue;
    const overhead = pools.find(({ name }) => name === claim.metadata.labels?.[KARPENTER.nodePool])?.overhead ?? {};
    const candidate = providerId === undefined ? unlaunched(context, claim, overhead) : launched(claim, overhead);
    if (candidate !== undefined) candidates.push(candidate);
  }
  for (const node of state.nodes.list()) {
    const claim = claimOf.get(node.spec?.providerID ?? '');
    const overhead = pools.find(({ name }) => name === claim?.metadata.labels?.[KARPENTER.nodePool])?.overhead ?? {};
    candidates.push(present(node, claim, [...state.podsOn(nameOf(node))], overhead));
  }
  return candidates;
}

/** It may still become any of several things: only what all of them have can be relied on. */
function unlaunched(context: Context, claim: NodeClaim, overhead: Resources): NodeCandidate | undefined {
  const offerings = offeringsOfClaim(context, claim);
  const [first] = offerings;
  if (first === undefined) return undefined;
  let least: Resources = first.type.allocatable;
  for (const { type } of offerings) least = minResources(least, type.allocatable);
  const labels = claim.metadata.labels ?? {};
  return {
    name: nameOf(claim),
    variants: offerings.map(({ type, offering }): Labels => ({
      ...labels,
      ...offeringLabels(type, offering, context.cluster.region),
      [LABEL.hostname]: nameOf(claim),
    })),
    taints: claim.spec.taints ?? [],
    free: subtractResources(least, overhead),
    accepting: true,
    pods: [],
  };
}

function launched(claim: NodeClaim, overhead: Resources): NodeCandidate {
  return {
    name: nameOf(claim),
    variants: [{ ...claim.metadata.labels, [LABEL.hostname]: nameOf(claim) }],
    taints: claim.spec.taints ?? [],
    free: subtractResources(parseResources(claim.status?.allocatable), overhead),
    accepting: true,
    pods: [],
  };
}

function present(node: Node, claim: NodeClaim | undefined, pods: readonly Pod[], overhead: Resources): NodeCandidate {
  const isStarting = claim !== undefined && !isTrue(claim.status?.conditions, CONDITION.initialized);
  const running = pods.filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed');
  const total = (some: readonly Pod[]): Resources => some.map(requestsOf).reduce<Resources>(addResources, {});
  const daemons = total(running.filter(isNodePod));
  const taken = addResources(total(running.filter((pod) => !isNodePod(pod))), isStarting ? maxResources(daemons, overhead) : daemons);
  const allocatable = {
    ...(isStarting ? parseResources(claim.status?.allocatable) : {}),
    ...withoutZeros(parseResources(node.status?.allocatable)),
  };
  const isLeaving = isDeleting(node) || (claim !== undefined && isDeleting(claim));
  return {
    name: nameOf(node),
    variants: [{ ...(isStarting ? claim.metadata.labels : {}), ...node.metadata.labels }],
    taints: isStarting ? startingTaints(node, claim) : (node.spec?.taints ?? []),
    free: subtractResources(allocatable, taken),
    accepting: !isLeaving && node.spec?.unschedulable !== true,
    pods: running.filter((pod) => !isDeleting(pod)),
  };
}

/** A pod whose requests can't be read takes its place all the same. */
function requestsOf(pod: Pod): Resources {
  try {
    return podRequests(pod.spec);
  } catch {
    return { pods: 1 };
  }
}

function startingTaints(node: Node, claim: NodeClaim): Taint[] {
  const passing = new Set([...STARTING_TAINTS, ...(claim.spec.startupTaints ?? []).map(({ key }) => key)]);
  return [...(node.spec?.taints ?? []), ...(claim.spec.taints ?? [])].filter(({ key }) => !passing.has(key));
}

function minResources(a: Resources, b: Resources): Resources {
  return Object.fromEntries(Object.keys(a).map((name) => [name, Math.min(a[name] ?? 0, b[name] ?? 0)]));
}

/** A node that has just registered says zero where it doesn't know yet. */
function withoutZeros(resources: Resources): Resources {
  return Object.fromEntries(Object.entries(resources).filter(([, amount]) => amount > 0));
}
