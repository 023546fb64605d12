import type { Taint, TaintEffect, Toleration } from './kube.ts';

/**
 * Whether one toleration tolerates a taint, as in `ToleratesTaint` of `k8s.io/api/core/v1`: an absent key means every key, an
 * absent effect every effect; the operator is Equal unless it says Exists.
 */
export function tolerates({ key = '', operator = 'Equal', value = '', effect }: Toleration, taint: Taint): boolean {
  if (effect !== undefined && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  return operator === 'Exists' || value === (taint.value ?? '');
}

/** The first taint with one of these effects that no toleration tolerates. */
export function untolerated(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
  effects: readonly TaintEffect[],
): Taint | undefined {
  return taints?.find((taint) => effects.includes(taint.effect) && !(tolerations ?? []).some((one) => tolerates(one, taint)));
}

/** The effects that prevent a pod from being scheduled. */
export const REPELLING: readonly TaintEffect[] = ['NoSchedule', 'NoExecute'];
