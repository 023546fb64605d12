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

/** How many of `total` nodes a budget allows to disrupt: its number, or its percentage rounded up. An invalid budget allows none. */
export function nodesAllowed({ nodes, schedule }: Pick<DisruptionBudget, 'nodes' | 'schedule'>, total: number): number {
  const [, digits, percent] = /^(\d+)(%?)$/.exec(nodes) ?? [];
  if (digits === undefined || (schedule !== undefined && parseCron(schedule) === undefined)) return 0;
  return percent === '%' ? Math.ceil((Number(digits) * total) / 100) : Number(digits);
}
