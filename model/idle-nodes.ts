import type { Pool } from './catalogue.ts';
import { isAbout, isInForceWithin, nodesAllowed } from './disruption-budget.ts';
import type { DisruptionBudget, DisruptionReason } from './disruption-budget.ts';

/** A time, in milliseconds since the Unix epoch. */
export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The budgets of a pool that allow no removal for a reason while they are active; by default of idle nodes. */
export function freezesOf({ disruption }: Pick<Pool, 'disruption'>, reason: DisruptionReason = 'empty'): readonly DisruptionBudget[] {
  return (disruption?.budgets ?? []).filter((budget) => isAbout(budget, reason) && nodesAllowed(budget, 1) === 0);
}

/** Whether a pool's own settings always keep its idle nodes. */
export function alwaysKeepsIdleNodes(pool: Pick<Pool, 'disruption'>): boolean {
  return pool.disruption?.consolidateAfterMs === 'never' || freezesOf(pool).some(({ schedule }) => schedule === undefined);
}

/** Whether a pool's own settings keep its idle nodes for some of this time. */
export function keepsIdleNodes(pool: Pick<Pool, 'disruption'>, period: Period): boolean {
  return keepsNodes(pool, 'empty', period);
}

/** The same for nodes that would be removed for some reason. */
export function keepsNodes(pool: Pick<Pool, 'disruption'>, reason: DisruptionReason, period: Period): boolean {
  return pool.disruption?.consolidateAfterMs === 'never' || freezesOf(pool, reason).some((budget) => isInForceWithin(budget, period));
}
