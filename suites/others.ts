import { faults } from '../faults/catalogue.ts';
import { pool, scenario } from '../harness/scenario.ts';
import type { Workload } from '../harness/scenario.ts';
import { NODE_POOLS, THIRD_SIZED, servedAfterHeal } from '../harness/shapes.ts';
import { serve } from '../harness/steps.ts';
import { LABEL, WORKLOAD_LABEL } from '../model/kube.ts';

/** Changes by other clients to the autoscaler's objects. */

export const nodeDeleted = scenario({
  id: 'others/node-deleted',
  title: 'someone deletes the Nodes of two of five running instances: the instances are terminated, and their pods run again',
  requirements: ['LEK-04'],
  pools: NODE_POOLS,
  faults: { deletion: faults.nodeDeleted({ count: 2 }) },
  async run(t, { deletion }) {
    const web = await serve(t, 'provision', { replicas: 5 });
    t.expect.served(web, 'replacement');
    await t.injectUntilFired(deletion, 'provision');
    await t.untilServed(web, 'replacement');
    // An autoscaler that does not remember which instances were nodes notices at the timeout.
    await t.pass('instance-without-node');
  },
});

export const launchRefused = scenario({
  id: 'others/launch-refused',
  title: 'launches of one of two types are refused for a reason other than capacity: pods that can use the other type are served',
  requirements: ['CAP-11'],
  pools: [pool('refused', { instanceTypes: ['m6i.large'] }), pool('spare', { instanceTypes: ['m7i.large'] })],
  faults: { refusal: faults.launchRefused({ instanceTypes: ['m6i.large'] }) },
  async run(t, { refusal }) {
    const refused = await t.inject(refusal);
    const pinned = await t.deploy({
      name: 'pinned',
      replicas: 2,
      nodeSelector: { [LABEL.instanceType]: 'm6i.large' },
      truth: servedAfterHeal('launches of its type are refused'),
    });
    t.expect.served(pinned, 'recover');
    await t.untilFired(refused, 'provision');
    await serve(t, 'fallback', { name: 'anywhere', replicas: 4 });
    await refused.heal();
    await t.untilServed(pinned, 'recover');
  },
});

/** A user who changes their mind: before, during and after the launch request. */
const CHANGE_OF_MIND = { minMs: 0, maxMs: 5_000 } as const;
const CHANGES_OF_MIND = 4;
const BRIEF_PODS = 8;

export const comeAndGo = scenario({
  id: 'others/come-and-go',
  title: 'pods, their launches and their pool come and go within moments: later pods are served',
  requirements: ['STL-07'],
  pools: [pool('brief', { instanceTypes: ['m6i.large'] }), pool('default', { instanceTypes: ['m7i.large'] })],
  faults: { shortage: faults.insufficientCapacity({ instanceTypes: ['m6i.large'], errors: 'tried' }) },
  async run(t, { shortage }) {
    const come = (name: string, replicas: number): Promise<Workload> => {
      return t.deploy({ name, replicas, nodeSelector: { [LABEL.instanceType]: 'm6i.large' } });
    };
    for (let change = 1; change <= CHANGES_OF_MIND; change += 1) {
      const brief = await come(`brief-${change}`, BRIEF_PODS);
      await t.pause(CHANGE_OF_MIND);
      await t.remove(brief);
    }
    // More pods than fit on what was launched so far: every further request is refused at once.
    const drought = await t.inject(shortage);
    const inVain = await come('in-vain', BRIEF_PODS * (CHANGES_OF_MIND + 1));
    await t.untilFired(drought, 'provision');
    await t.pass('provision');
    await t.remove(inVain);
    await drought.heal();
    await t.withdrawPools('brief');
    await serve(t, 'recover', { replicas: 3 });
  },
});

const SPREAD_NODES = 4;

export const softSpread = scenario({
  id: 'others/soft-spread',
  title: 'pods that prefer to spread over zones are left on four nodes: at least one node is removed, then the rest stay',
  requirements: ['DIS-06'],
  features: ['consolidation'],
  pools: [pool('default', { instanceTypes: ['m6i.large'], disruption: { consolidation: 'when-empty-or-underutilized' } })],
  async run(t) {
    t.expect.launchedAtMost(2 * SPREAD_NODES);
    const numbers = Array.from({ length: SPREAD_NODES }, (_, index) => index + 1);
    const labelSelector = {
      matchExpressions: [{ key: WORKLOAD_LABEL, operator: 'In' as const, values: numbers.map((number) => `spread-${number}`) }],
    };
    const spread = [{ maxSkew: 1, topologyKey: LABEL.zone, whenUnsatisfiable: 'ScheduleAnyway', labelSelector } as const];
    const left: Workload[] = [];
    const beside: Workload[] = [];
    for (const number of numbers) {
      left.push(await serve(t, 'provision', { name: `spread-${number}`, replicas: 1, ...THIRD_SIZED, spread }));
      beside.push(await serve(t, 'provision', { name: `beside-${number}`, replicas: 2, ...THIRD_SIZED }));
    }
    for (const workload of beside) await t.remove(workload);
    // One node per zone is enough if the preference counts, and two nodes if it does not.
    await t.consolidated(3, 'settle');
    await t.kept('consolidation');
    for (const workload of left) await t.untilServed(workload, 'recover');
  },
});
