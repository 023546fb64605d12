import { defined } from '../../model/defined.ts';
import { LABEL } from '../../model/kube.ts';
import type { Node, Pod, Taint } from '../../model/kube.ts';
import { addResources, maxResources, parseResources, podRequests, reportedResources, subtractResources } from '../../model/resources.ts';
import type { Resources } from '../../model/resources.ts';
import type { Labels } from '../../model/selector.ts';
import { CONDITION, DISRUPTED_TAINT, UNREGISTERED_TAINT, isDeleting, isTrue, nameOf } from '../api.ts';
import type { NodeClaim } from '../api.ts';
import type { Context } from '../context.ts';
import { hostPortsOf } from '../scheduling/host-ports.ts';
import type { NodeCandidate } from '../scheduling/types.ts';
import { isDisrupted, isSameTaint } from '../lifecycle/registrar.ts';
import { Daemons, NO_SHARE } from './daemons.ts';
import type { DaemonShare } from './daemons.ts';
import { overdueNodes } from './overdue.ts';
import { isNodePod, isTerminal, willMove } from './pods.ts';

/** Taints of a starting node until it is ready; pods may be nominated to it anyway. */
const STARTING_TAINTS: readonly string[] = [
  UNREGISTERED_TAINT.key,
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
  'node.cloudprovider.kubernetes.io/uninitialized',
];

/**
 * The nodes that pods may be nominated to: all of the cluster's, whoever created them, and launches in progress. A node that is not
 * initialized counts with its claim's values where it has not reported its own.
 */
export function readNodes(context: Context): NodeCandidate[] {
  const { state } = context;
  const daemons = new Daemons(state.daemonSets.list());
  const claimOf = new Map<string, NodeClaim>();
  const candidates: NodeCandidate[] = [];
  const nodes = state.nodes.list();
  const present = new Set(nodes.map((node) => node.spec?.providerID));
  for (const claim of state.claims.list()) {
    const providerId = claim.status?.providerID;
    if (providerId !== undefined) claimOf.set(providerId, claim);
    if (isDeleting(claim) || (providerId !== undefined && present.has(providerId))) continue;
    const candidate = providerId === undefined ? unlaunched(context, claim, daemons) : launched(claim, daemons);
    if (candidate !== undefined) candidates.push(candidate);
  }
  const claimOfNode = (node: Node): NodeClaim | undefined => claimOf.get(node.spec?.providerID ?? '');
  const overdue = overdueNodes(context, nodes, claimOfNode);
  for (const node of nodes) {
    const claim = claimOfNode(node);
    const candidate = presentNode(stayingUntilSettled(context, node, claim), claim, [...state.podsOn(nameOf(node))], daemons);
    candidates.push(overdue.has(node) ? { ...candidate, accepting: false } : candidate);
  }
  return candidates;
}

/** It may still become one of several types: only what all of them have can be relied on. */
function unlaunched(context: Context, claim: NodeClaim, daemons: Daemons): NodeCandidate | undefined {
  const offerings = context.claimOfferings.of(claim);
  const [first] = offerings;
  if (first === undefined) return undefined;
  const labels = claim.metadata.labels ?? {};
  const taints = claim.spec.taints ?? [];
  const variants = offerings.map((one): Labels => ({ ...labels, ...one.labels, [LABEL.hostname]: nameOf(claim) }));
  const shares = variants.map((variant) => daemons.shareOf(variant, taints));
  let least: Resources | undefined;
  for (const [index, { type }] of offerings.entries()) {
    const room = subtractResources(type.allocatable, shares[index]?.requests ?? {});
    least = least === undefined ? room : minResources(least, room);
  }
  return {
    name: nameOf(claim),
    claim: nameOf(claim),
    variants,
    taints,
    free: least ?? {},
    hostPorts: shares.flatMap(({ hostPorts }) => hostPorts),
    accepting: true,
    pods: [],
  };
}

