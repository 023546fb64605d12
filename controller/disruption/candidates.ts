import { RESOURCES } from '../../clients/resources.ts';
import type { CapacityType } from '../../model/catalogue.ts';
import { LABEL } from '../../model/kube.ts';
import type { Node, Pod, PodDisruptionBudget } from '../../model/kube.ts';
import { matchesSelector } from '../../model/selector.ts';
import { CONDITION, KARPENTER, isDeleting, isTrue, nameOf, nodePoolOf } from '../api.ts';
import type { NodeClaim, NodePool } from '../api.ts';
import type { Context } from '../context.ts';
import { isDisrupted } from '../lifecycle/registrar.ts';
import { isReschedulable, isTerminal } from '../provisioning/pods.ts';

/** A node that may be taken though nothing is wrong with it, as far as its pods and its user say. */
export interface Candidate {
  readonly claim: NodeClaim;
  readonly node: Node;
  readonly pool: NodePool;
  /** Those that need another place. */
  readonly pods: readonly Pod[];
  readonly instanceType: string;
  readonly capacityType: CapacityType;
  /** Infinity if it is not known. */
  readonly usdPerHour: number;
}

/** Why a node must stay; undefined if nothing speaks for that. */
export type Veto = (node: Node, pods: readonly Pod[]) => string | undefined;

/** Whether a pod runs whose user said that it must stay, a DaemonSet's as well. */
export function hasOptedOut(pod: Pod): boolean {
  return !isTerminal(pod) && pod.metadata.annotations?.[KARPENTER.doNotDisrupt] === 'true';
}

/** Nodes and pods that opted out, and pods that would not come back. Source: Karpenter, "Pod-Level Controls", v1.8. */
export const vetoOf: Veto = (node, pods) => {
  if (node.metadata.annotations?.[KARPENTER.doNotDisrupt] === 'true') return 'the node must not be disrupted';
  const staying = pods.find(hasOptedOut);
  if (staying !== undefined) return `pod ${nameOf(staying)} must not be disrupted`;
  const bare = pods.find((pod) => !isTerminal(pod) && (pod.metadata.ownerReferences ?? []).length === 0);
  return bare === undefined ? undefined : `pod ${nameOf(bare)} has no controller that would make it anew`;
};

/**
 * The nodes of these claims that may be taken: initialized, not on their way out and not chosen for that, none that pending
 * pods were planned onto, and nothing vetoes it.
 */
export function readCandidates(context: Context, claims: readonly NodeClaim[], veto: Veto): Candidate[] {
  const { state, nominations, reservations, instanceTypes } = context;
  return claims.flatMap((claim) => {
    const [node] = state.nodesOf(claim.status?.providerID ?? '');
    const pool = state.pools.get(nodePoolOf(claim));
    if (node === undefined || pool === undefined || isDeleting(claim) || isDeleting(node) || isDeleting(pool)) return [];
    if (!isTrue(claim.status?.conditions, CONDITION.initialized) || isDisrupted(node) || reservations.has(claim)) return [];
    if (nominations.has(nameOf(node)) || nominations.has(nameOf(claim))) return [];
    const pods = [...state.podsOn(nameOf(node))];
    if (veto(node, pods) !== undefined) return [];
    const { [LABEL.instanceType]: instanceType = '', [LABEL.zone]: zone, [LABEL.capacityType]: paid } = claim.metadata.labels ?? {};
    const capacityType = paid === 'spot' ? 'spot' : 'on-demand';
    const offering = instanceTypes.get(instanceType)?.offerings.find((one) => one.zone === zone && one.capacityType === capacityType);
    const usdPerHour = offering?.usdPerHour ?? Infinity;
    return [{ claim, node, pool, pods: pods.filter(isReschedulable), instanceType, capacityType, usdPerHour }];
  });
}

/** Without those whose pods a PodDisruptionBudget keeps where they are now. Read from the server: there is no copy. */
export async function withoutGuarded({ kube }: Context, candidates: readonly Candidate[]): Promise<Candidate[]> {
  if (candidates.length === 0) return [];
  const budgets = (await kube.list<PodDisruptionBudget>(RESOURCES.poddisruptionbudgets)).filter(
    ({ status }) => (status?.disruptionsAllowed ?? 0) === 0,
  );
  const isGuarded = (pod: Pod): boolean =>
    budgets.some(
      ({ metadata, spec }) =>
        metadata.namespace === pod.metadata.namespace &&
        spec.selector !== undefined &&
        matchesSelector(spec.selector, pod.metadata.labels ?? {}),
    );
  return candidates.filter(({ pods }) => !pods.some(isGuarded));
}

/** What it costs the cluster to move a node's pods. Source: Karpenter, `pkg/utils/disruption`, v1.8. */
export function disruptionCost({ pods }: Candidate): number {
  return pods.reduce((sum, { metadata, spec }) => {
    const deletion = Number(metadata.annotations?.['controller.kubernetes.io/pod-deletion-cost'] ?? 0);
    return sum + 1 + (Number.isFinite(deletion) ? deletion : 0) / 2 ** 27 + (spec.priority ?? 0) / 2 ** 25;
  }, 0);
}
