import { withCondition } from '../../model/conditions.ts';
import type { Condition } from '../../model/kube.ts';
import { formatTime } from '../../model/time.ts';

/** A condition without its transition time. */
export type NewCondition = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

/**
 * The conditions with some replaced. `lastTransitionTime` changes only with the status.
 * @returns the same array if nothing changes
 */
export function withConditions(
  conditions: readonly Condition[] | undefined,
  changes: readonly NewCondition[],
  nowMs: number,
): readonly Condition[] {
  return changes.reduce<readonly Condition[]>((all, change) => {
    const known = all.find(({ type }) => type === change.type);
    if (known?.status === change.status && known.reason === change.reason && known.message === change.message) return all;
    return withCondition(all, { ...change, lastTransitionTime: formatTime(nowMs) });
  }, conditions ?? []);
}
