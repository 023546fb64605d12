import { faults } from '../faults/catalogue.ts';
import { DESCRIPTIONS } from '../faults/operations.ts';
import { always } from '../faults/triggers.ts';
import { pool, scenario } from '../harness/scenario.ts';
import type { Scenario, ScenarioHead } from '../harness/scenario.ts';
import { ONE_TYPE, OPTED_OUT, endingSlowly } from '../harness/shapes.ts';
import { serve } from '../harness/steps.ts';
import { LABEL } from '../model/kube.ts';
import type { PoolDisruption } from '../model/catalogue.ts';

const EMPTY_AT_ONCE: PoolDisruption = { consolidation: 'when-empty', consolidateAfterMs: 1_000 };
const SPREAD_OVER_CAPACITY_TYPES = { maxSkew: 1, topologyKey: LABEL.capacityType, whenUnsatisfiable: 'DoNotSchedule' } as const;

/** The pool of four nodes changes, and each node has to be replaced. */
function drifted({ disruption, ...head }: ScenarioHead & { readonly disruption: PoolDisruption }): Scenario {
  return scenario({
    ...head,
    features: ['drift', 'disruption-budgets'],
    pools: [pool('default', { ...ONE_TYPE, disruption })],
    async run(t) {
      t.expect.launchedAtMost(8);
      // Long enough that nodes disrupted together overlap: an empty node with a terminated instance no longer counts as disrupted.
      const ending = endingSlowly({ seconds: 50, graceSeconds: 60 });
      const web = await serve(t, 'provision', { replicas: 4, ...ending });
      await t.changePool(pool('default', { instanceTypes: ['m7i.large'], disruption }));
      t.expect.neverWithoutNode(web);
      t.expect.launchedFrom('default');
      await t.emptied('drift');
    },
  });
}

export const driftWithinBudget = drifted({
  id: 'consolidation/drift-within-budget',
  title: 'a pool switches to another instance type: its four nodes are replaced one by one, each after its replacement is ready',
  requirements: ['DIS-07', 'BUD-03', 'BUD-06'],
  disruption: { consolidation: 'when-empty', budgets: [{ nodes: '1' }] },
});

export const driftWithinPercentage = drifted({
  id: 'consolidation/drift-within-percentage',
  title: 'a pool with a 50% disruption budget switches to another instance type: at most two of its four nodes are unavailable at once',
  requirements: ['DIS-07', 'BUD-06'],
  disruption: { consolidation: 'when-empty', budgets: [{ nodes: '50%' }] },
});

export const driftedLabels = scenario({
  id: 'consolidation/drifted-labels',
  title: 'the labels of a pool change: its nodes are replaced by nodes with the new labels',
  requirements: ['DIS-07'],
  features: ['drift'],
  pools: [pool('default', ONE_TYPE)],
  async run(t) {
    t.expect.launchedAtMost(4);
    const web = await serve(t, 'provision', { replicas: 2 });
    await t.changePool(pool('default', { ...ONE_TYPE, labels: { team: 'blue' } }));
    t.expect.neverWithoutNode(web);
    await t.emptied('drift');
  },
});

/** Found by the explorer in the reference: replacements were removed as empty, and others launched, for three hours. */
export const driftedStatefulSet = scenario({
  id: 'consolidation/drifted-stateful-set',
  title:
    'nodes are replaced while the pods of a StatefulSet on them take five minutes to stop: the replacements stay until these come back',
  requirements: ['DIS-04', 'DIS-07'],
  features: ['drift', 'consolidation'],
  pools: [pool('default', { ...ONE_TYPE, disruption: EMPTY_AT_ONCE })],
  async run(t) {
    t.expect.launchedAtMost(4);
    const ending = endingSlowly({ seconds: 300, graceSeconds: 360 });
    const web = await serve(t, 'provision', { kind: 'StatefulSet', replicas: 2, ...ending });
    await t.changePool(pool('default', { ...ONE_TYPE, labels: { team: 'blue' }, disruption: EMPTY_AT_ONCE }));
    await t.emptied('drift');
    await t.untilServed(web, 'recover');
  },
});

/** Found by the explorer in the reference: it waited for the pods before it replaced the node, and they for the node to go. */
export const driftWithWaitingPods = scenario({
  id: 'consolidation/drift-with-waiting-pods',
  title: 'a pool becomes spot only, while its on-demand node leaves pods no place to spread to: it is replaced, and all run',
  requirements: ['DIS-07'],
  features: ['drift', 'spot'],
  pools: [pool('default', { ...ONE_TYPE, capacityTypes: ['on-demand'] })],
  async run(t) {
    // Some pods wait until the node is replaced.
    const web = await serve(t, 'recover', { replicas: 2, cpu: '900m', spread: [SPREAD_OVER_CAPACITY_TYPES] }, 'provision');
    await t.scale(web, 9);
    await t.changePool(pool('default', { ...ONE_TYPE, capacityTypes: ['spot'] }));
    await t.untilServed(web, 'recover');
  },
});

