import { conditionOf } from '../../model/conditions.ts';
import type { Pod } from '../../model/kube.ts';
import { parseTime } from '../../model/time.ts';

/** Whether a pod has finished. */
export function isTerminal({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** Whether a pod counts: neither finished nor being deleted. */
export function isActive(pod: Pod): boolean {
  return !isTerminal(pod) && pod.metadata.deletionTimestamp === undefined;
}

export function isReady(pod: Pod): boolean {
  return conditionOf(pod, 'Ready')?.status === 'True';
}

/** Whether a pod has been ready for long enough. */
export function isAvailable(pod: Pod, minReadySeconds: number, nowMs: number): boolean {
  const ready = conditionOf(pod, 'Ready');
  if (ready?.status !== 'True') return false;
  if (minReadySeconds === 0) return true;
  return ready.lastTransitionTime !== undefined && parseTime(ready.lastTransitionTime) + minReadySeconds * 1000 <= nowMs;
}
