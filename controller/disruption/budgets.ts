import { defined } from '../../model/defined.ts';
import { isInForce, nodesAllowed } from '../../model/disruption-budget.ts';
import { CONDITION, durationOf, isDeleting, isTrue, nodePoolOf } from '../api.ts';
import type { Budget, DisruptionReason } from '../api.ts';
import { DEFAULT_BUDGET } from '../constants.ts';
import type { Context } from '../context.ts';
import { isDisrupted } from '../lifecycle/registrar.ts';

/** How many nodes of a pool may be disrupted now for a reason. */
export type Allowed = (poolName: string, reason: DisruptionReason) => number;

/**
 * The smallest of the pool's budgets that are active for that reason (percentages of its initialized nodes, rounded up), minus
 * nodes that are being disrupted, are reserved for that, or are not ready. A deleted pool has no limit.
 * Source: Karpenter, `BuildDisruptionBudgetMapping` and `NodePool.GetAllowedDisruptionsByReason`, v1.8.
 */
export function allowedDisruptions(
  { state, reservations }: Pick<Context, 'state' | 'reservations'>,
  poolName: string,
  reason: DisruptionReason,
  nowMs: number,
): number {
  const pool = state.pools.get(poolName);
  if (pool === undefined) return Infinity;
  let total = 0;
  let disrupting = 0;
  for (const claim of state.claims.list()) {
    if (nodePoolOf(claim) !== poolName || !isTrue(claim.status?.conditions, CONDITION.initialized)) continue;
    total += 1;
    const [node] = state.nodesOf(claim.status?.providerID ?? '');
    const isStaying = node !== undefined && !isDeleting(node) && !isDisrupted(node) && isTrue(node.status?.conditions, 'Ready');
    if (isDeleting(claim) || reservations.has(claim) || !isStaying) disrupting += 1;
  }
  const budgets = pool.spec.disruption?.budgets ?? [{ nodes: DEFAULT_BUDGET }];
  const limits = budgets
    .filter(({ reasons }) => reasons?.includes(reason) ?? true)
    .map(readBudget)
    .filter((budget) => isInForce(budget, nowMs))
    .map((budget) => nodesAllowed(budget, total));
  return Math.max(0, Math.min(Infinity, ...limits) - disrupting);
}

function readBudget({ nodes, schedule, duration }: Budget): { nodes: string; schedule?: string; durationMs?: number } {
  return {
    nodes,
    ...defined({ schedule, durationMs: duration === undefined ? undefined : durationOf(duration) }),
  };
}
