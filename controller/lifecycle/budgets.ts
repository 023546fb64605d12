import { CONDITION, isDeleting, isTrue, nodePoolOf } from '../api.ts';
import type { Budget } from '../api.ts';
import { DEFAULT_BUDGET } from '../constants.ts';
import type { ClusterState } from '../state.ts';

/**
 * How many nodes of a pool may be disrupted now for a reason: the smallest of its budgets for that reason, a part of the
 * pool's initialized nodes rounded up, less those that are being deleted or are not ready. A pool that is gone holds
 * nothing back. Budgets with a schedule always hold here, so that less is disrupted than allowed, never more.
 * Source: Karpenter, `BuildDisruptionBudgetMapping` and `NodePool.GetAllowedDisruptionsByReason`, v1.8.
 */
export function allowedDisruptions(state: ClusterState, poolName: string, reason: NonNullable<Budget['reasons']>[number]): number {
  const pool = state.pools.get(poolName);
  if (pool === undefined) return Infinity;
  let total = 0;
  let disrupting = 0;
  for (const claim of state.claims.list()) {
    if (nodePoolOf(claim) !== poolName || !isTrue(claim.status?.conditions, CONDITION.initialized)) continue;
    total += 1;
    const [node] = state.nodesOf(claim.status?.providerID ?? '');
    if (isDeleting(claim) || node === undefined || isDeleting(node) || !isTrue(node.status?.conditions, 'Ready')) disrupting += 1;
  }
  const budgets = pool.spec.disruption?.budgets ?? [{ nodes: DEFAULT_BUDGET }];
  const limits = budgets.filter(({ reasons }) => reasons?.includes(reason) ?? true).map(({ nodes }) => share(nodes, total));
  return Math.max(0, Math.min(Infinity, ...limits) - disrupting);
}

/** A number, or a part of `total` rounded up. What can't be read allows nothing. */
function share(text: string, total: number): number {
  const [, digits, percent] = /^(\d+)(%?)$/.exec(text) ?? [];
  if (digits === undefined) return 0;
  return percent === '%' ? Math.ceil((Number(digits) * total) / 100) : Number(digits);
}
