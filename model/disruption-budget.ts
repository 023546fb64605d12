import { nextHit, parseCron } from './cron.ts';

/** Reasons to disrupt a healthy node. */
export const DISRUPTION_REASONS = ['empty', 'underutilized', 'drifted'] as const;
export type DisruptionReason = (typeof DISRUPTION_REASONS)[number];

/** How many of a pool's nodes may be disrupted at once for such reasons. */
export interface DisruptionBudget {
  /** A number or a percentage of the pool's nodes: `3`, `20%`. */
  readonly nodes: string;
  /** By default all. */
  readonly reasons?: readonly DisruptionReason[];
  /** Cron, in UTC: when it becomes active, each time for the duration. By default it is always active. */
  readonly schedule?: string;
  readonly durationMs?: number;
}

/**
 * Whether a budget is active at a moment: its schedule hit less than the duration ago. One with an invalid schedule, or one that
 * never hits, is always active. Source: Karpenter, `Budget.IsActive`, v1.8.
 * @param nowMs since the Unix epoch
 */
export function isInForce({ schedule, durationMs }: Pick<DisruptionBudget, 'schedule' | 'durationMs'>, nowMs: number): boolean {
  if (schedule === undefined || durationMs === undefined) return true;
  const cron = parseCron(schedule);
  if (cron === undefined) return true;
  return (nextHit(cron, nowMs - durationMs) ?? -Infinity) <= nowMs;
}

/** Whether a budget is active at some moment between two, in milliseconds since the Unix epoch. */
export function isInForceWithin(
  budget: Pick<DisruptionBudget, 'schedule' | 'durationMs'>,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): boolean {
  if (isInForce(budget, fromMs)) return true;
  const cron = parseCron(budget.schedule ?? '');
  return cron !== undefined && (nextHit(cron, fromMs) ?? Infinity) <= toMs;
}

/** Whether a budget limits disruptions for this reason. */
export function isAbout({ reasons }: Pick<DisruptionBudget, 'reasons'>, reason: DisruptionReason): boolean {
  return reasons === undefined || reasons.includes(reason);
}

/** How many of `total` nodes a budget allows to disrupt: its number, or its percentage rounded up. An invalid budget allows none. */
export function nodesAllowed({ nodes, schedule }: Pick<DisruptionBudget, 'nodes' | 'schedule'>, total: number): number {
  const [, digits, percent] = /^(\d+)(%?)$/.exec(nodes) ?? [];
  if (digits === undefined || (schedule !== undefined && parseCron(schedule) === undefined)) return 0;
  return percent === '%' ? Math.ceil((Number(digits) * total) / 100) : Number(digits);
}

/**
 * The same for a pool, by those of its budgets that allow anything: others are for the time in which they are not active.
 * @param budgets of the pool; without any, all nodes go in one round
 */
export function roundsWhileAllowed(budgets: readonly DisruptionBudget[] = [], reason: DisruptionReason, nodes: number): number {
  const allowing = budgets.filter((budget) => nodesAllowed(budget, 1) > 0);
  return removalRounds(allowing, reason, nodes) ?? 1;
}

/**
 * In how many rounds all nodes of a pool can be removed for a reason, if each round removes as many as the budgets allow: a
 * percentage is one of the nodes that are left then. Scheduled budgets count as active.
 * @returns undefined if the budgets allow none
 */
export function removalRounds(budgets: readonly DisruptionBudget[], reason: DisruptionReason, nodes: number): number | undefined {
  const limiting = budgets.filter((budget) => isAbout(budget, reason));
  let rounds = 0;
  for (let left = nodes; left > 0; rounds += 1) {
    const allowed = Math.min(left, ...limiting.map((budget) => nodesAllowed(budget, left)));
    if (allowed === 0) return undefined;
    left -= allowed;
  }
  return rounds;
}
