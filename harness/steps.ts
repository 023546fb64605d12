import type { BoundName } from './bounds.ts';
import type { Trial, Workload, WorkloadRequest } from './scenario.ts';

/**
 * Deploys pods, expects them served within the bound, and waits for that.
 * @param waitFor how long it waits: less if the bound allows for later pods that replace lost ones
 */
export async function serve(t: Trial, within: BoundName, spec: WorkloadRequest, waitFor: BoundName = within): Promise<Workload> {
  const workload = await t.deploy(spec);
  t.expect.served(workload, within);
  await t.untilServed(workload, waitFor);
  return workload;
}

/** Expects the pods of several deployed workloads served within the bound, and waits for all of them. */
export async function serveTogether(t: Trial, within: BoundName, workloads: readonly Workload[]): Promise<void> {
  for (const workload of workloads) t.expect.served(workload, within);
  for (const workload of workloads) await t.untilServed(workload, within);
}

/** Removes all pods of a workload, expects that everything launched so far terminates, and waits for that. */
export async function scaleToNone(t: Trial, workload: Workload): Promise<void> {
  await t.scale(workload, 0);
  t.expect.emptied('scale-in');
  await t.untilEmpty('teardown');
}
