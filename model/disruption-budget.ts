import { nextHit, parseCron } from './cron.ts';

/** Why a node may be taken though nothing is wrong with it. */
export const DISRUPTION_REASONS = ['empty', 'underutilized', 'drifted'] as const;
export type DisruptionReason = (typeof DISRUPTION_REASONS)[number];

/** How many of a pool's nodes may be away at once for such reasons. */
export interface DisruptionBudget {
  /** A number, or a part of the pool's nodes: `3`, `20%`. */
  readonly nodes: string;
  /** By default all. */
  readonly reasons?: readonly DisruptionReason[];
  /** Cron, in UTC: when it begins to hold, each time for the duration. By default it always holds. */
  readonly schedule?: string;
  readonly durationMs?: number;
}

/**
 * Whether a budget holds at a moment: its schedule has begun less than the duration ago. One whose schedule can't be read, or
 * never begins, always holds. Source: Karpenter, `Budget.IsActive`, v1.8.
 * @param nowMs since the Unix epoch
 */
export function isInForce({ schedule, durationMs }: Pick<DisruptionBudget, 'schedule' | 'durationMs'>, nowMs: number): boolean {
  if (schedule === undefined || durationMs === undefined) return true;
  const cron = parseCron(schedule);
  if (cron === undefined) return true;
  return (nextHit(cron, nowMs - durationMs) ?? -Infinity) <= nowMs;
}

/** How many of `total` nodes a budget lets go: its number, or its part rounded up. What can't be read lets none go. */
export function nodesAllowed({ nodes, schedule }: Pick<DisruptionBudget, 'nodes' | 'schedule'>, total: number): number {
  const [, digits, percent] = /^(\d+)(%?)$/.exec(nodes) ?? [];
  if (digits === undefined || (schedule !== undefined && parseCron(schedule) === undefined)) return 0;
  return percent === '%' ? Math.ceil((Number(digits) * total) / 100) : Number(digits);
}
