import type { Target, TargetProcess, TargetSite } from '../../targets/target.ts';

/** Resolves when the target is told to stop. */
export function untilStopped({ runtime: { signal } }: TargetSite): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

const idle = (site: TargetSite): TargetProcess => ({ ready: Promise.resolve(), done: untilStopped(site) });

/** A target that does nothing by default: its constants are small, so that bounds are short. */
export function quietTarget(start: (site: TargetSite) => TargetProcess = idle): Target {
  return {
    name: 'quiet',
    summary: 'does nothing',
    features: [],
    constants: {
      batchMaxMs: 1_000,
      retryPeriodMs: 1_000,
      launchTimeoutMs: 1_000,
      registrationTimeoutMs: 1_000,
      collectionMs: 1_000,
      emptyAfterMs: 1_000,
      terminationMs: 1_000,
      unavailableOfferingMs: 1_000,
      offeringsPerLaunch: 1,
    },
    resources: [],
    install: () => Promise.resolve(),
    start,
    applyPools: () => Promise.resolve(),
    removePools: () => Promise.resolve(),
  };
}
