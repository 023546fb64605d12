import { faults } from '../faults/catalogue.ts';
import { pool, scenario } from '../harness/scenario.ts';
import type { Trial, Workload, WorkloadSpec } from '../harness/scenario.ts';
import { NODE_POOLS, NODE_TYPES, impossible } from '../harness/shapes.ts';
import { serve } from '../harness/steps.ts';
import { LABEL } from '../model/kube.ts';

export const notLookedAt = scenario({
  id: 'promises/not-looked-at',
  title: 'pods wait behind a scheduling gate or for another scheduler: nothing is launched for them',
  requirements: ['SCH-13'],
  pools: NODE_POOLS,
  async run(t) {
    const waiting: readonly (Pick<WorkloadSpec, 'name'> & Partial<WorkloadSpec> & { readonly why: string })[] = [
      { name: 'gated', schedulingGates: ['example.com/quota'], why: 'its scheduling gate is never removed' },
      { name: 'foreign', schedulerName: 'nobody', why: 'its scheduler does not exist' },
    ];
    const workloads: Workload[] = [];
    for (const { why, ...spec } of waiting) {
      workloads.push(await t.deploy({ replicas: 3, ...spec, truth: impossible(why) }));
    }
    for (const workload of workloads) t.expect.noLaunchFor(workload);
    // First alone, so that nothing else could be the reason for a launch.
    await t.pass('launch-lag', 2);
    await serve(t, 'provision', { replicas: 2 });
    await t.pass('launch-lag', 2);
    // The target need not explain these pods: they wait on purpose, and others know why.
    for (const workload of workloads) await t.remove(workload);
  },
});

const NO_NODES = faults.slowRegistration({ never: true });

export const limitWithoutNodes = scenario({
  id: 'promises/limit-without-nodes',
  title: "no node registers, eight pods each need a node, and the pool's limit is three nodes: the limit holds, also during replacements",
  requirements: ['LIM-03'],
  features: ['node-limits'],
  pools: [pool('default', { instanceTypes: NODE_TYPES, limits: { nodes: 3 } })],
  under: [NO_NODES],
  run: meetLimitWithoutNodes,
});

export const processorLimitWithoutNodes = scenario({
  id: 'promises/processor-limit-without-nodes',
  title:
    "no node registers, eight pods each need a 2-CPU node, and the pool's limit is seven CPUs: the limit holds, also during replacements",
  requirements: ['LIM-03'],
  pools: [pool('default', { instanceTypes: NODE_TYPES, limits: { cpu: 7 } })],
  under: [NO_NODES],
  run: meetLimitWithoutNodes,
});

/** Eight pods that each need a node; the pool allows three nodes, and none ever registers. */
async function meetLimitWithoutNodes(t: Trial): Promise<void> {
  const web = await t.deploy({ replicas: 8, truth: impossible('no kubelet registers, and the pool allows three nodes') });
  // Until the first ones are abandoned, and their replacements have been launched.
  await t.pass('instance-without-node');
  await t.remove(web);
}

export const keptTogether = scenario({
  id: 'promises/kept-together',
  title: 'some pods must share a zone with each other, others with another workload: each pod gets a node in the right zone',
  requirements: ['SCH-14'],
  pools: NODE_POOLS,
  async run(t) {
    // One after the other: with pods that may use others' nodes the result would depend on the scheduler's luck.
    await serve(t, 'provision', { name: 'together', replicas: 4, near: { workload: 'together', over: LABEL.zone } });
    await serve(t, 'provision', { name: 'database', replicas: 1, nodeSelector: { [LABEL.zone]: 'us-east-1c' } });
    await serve(t, 'provision', { name: 'beside', replicas: 3, near: { workload: 'database', over: LABEL.zone } });
  },
});

export const eitherPool = scenario({
  id: 'promises/either-pool',
  title: 'two identical pools could serve pods that each fill a node: no more nodes are launched than there are pods',
  requirements: ['PRV-11'],
  pools: [pool('one', { instanceTypes: ['m6i.large'] }), pool('other', { instanceTypes: ['m6i.large'] })],
  async run(t) {
    t.expect.launchedAtMost(4);
    await serve(t, 'provision', { replicas: 4 });
    await t.pass('launch-lag');
  },
});

export const staticDrift = scenario({
  id: 'promises/static-drift',
  title: 'a fixed-size pool of three nodes switches to another instance type: nodes are replaced within the budget, and pods keep running',
  requirements: ['DIS-07', 'BUD-06', 'PRV-14'],
  features: ['static-capacity', 'drift', 'disruption-budgets'],
  pools: [pool('default', { instanceTypes: ['m6i.large'], replicas: 3 })],
  async run(t) {
    t.expect.launchedAtMost(3 + 3);
    const web = await serve(t, 'provision', { replicas: 3 });
    t.expect.neverWithoutNode(web);
    const disruption = { consolidation: 'when-empty', budgets: [{ nodes: '1' }] } as const;
    await t.changePool(pool('default', { instanceTypes: ['m7i.large'], replicas: 3, disruption }));
    t.expect.launchedFrom('default');
    await t.emptied('drift');
  },
});
