import { RESOURCES } from '../../clients/resources.ts';
import type { CapacityType } from '../../model/catalogue.ts';
import { LABEL } from '../../model/kube.ts';
import type { Node, Pod, PodDisruptionBudget } from '../../model/kube.ts';
import { matchesSelector } from '../../model/selector.ts';
import { CONDITION, KARPENTER, isDeleting, isTrue, nameOf, nodePoolOf } from '../api.ts';
import type { NodeClaim, NodePool } from '../api.ts';
import type { Context } from '../context.ts';
import { isDisrupted } from '../lifecycle/registrar.ts';
import { hasOptedOut, isReschedulable, isTerminal } from '../provisioning/pods.ts';

/** A node that may be disrupted voluntarily, as far as its pods and annotations allow. */
export interface Candidate {
  readonly claim: NodeClaim;
  readonly node: Node;
  readonly pool: NodePool;
  /** Pods that have to move elsewhere. */
  readonly pods: readonly Pod[];
  readonly instanceType: string;
  readonly capacityType: CapacityType;
  /** Infinity if unknown. */
  readonly usdPerHour: number;
}

/** Why a node must stay; undefined if there is no reason. */
export type Veto = (node: Node, pods: readonly Pod[]) => string | undefined;

/** Nodes and pods that opted out, and pods that would not be recreated. Source: Karpenter, "Pod-Level Controls", v1.8. */
export const vetoOf: Veto = (node, pods) => {
  if (node.metadata.annotations?.[KARPENTER.doNotDisrupt] === 'true') return 'the node must not be disrupted';
  const staying = pods.find(hasOptedOut);
  if (staying !== undefined) return `pod ${nameOf(staying)} must not be disrupted`;
  const bare = pods.find((pod) => !isTerminal(pod) && (pod.metadata.ownerReferences ?? []).length === 0);
  return bare === undefined ? undefined : `pod ${nameOf(bare)} has no controller that would recreate it`;
};

/**
 * The candidates among these claims' nodes: initialized, not being removed or chosen for removal, without nominated pods, and
 * without a veto.
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

/** Without nodes whose pods a PodDisruptionBudget currently protects. Read from the server: budgets are not cached. */
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

/** The cost of moving a node's pods. Source: Karpenter, `pkg/utils/disruption`, v1.8. */
export function disruptionCost({ pods }: Candidate): number {
  return pods.reduce((sum, { metadata, spec }) => {
    const deletion = Number(metadata.annotations?.['controller.kubernetes.io/pod-deletion-cost'] ?? 0);
    return sum + 1 + (Number.isFinite(deletion) ? deletion : 0) / 2 ** 27 + (spec.priority ?? 0) / 2 ** 25;
  }, 0);
}