function launched(claim: NodeClaim, daemons: Daemons): NodeCandidate {
  const variant = { ...claim.metadata.labels, [LABEL.hostname]: nameOf(claim) };
  const taints = claim.spec.taints ?? [];
  const share = daemons.shareOf(variant, taints);
  return {
    name: nameOf(claim),
    claim: nameOf(claim),
    variants: [variant],
    taints,
    free: subtractResources(parseResources(claim.status?.allocatable), share.requests),
    hostPorts: share.hostPorts,
    accepting: true,
    pods: [],
  };
}

/**
 * A node of ours that is tainted for a check takes pods until its removal is final: nominating pods to it keeps it. Otherwise pods
 * that a stale cache shows as pending, although they run there, would get new nodes.
 */
function stayingUntilSettled({ reservations }: Context, node: Node, claim: NodeClaim | undefined): Node {
  if (claim === undefined || isDeleting(claim) || reservations.isSettled(claim) || !isDisrupted(node)) return node;
  return { ...node, spec: { ...node.spec, taints: (node.spec?.taints ?? []).filter((one) => !isSameTaint(one, DISRUPTED_TAINT)) } };
}

function presentNode(node: Node, claim: NodeClaim | undefined, pods: readonly Pod[], daemons: Daemons): NodeCandidate {
  const isStarting = claim !== undefined && !isTrue(claim.status?.conditions, CONDITION.initialized);
  const running = pods.filter((pod) => !isTerminal(pod));
  const labels = { ...(isStarting ? claim.metadata.labels : {}), ...node.metadata.labels };
  const taints = isStarting ? startingTaints(node, claim) : (node.spec?.taints ?? []);
  const present = total(running.filter(isNodePod));
  // Expected DaemonSet pods keep their place, also on nodes that others created.
  const expected: DaemonShare = isStarting ? daemons.shareOf(labels, taints) : NO_SHARE;
  const taken = addResources(total(running.filter((pod) => !isNodePod(pod))), maxResources(present, expected.requests));
  const allocatable = {
    ...(isStarting ? parseResources(claim.status?.allocatable) : {}),
    ...reportedResources(parseResources(node.status?.allocatable)),
  };
  const isLeaving = isDeleting(node) || (claim !== undefined && isDeleting(claim));
  return {
    name: nameOf(node),
    ...defined({ claim: claim === undefined ? undefined : nameOf(claim) }),
    variants: [labels],
    taints,
    free: subtractResources(allocatable, taken),
    hostPorts: [...running.flatMap(({ spec }) => hostPortsOf(spec)), ...expected.hostPorts],
    accepting: !isLeaving && node.spec?.unschedulable !== true,
    // Pods that are planned again don't count where they are now.
    pods: running.filter((pod) => !isDeleting(pod) && !(isLeaving && willMove(pod))),
  };
}

function total(pods: readonly Pod[]): Resources {
  return pods.map(requestsOf).reduce<Resources>(addResources, {});
}

/** A pod with invalid requests still takes its place. */
function requestsOf(pod: Pod): Resources {
  try {
    return podRequests(pod.spec);
  } catch {
    return { pods: 1 };
  }
}

/** What is left once the node is initialized; before it has registered, that is what its claim says. */
function startingTaints(node: Node, claim: NodeClaim): Taint[] {
  if (!isTrue(claim.status?.conditions, CONDITION.registered)) return claim.spec.taints ?? [];
  const passing = new Set([...STARTING_TAINTS, ...(claim.spec.startupTaints ?? []).map(({ key }) => key)]);
  return [...(node.spec?.taints ?? []), ...(claim.spec.taints ?? [])].filter(({ key }) => !passing.has(key));
}

function minResources(a: Resources, b: Resources): Resources {
  return Object.fromEntries(Object.keys(a).map((name) => [name, Math.min(a[name] ?? 0, b[name] ?? 0)]));
}
