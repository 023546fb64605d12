import type { BoundName } from './bounds.ts';
import type { Trial, Workload, WorkloadSpec } from './scenario.ts';
import { NODE_SIZED } from './shapes.ts';

/**
 * Deploys pods, by default such as fill a node each, expects them served within the bound, and waits for that.
 * @param waitFor how long it waits: less where the bound is that of pods which come later, in place of those that are lost
 */
export async function serve(
  t: Trial,
  within: BoundName,
  spec: Partial<WorkloadSpec> & Pick<WorkloadSpec, 'replicas'>,
  waitFor: BoundName = within,
): Promise<Workload> {
  const workload = await t.deploy({ name: 'web', ...NODE_SIZED, ...spec });
  t.expect.served(workload, within);
  await t.untilServed(workload, waitFor);
  return workload;
}

/** Expects the pods of several workloads, which are there, served within the bound, and waits for all of them. */
export async function serveTogether(t: Trial, within: BoundName, workloads: readonly Workload[]): Promise<void> {
  for (const workload of workloads) t.expect.served(workload, within);
  for (const workload of workloads) await t.untilServed(workload, within);
}

/** Takes all pods of a workload away, expects that everything launched so far goes, and waits for that. */
export async function scaleToNone(t: Trial, workload: Workload): Promise<void> {
  await t.scale(workload, 0);
  t.expect.emptied('scale-in');
  await t.untilEmpty('teardown');
}