export const driftedReplacementNeverRegisters = scenario({
  id: 'consolidation/drifted-replacement-never-registers',
  title: 'a pool changes and the replacement nodes never register: the outdated nodes stay, and their pods keep running',
  requirements: ['DIS-08'],
  features: ['drift'],
  pools: [pool('default', ONE_TYPE)],
  faults: { lateKubelets: faults.slowRegistration({ never: true }) },
  async run(t, { lateKubelets }) {
    const web = await serve(t, 'provision', { replicas: 3 });
    const broken = await t.inject(lateKubelets);
    await t.changePool(pool('default', { ...ONE_TYPE, labels: { team: 'blue' } }));
    t.expect.neverWithoutNode(web);
    t.expect.kept('registration');
    await t.untilFired(broken, 'drift');
    await t.pass('registration');
  },
});

/** A random mutant that removed the node anyway survived all other scenarios. */
export const driftWithoutPlace = scenario({
  id: 'consolidation/drift-without-place',
  title: 'a pool changes to a type that is too small for the pods of its nodes: the outdated nodes stay, and the pods keep running',
  requirements: ['DIS-08'],
  features: ['drift'],
  pools: [pool('default', { instanceTypes: ['m6i.xlarge'] })],
  async run(t) {
    const web = await serve(t, 'provision', { replicas: 2, cpu: '3' });
    await t.changePool(pool('default', ONE_TYPE));
    t.expect.neverWithoutNode(web);
    t.expect.kept('drift');
    await t.pass('drift');
  },
});

export const descriptionsFail = scenario({
  id: 'consolidation/descriptions-fail',
  title: 'EC2 Describe calls fail for a while: nodes that cannot be compared are not treated as drifted, and none is replaced',
  requirements: ['DIS-09'],
  features: ['drift'],
  pools: [pool('default', ONE_TYPE)],
  faults: { errors: faults.serverError({ operations: DESCRIPTIONS, when: always }) },
  async run(t, { errors }) {
    t.expect.launchedAtMost(3);
    const web = await serve(t, 'provision', { replicas: 3 });
    // An autoscaler that compares nodes only with their pool still checks whether their instances exist.
    const failing = await t.inject(errors);
    t.expect.neverWithoutNode(web);
    t.expect.kept('drift');
    await t.untilFired(failing, 'drift');
    await t.pass('drift');
  },
});

export const driftedDoNotDisruptPod = scenario({
  id: 'consolidation/drifted-do-not-disrupt-pod',
  title: 'a pool changes while its nodes run pods that must not be disrupted: the nodes stay',
  requirements: ['BUD-05'],
  features: ['drift', 'do-not-disrupt'],
  pools: [pool('default', ONE_TYPE)],
  async run(t) {
    t.expect.launchedAtMost(2);
    await serve(t, 'provision', { replicas: 2, annotations: OPTED_OUT });
    await t.changePool(pool('default', { ...ONE_TYPE, labels: { team: 'blue' } }));
    await t.kept('drift');
  },
});

export const driftedDoNotDisruptNode = scenario({
  id: 'consolidation/drifted-do-not-disrupt-node',
  title: 'a pool changes after a user marked its nodes as do-not-disrupt: the nodes stay',
  requirements: ['BUD-07'],
  features: ['drift', 'do-not-disrupt'],
  pools: [pool('default', ONE_TYPE)],
  async run(t) {
    t.expect.launchedAtMost(2);
    await serve(t, 'provision', { replicas: 2 });
    await t.keepNodes();
    await t.changePool(pool('default', { ...ONE_TYPE, labels: { team: 'blue' } }));
    await t.kept('drift');
  },
});

export const driftedTaints = scenario({
  id: 'consolidation/drifted-taints',
  title: 'the taints of a pool change: its nodes are replaced by nodes with the new taints',
  requirements: ['DIS-07'],
  features: ['drift', 'taints'],
  pools: [pool('default', ONE_TYPE)],
  async run(t) {
    t.expect.launchedAtMost(4);
    const web = await serve(t, 'provision', { replicas: 2, tolerations: [{ key: 'team', operator: 'Exists' }] });
    await t.changePool(pool('default', { ...ONE_TYPE, taints: [{ key: 'team', value: 'blue', effect: 'NoSchedule' }] }));
    t.expect.neverWithoutNode(web);
    await t.emptied('drift');
  },
});
