import type { Condition } from './kube.ts';

/** The condition of a type; undefined if the object has none. */
export function conditionOf(object: { status?: { conditions?: Condition[] } }, type: string): Condition | undefined {
  return object.status?.conditions?.find((condition) => condition.type === type);
}

/**
 * Conditions with one of them replaced in place, or appended. `lastTransitionTime` is kept while the status is unchanged, like
 * `meta.SetStatusCondition` of apimachinery.
 */
export function withCondition(conditions: readonly Condition[] | undefined, condition: Condition): Condition[] {
  const before = conditions?.find(({ type }) => type === condition.type);
  const kept = before?.status === condition.status && before.lastTransitionTime !== undefined;
  const merged = kept ? { ...condition, lastTransitionTime: before.lastTransitionTime } : condition;
  if (before === undefined) return [...(conditions ?? []), merged];
  return (conditions ?? []).map((one) => (one.type === condition.type ? merged : one));
}
