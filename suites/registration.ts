import { faults } from '../faults/catalogue.ts';
import { pool, scenario } from '../harness/scenario.ts';
import { NODE_POOLS, servedAfterHeal } from '../harness/shapes.ts';
import { scaleToNone, serve } from '../harness/steps.ts';
import { LABEL } from '../model/kube.ts';

const TEN_MINUTES_MS = 600_000;

export const slowKubelets = scenario({
  id: 'registration/slow-kubelets',
  title: 'every kubelet takes ten minutes to register, or two thirds of the timeout if that is less: no launch is abandoned or repeated',
  requirements: ['PRV-06', 'REG-01', 'LEK-06', 'LEK-07'],
  capabilities: ['boot.delay'],
  pools: NODE_POOLS,
  async run(t) {
    const delayMs = Math.min(TEN_MINUTES_MS, Math.floor((2 * t.constants.registrationTimeoutMs) / 3));
    await t.inject(faults.slowRegistration({ delayMs }));
    const web = await t.deploy({ replicas: 5 });
    t.expect.launchedAtMost(5);
    await t.served(web, 'registration');
  },
});

export const neverRegisters = scenario({
  id: 'registration/never-registers',
  title: 'two kubelets never register: their instances are terminated, and their pods get other nodes',
  requirements: ['REG-02', 'REG-03'],
  pools: NODE_POOLS,
  under: [faults.slowRegistration({ never: true, count: 2 })],
  run: (t) => serve(t, 'replacement', { replicas: 4 }),
});

export const neverReady = scenario({
  id: 'registration/never-ready',
  title: 'a node registers but never becomes Ready: other pods are served meanwhile, and its own once it is repaired',
  requirements: ['REG-04'],
  pools: NODE_POOLS,
  faults: { brokenNode: faults.neverReady({ count: 1 }) },
  async run(t, { brokenNode }) {
    const broken = await t.inject(brokenNode);
    const first = await t.deploy({
      name: 'first',
      replicas: 1,
      nodeSelector: { [LABEL.zone]: 'us-east-1a' },
      truth: servedAfterHeal('its node does not become Ready'),
    });
    t.expect.served(first, 'recover');
    await t.untilFired(broken, 'provision');
    await serve(t, 'provision', { name: 'others', replicas: 3, nodeSelector: { [LABEL.zone]: 'us-east-1b' } });
    await broken.heal();
    await t.untilServed(first, 'recover');
  },
});

export const flappingNode = scenario({
  id: 'registration/flapping-node',
  title: 'a node keeps changing between Ready and NotReady: it is not replaced again and again, and is removed when no longer needed',
  requirements: ['REG-05'],
  pools: NODE_POOLS,
  under: [faults.flappingNode({ count: 1, periodMs: 20_000, times: 5 })],
  async run(t) {
    t.expect.launchedAtMost(3);
    await serve(t, 'recover', { replicas: 3 });
    await t.pass('provision');
  },
});

export const foreignNodeObject = scenario({
  id: 'registration/foreign-node-object',
  title: 'another component creates the Node object before the kubelet registers: the instance is not lost',
  requirements: ['REG-06'],
  pools: NODE_POOLS,
  under: [faults.foreignNodeObject({ count: 2 })],
  async run(t) {
    await serve(t, 'replacement', { replicas: 4 });
    // An instance that the autoscaler does not recognise is abandoned at the timeout, and its pods get other nodes.
    await t.pass('instance-without-node');
  },
});

/** Found by the explorer in the reference: it registered such nodes, which no pod could use, and launched one after the other. */
export const foreignTaint = scenario({
  id: 'registration/foreign-taint',
  title:
    'another component creates every Node object, with a taint that nobody declared: few nodes are launched, and the pods are served once it stops',
  requirements: ['REG-14'],
  features: ['taints'],
  pools: NODE_POOLS,
  faults: { foreignNodes: faults.foreignNodeObject({ taints: [{ key: 'example.com/foreign', effect: 'NoSchedule' }] }) },
  async run(t, { foreignNodes }) {
    // Three that no pod can use, three in their place, and three to spare.
    t.expect.launchedAtMost(3 * 3);
    const foreign = await t.inject(foreignNodes);
    const web = await t.deploy({ replicas: 3, truth: servedAfterHeal('no pod tolerates the taint of the nodes') });
    t.expect.served(web, 'replacement');
    await t.untilFired(foreign, 'provision');
    await t.pass('registration', 0.5);
    await foreign.heal();
    await t.untilServed(web, 'replacement');
  },
});

