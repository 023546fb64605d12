import { faults } from '../faults/catalogue.ts';
import { specify } from '../faults/fault.ts';
import { pool, scenario } from '../harness/scenario.ts';
import { LABEL } from '../model/kube.ts';
import { NODE_POOLS, NODE_SIZED, serve } from './parts.ts';

const TEN_MINUTES_MS = 600_000;

export const slowKubelets = scenario({
  id: 'registration/slow-kubelets',
  title: 'every kubelet takes ten minutes to register, or two thirds of the time-out: nobody gives up early, nothing is launched twice',
  requirements: ['PRV-06', 'REG-01', 'LEK-06', 'LEK-07'],
  capabilities: ['boot.delay'],
  pools: NODE_POOLS,
  async run(t) {
    const delayMs = Math.min(TEN_MINUTES_MS, Math.floor((2 * t.constants.registrationTimeoutMs) / 3));
    await t.inject(specify(faults.slowRegistration, { delayMs }));
    const web = await t.deploy({ name: 'web', replicas: 5, ...NODE_SIZED });
    t.expect.launchedAtMost(5);
    t.expect.served(web, 'registration');
    await t.untilServed(web, 'registration');
  },
});

export const neverRegisters = scenario({
  id: 'registration/never-registers',
  title: 'two kubelets never register: their instances are given up and ended, and their pods get other nodes',
  requirements: ['REG-02', 'REG-03'],
  capabilities: ['boot.delay'],
  pools: NODE_POOLS,
  async run(t) {
    await t.inject(specify(faults.slowRegistration, { never: true, count: 2 }));
    await serve(t, 'replacement', { replicas: 4 });
  },
});

export const neverReady = scenario({
  id: 'registration/never-ready',
  title: 'a node registers and never gets Ready: other pods are served meanwhile, and its own once it is mended',
  requirements: ['REG-04'],
  capabilities: ['boot.delay'],
  pools: NODE_POOLS,
  async run(t) {
    const broken = await t.inject(specify(faults.neverReady, { count: 1 }));
    const first = await t.deploy({
      name: 'first',
      replicas: 1,
      ...NODE_SIZED,
      nodeSelector: { [LABEL.zone]: 'us-east-1a' },
      truth: { kind: 'schedulable-after-heal', why: 'its node does not get Ready' },
    });
    t.expect.served(first, 'recover');
    await t.untilFired(broken, 'provision');
    const others = await t.deploy({ name: 'others', replicas: 3, ...NODE_SIZED, nodeSelector: { [LABEL.zone]: 'us-east-1b' } });
    t.expect.served(others, 'provision');
    await t.untilServed(others, 'provision');
    await broken.heal();
    await t.untilServed(first, 'recover');
  },
});

export const flappingNode = scenario({
  id: 'registration/flapping-node',
  title: 'a node stops and starts being Ready: nothing of it is forgotten, and it goes when it is not needed',
  requirements: ['REG-05'],
  capabilities: ['boot.delay'],
  pools: NODE_POOLS,
  async run(t) {
    await t.inject(specify(faults.flappingNode, { count: 1, periodMs: 20_000, times: 5 }));
    t.expect.launchedAtMost(3);
    await serve(t, 'recover', { replicas: 3 });
    await t.pass('provision');
  },
});

export const foreignNodeObject = scenario({
  id: 'registration/foreign-node-object',
  title: "another party writes a Node's object before its kubelet does: the instance is not lost to the race",
  requirements: ['REG-06'],
  capabilities: ['boot.delay'],
  pools: NODE_POOLS,
  async run(t) {
    await t.inject(specify(faults.foreignNodeObject, { count: 2 }));
    await serve(t, 'replacement', { replicas: 4 });
    // What its autoscaler does not take for its own is given up at the time-out, and its pods get other nodes.
    await t.pass('instance-without-node');
  },
});

/** Machines that have an address each: one new machine in four comes while the Node of its address's last owner is still there. */
const MACHINES = 2;

export const addressReuse = scenario({
  id: 'registration/address-reuse',
  title: 'two machines die suddenly, the next get their addresses and so their node names: each is told apart by its id',
  requirements: ['REG-07'],
  capabilities: ['capacity.quota', 'boot.delay', 'instance.end'],
  pools: [pool('default', { instanceTypes: ['m6i.large'], zones: ['us-east-1a'] })],
  async run(t) {
    const only = specify(faults.addressExhaustion, { zones: ['us-east-1a'], remaining: MACHINES, counts: 'reuse' });
    const reused = await t.inject(only);
    const scarce = { kind: 'schedulable-after-heal', why: 'the subnet has too few addresses' } as const;
    const first = await t.deploy({ name: 'first', replicas: MACHINES, ...NODE_SIZED, truth: scarce });
    // The next machine's kubelet may take over the dead one's Node a moment before that is deleted, and kubelets don't
    // register twice: then it never becomes a node, and is replaced only when it is given up.
    t.expect.served(first, 'replacement');
    await t.untilServed(first, 'provision');
    const second = await t.deploy({ name: 'second', replicas: MACHINES, ...NODE_SIZED, truth: scarce });
    t.expect.served(second, 'replacement');
    // Their launch is refused, and asked for again when the zone is believed in again: seeds meet every moment around that.
    await t.pass('masked-offering', 0.85);
    await t.pause({ minMs: 0, maxMs: 15_000 });
    // No word of kubelets that die with their machines: their Nodes look Ready for a while.
    await t.inject(specify(faults.deadKubelet, { count: MACHINES }));
    await t.inject(specify(faults.instanceEnd, { count: MACHINES }));
    await t.untilFired(reused, 'replacement');
    await t.pass('provision');
  },
});
