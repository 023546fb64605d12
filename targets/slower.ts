import type { TargetConstants } from './target.ts';

/** For the bounds of a trial with two autoscalers: they need no longer than the slower one. */
export function slower(a: TargetConstants, b: TargetConstants): TargetConstants {
  const most = (name: 'launchFailureMs' | 'consolidateAfterMs' | 'consolidationMs' | 'driftMs'): Partial<TargetConstants> => {
    const values = [a[name], b[name]].filter((value) => value !== undefined);
    return values.length === 0 ? {} : { [name]: Math.max(...values) };
  };
  return {
    batchMaxMs: Math.max(a.batchMaxMs, b.batchMaxMs),
    retryPeriodMs: Math.max(a.retryPeriodMs, b.retryPeriodMs),
    launchTimeoutMs: Math.max(a.launchTimeoutMs, b.launchTimeoutMs),
    registrationTimeoutMs: Math.max(a.registrationTimeoutMs, b.registrationTimeoutMs),
    collectionMs: Math.max(a.collectionMs, b.collectionMs),
    emptyAfterMs: Math.max(a.emptyAfterMs, b.emptyAfterMs),
    terminationMs: Math.max(a.terminationMs, b.terminationMs),
    unavailableOfferingMs: Math.max(a.unavailableOfferingMs, b.unavailableOfferingMs),
    // Fewer offerings per launch mean more launches.
    offeringsPerLaunch: Math.min(a.offeringsPerLaunch, b.offeringsPerLaunch),
    ...most('launchFailureMs'),
    ...most('consolidateAfterMs'),
    ...most('consolidationMs'),
    ...most('driftMs'),
  };
}
