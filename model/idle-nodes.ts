import type { Pool } from './catalogue.ts';
import { isAbout, isInForceWithin, nodesAllowed } from './disruption-budget.ts';
import type { DisruptionBudget } from './disruption-budget.ts';

/** A time, in milliseconds since the Unix epoch. */
export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The budgets of a pool that allow no removal of idle nodes while they are active. */
export function freezesOf({ disruption }: Pick<Pool, 'disruption'>): readonly DisruptionBudget[] {
  return (disruption?.budgets ?? []).filter((budget) => isAbout(budget, 'empty') && nodesAllowed(budget, 1) === 0);
}

/** Whether a pool's own settings always keep its idle nodes. */
export function alwaysKeepsIdleNodes(pool: Pick<Pool, 'disruption'>): boolean {
  return pool.disruption?.consolidateAfterMs === 'never' || freezesOf(pool).some(({ schedule }) => schedule === undefined);
}

/** Whether a pool's own settings keep its idle nodes for some of this time. */
export function keepsIdleNodes(pool: Pick<Pool, 'disruption'>, period: Period): boolean {
  return pool.disruption?.consolidateAfterMs === 'never' || freezesOf(pool).some((budget) => isInForceWithin(budget, period));
}
