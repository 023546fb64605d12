import { conditionOf } from '../../model/conditions.ts';
import type { Condition, Job, Pod } from '../../model/kube.ts';
import { parseTime } from '../../model/time.ts';

/** A pod keeps this finalizer until its Job has counted it. */
export const JOB_TRACKING = 'batch.kubernetes.io/job-tracking';

/** `DefaultJobPodFailureBackOff` and `MaxJobPodFailureBackOff`: how long a Job waits after consecutive failures. */
const FIRST_BACKOFF_MS = 10_000;
const LONGEST_BACKOFF_MS = 10 * 60_000;
const DEFAULT_BACKOFF_LIMIT = 6;

/** How many pods a Job runs at the same time. */
export function parallelismOf({ spec }: Job): number {
  return spec.parallelism ?? 1;
}

/** How many pods must succeed; undefined if one success, and the end of all others, is enough. */
export function completionsOf({ spec }: Job): number | undefined {
  return spec.completions ?? (spec.parallelism === undefined ? 1 : undefined);
}

export function backoffLimitOf({ spec }: Job): number {
  return spec.backoffLimit ?? DEFAULT_BACKOFF_LIMIT;
}

/** The condition Complete or Failed of a finished Job. */
export function finishOf({ status }: Job): Condition | undefined {
  return status?.conditions?.find(({ type, status: holds }) => (type === 'Complete' || type === 'Failed') && holds === 'True');
}

export function isTracked({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(JOB_TRACKING) ?? false;
}

/** A pod that is being deleted counts as failed: it is replaced at once (`podReplacementPolicy: TerminatingOrFailed`). */
export function hasFailed({ metadata, status }: Pod): boolean {
  return status?.phase === 'Failed' || (metadata.deletionTimestamp !== undefined && status?.phase !== 'Succeeded');
}

/** Failures of a Job since its last success. */
export interface Failures {
  readonly count: number;
  readonly lastMs: number;
}

/** `newBackoffRecord` of `backoff_utils.go`, after more pods have finished. */
export function failuresAfter(before: Failures | undefined, succeeded: readonly Pod[], failed: readonly Pod[]): Failures | undefined {
  if (succeeded.length === 0 && failed.length === 0) return before;
  const lastSuccessMs = Math.max(0, ...succeeded.map(endedMs));
  const later = failed.map(endedMs).filter((atMs) => atMs > lastSuccessMs);
  const count = (succeeded.length === 0 ? (before?.count ?? 0) : 0) + later.length;
  return count === 0 ? undefined : { count, lastMs: Math.max(...later, succeeded.length === 0 ? (before?.lastMs ?? 0) : 0) };
}

/** Milliseconds until a Job may start pods again. */
export function backoffMs(failures: Failures | undefined, nowMs: number): number {
  if (failures === undefined) return 0;
  const pauseMs = Math.min(FIRST_BACKOFF_MS * 2 ** (failures.count - 1), LONGEST_BACKOFF_MS);
  return Math.max(0, failures.lastMs + pauseMs - nowMs);
}

/** When a pod finished, as far as known. */
function endedMs(pod: Pod): number {
  const ready = conditionOf(pod, 'Ready');
  if (ready?.status === 'False' && ready.lastTransitionTime !== undefined) return parseTime(ready.lastTransitionTime);
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp = '' } = pod.metadata;
  return deletionTimestamp === undefined ? parseTime(creationTimestamp) : parseTime(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
}