/** Found by the explorer in the reference: it launched one node after the other, since it would rather have one without the taint. */
export const softForeignTaint = scenario({
  id: 'registration/soft-foreign-taint',
  title:
    'another component creates every Node object with a PreferNoSchedule taint, and none becomes Ready for a while: each is waited for',
  requirements: ['REG-14'],
  features: ['taints'],
  pools: NODE_POOLS,
  faults: {
    foreignNodes: faults.foreignNodeObject({ taints: [{ key: 'example.com/foreign', effect: 'PreferNoSchedule' }] }),
    brokenNodes: faults.neverReady({}),
  },
  async run(t, { foreignNodes, brokenNodes }) {
    // One for each pod, one in its place for those who give up Nodes that no kubelet created, and one to spare.
    t.expect.launchedAtMost(3 * 2);
    const foreign = await t.inject(foreignNodes);
    const broken = await t.inject(brokenNodes);
    // No pod is bound before the cloud controller has written its labels: a Node that the kubelet did not create lacks them at first.
    const web = await t.deploy({
      replicas: 2,
      nodeSelector: { [LABEL.zone]: 'us-east-1a' },
      apartOver: LABEL.hostname,
      truth: servedAfterHeal('their nodes do not become Ready'),
    });
    t.expect.served(web, 'replacement');
    await t.untilFired(broken, 'provision');
    await t.pass('registration', 0.5);
    await broken.heal();
    await foreign.heal();
    await t.untilServed(web, 'replacement');
  },
});

/** Each has an address: one new machine in four starts while the Node of its address's last owner still exists. */
const MACHINES = 2;

export const addressReuse = scenario({
  id: 'registration/address-reuse',
  title: 'two instances die suddenly, and the next ones get their addresses and node names: instances are told apart by id',
  requirements: ['REG-07'],
  pools: [pool('default', { instanceTypes: ['m6i.large'], zones: ['us-east-1a'] })],
  faults: {
    exhaustion: faults.addressExhaustion({ zones: ['us-east-1a'], remaining: MACHINES, counts: 'reuse' }),
    deadKubelet: faults.deadKubelet({ count: MACHINES }),
    end: faults.instanceEnd({ count: MACHINES }),
  },
  async run(t, { exhaustion, deadKubelet, end }) {
    const reused = await t.inject(exhaustion);
    const scarce = servedAfterHeal('the subnet has too few addresses');
    const first = await t.deploy({ name: 'first', replicas: MACHINES, truth: scarce });
    // The next machine's kubelet may take over the dead one's Node just before that is deleted, and kubelets don't register
    // twice: then it never becomes a node, and is replaced only after the timeout.
    t.expect.served(first, 'replacement');
    await t.untilServed(first, 'provision');
    const second = await t.deploy({ name: 'second', replicas: MACHINES, truth: scarce });
    t.expect.served(second, 'replacement');
    // Their launch is refused, and retried once the zone is no longer avoided: the seed selects a moment around that.
    await t.pass('masked-offering', 0.85);
    await t.pause({ minMs: 0, maxMs: 15_000 });
    // Kubelets die with their machines without reporting it, so their Nodes look Ready for a while.
    await t.inject(deadKubelet);
    await t.inject(end);
    await t.untilFired(reused, 'replacement');
    await t.pass('provision');
  },
});

export const capacityOnUnreadyNode = scenario({
  id: 'registration/capacity-on-unready-node',
  title: 'a node registers but never becomes Ready, and has room left: pods that would fit on it are served elsewhere',
  requirements: ['REG-04'],
  pools: [pool('default', { instanceTypes: ['m6i.xlarge'], zones: ['us-east-1a'] })],
  faults: { brokenNode: faults.neverReady({ count: 1 }) },
  async run(t, { brokenNode }) {
    const broken = await t.inject(brokenNode);
    const first = await t.deploy({ name: 'first', replicas: 1 });
    t.expect.served(first, 'replacement');
    await t.untilFired(broken, 'provision');
    const second = await t.deploy({ name: 'second', replicas: 2, cpu: '500m', memory: '1Gi' });
    t.expect.served(second, 'replacement');
    await t.untilServed(first, 'replacement');
    await t.untilServed(second, 'replacement');
  },
});

export const noNodeBecomesReady = scenario({
  id: 'registration/no-node-becomes-ready',
  title: 'for a long time no node becomes Ready: no more and more nodes are launched, and the pods are served once nodes are repaired',
  requirements: ['REG-13'],
  pools: NODE_POOLS,
  faults: { brokenNodes: faults.neverReady({}) },
  async run(t, { brokenNodes }) {
    const broken = await t.inject(brokenNodes);
    const web = await t.deploy({ replicas: 2, truth: servedAfterHeal('no node becomes Ready') });
    t.expect.served(web, 'recover');
    await t.untilFired(broken, 'provision');
    await t.pass('registration');
    await broken.heal();
    await t.untilServed(web, 'recover');
  },
});

export const namedByInstance = scenario({
  id: 'registration/named-by-instance',
  title: 'nodes are named by instance id: they register, a deleted one and a dead instance are replaced, and all are removed again',
  requirements: ['REG-11'],
  pools: NODE_POOLS,
  under: [faults.instanceIdHostnames({})],
  faults: { deletion: faults.nodeDeleted({ count: 1 }), end: faults.instanceEnd({ count: 1 }) },
  async run(t, { deletion, end }) {
    t.expect.launchedAtMost(4 + 2);
    const web = await serve(t, 'replacement', { replicas: 4 }, 'provision');
    await t.injectUntilFired(deletion, 'provision');
    await t.untilServed(web, 'replacement');
    await t.injectUntilFired(end, 'provision');
    await t.untilServed(web, 'replacement');
    // Who does not remember what was a node finds out at the time-out.
    await t.pass('instance-without-node');
    await scaleToNone(t, web);
  },
});
