import type { Trial, Workload } from '../harness/scenario.ts';
import { endingSlowly } from '../harness/shapes.ts';
import { scaleToNone, serve, serveTogether } from '../harness/steps.ts';

/** Steps that scenarios of several suites share. */

/** Five nodes are launched and removed, however long the fault makes it take. */
export async function comeAndGo(t: Trial): Promise<void> {
  const web = await serve(t, 'recover', { replicas: 5 });
  await t.scale(web, 0);
  await t.untilEmpty('settle');
}

/** Exactly five nodes are launched, and removed. */
export async function comeOnceAndGo(t: Trial): Promise<void> {
  t.expect.launchedAtMost(5);
  await scaleToNone(t, await serve(t, 'recover', { replicas: 5 }));
}

/** Exactly five nodes are launched, stay for as long as it would take to notice a lost one, and are removed. */
export async function comeStayAndGo(t: Trial): Promise<void> {
  t.expect.launchedAtMost(5);
  const web = await serve(t, 'recover', { replicas: 5 });
  await t.pass('node-without-instance');
  await scaleToNone(t, web);
}

/** Protected pods that take four minutes to stop, and one that takes an hour. */
export async function deploySlowToEnd(t: Trial): Promise<Workload[]> {
  const fourMinutes = endingSlowly({ seconds: 200, graceSeconds: 240 });
  const anHour = endingSlowly({ seconds: 3_600, graceSeconds: 3_600 });
  return [
    await t.deploy({ name: 'slow', replicas: 2, ...fourMinutes, budget: { minAvailable: 2 } }),
    await t.deploy({ name: 'endless', replicas: 1, ...anHour }),
  ];
}

/**
 * Serves the workloads, withdraws their pools, and expects their nodes gone when the pools' grace period is over.
 * @param withdraw withdraws the pools, with what happens around that
 */
export async function drainToTheEnd(
  t: Trial,
  workloads: readonly Workload[],
  withdraw: () => Promise<void> = () => t.withdrawPools(),
): Promise<void> {
  await serveTogether(t, 'provision', workloads);
  for (const workload of workloads) t.expect.servedUntilNow(workload);
  await withdraw();
  await t.emptied('termination-grace');
  for (const workload of workloads) await t.remove(workload);
  await t.untilEmpty('teardown');
}
