import { faults } from '../faults/catalogue.ts';
import { specify } from '../faults/fault.ts';
import { LABEL } from '../model/kube.ts';
import { pool, scenario } from '../harness/scenario.ts';
import { NODE_POOLS, NODE_SIZED, NODE_TYPES, SOFTLY_SPREAD, serve, serveTogether } from './parts.ts';

export const spotRunsOut = scenario({
  id: 'capacity/spot-runs-out',
  title: 'no spot capacity in one zone, then none anywhere: the pool falls back to on-demand there',
  requirements: ['CAP-03', 'CAP-04', 'SCH-05'],
  profile: 'extended',
  features: ['spot'],
  capabilities: ['capacity.set'],
  pools: [pool('default', { capacityTypes: ['spot', 'on-demand'] })],
  async run(t) {
    const zone = await t.inject(specify(faults.insufficientCapacity, { zones: ['us-east-1a'], capacityTypes: ['spot'], errors: 'all' }));
    // Spread over all zones: the one without spot capacity can't be gone round.
    const spread = { maxSkew: 1, topologyKey: LABEL.zone, whenUnsatisfiable: 'DoNotSchedule', minDomains: 3 } as const;
    const first = await t.deploy({ name: 'first', replicas: 9, cpu: '1', memory: '2Gi', spread: [spread] });
    t.expect.served(first, 'fallback');
    await t.untilServed(first, 'fallback');
    await zone.heal();

    await t.inject(specify(faults.insufficientCapacity, { capacityTypes: ['spot'], errors: 'all' }));
    const second = await t.deploy({ name: 'second', replicas: 20, cpu: '1', memory: '2Gi' });
    t.expect.served(second, 'fallback');
    await t.untilServed(second, 'fallback');
  },
});

export const oneOfEach = scenario({
  id: 'capacity/one-of-each',
  title: 'each offering has one instance left, and errors name one pool of those that were tried',
  requirements: ['CAP-01', 'CAP-02', 'CAP-08'],
  capabilities: ['capacity.set'],
  pools: NODE_POOLS,
  async run(t) {
    await t.inject(specify(faults.insufficientCapacity, { remaining: 1, errors: 'one' }));
    await serve(t, 'fallback', { replicas: 8 });
  },
});

export const zoneWithoutCapacity = scenario({
  id: 'capacity/zone-without-capacity',
  title:
    'a zone has no capacity at all: pods that may go elsewhere do, and those that may not keep nobody waiting and are served when it is back',
  requirements: ['CAP-01', 'CAP-02', 'CAP-06', 'CAP-12'],
  capabilities: ['capacity.set'],
  pools: NODE_POOLS,
  async run(t) {
    const outage = await t.inject(specify(faults.insufficientCapacity, { zones: ['us-east-1b'], errors: 'unfulfillable' }));
    // Of types of their own: no pod takes a node that was meant for pods of another workload.
    const [typeBeside, ...otherTypes] = NODE_TYPES;
    const anywhere = await t.deploy({
      name: 'anywhere',
      replicas: 6,
      ...NODE_SIZED,
      nodeAffinity: [{ key: LABEL.instanceType, operator: 'In', values: otherTypes }],
    });
    const pinned = await t.deploy({
      name: 'pinned',
      replicas: 2,
      ...NODE_SIZED,
      nodeSelector: { [LABEL.zone]: 'us-east-1b' },
      truth: { kind: 'schedulable-after-heal', why: 'its zone has no capacity' },
    });
    t.expect.served(anywhere, 'fallback');
    t.expect.served(pinned, 'recover');
    await t.untilFired(outage, 'provision');
    // Until then those of the zone have been tried as well.
    await t.pass('launch-lag');
    // Their zone has capacity: there is nothing that they have to fall back from.
    const beside = await t.deploy({
      name: 'beside',
      replicas: 2,
      ...NODE_SIZED,
      nodeSelector: { [LABEL.zone]: 'us-east-1a', [LABEL.instanceType]: typeBeside },
    });
    t.expect.served(beside, 'provision');
    await t.untilServed(beside, 'provision');
    await t.untilServed(anywhere, 'fallback');
    await outage.heal();
    await t.untilServed(pinned, 'recover');
  },
});

export const nothingAnywhere = scenario({
  id: 'capacity/nothing-anywhere',
  title: 'no capacity of any kind anywhere for a while: requests do not pile up, and all is served when it is back',
  requirements: ['CAP-04', 'CAP-05', 'CAP-06', 'TEL-04'],
  capabilities: ['capacity.set'],
  pools: NODE_POOLS,
  async run(t) {
    const drought = await t.inject(specify(faults.insufficientCapacity, { errors: 'tried' }));
    const web = await t.deploy({
      name: 'web',
      replicas: 5,
      ...NODE_SIZED,
      truth: { kind: 'schedulable-after-heal', why: 'there is no capacity' },
    });
    t.expect.served(web, 'recover');
    t.expect.explained(web, [], 'provision');
    await t.untilFired(drought, 'provision');
    await t.pass('provision', 6);
    await drought.heal();
    await t.untilServed(web, 'recover');
  },
});

/** 63 types of which each has room for the pods. */
const MANY_TYPES = [
  'c5',
  'c5a',
  'c5n',
  'c6a',
  'c6i',
  'c7a',
  'c7i',
  'm5',
  'm5a',
  'm5n',
  'm6a',
  'm6i',
  'm7a',
  'm7i',
  'r5',
  'r5a',
  'r5n',
  'r6a',
  'r6i',
  'r7a',
  'r7i',
].flatMap((family) => ['xlarge', '2xlarge', '4xlarge'].map((size) => `${family}.${size}`));
/** On demand the dearest of them: who goes by price comes to it late. */
const LEFT = 'r7a.4xlarge';

export const oneTypeOfMany = scenario({
  id: 'capacity/one-type-of-many',
  title: 'a pool allows 63 types, and all but one, which is dear, have no spot capacity: its pod is served from that, within few requests',
  requirements: ['CAP-13', 'CAP-02'],
  profile: 'extended',
  features: ['spot'],
  capabilities: ['capacity.set'],
  pools: [pool('default', { capacityTypes: ['spot'], instanceTypes: MANY_TYPES })],
  async run(t) {
    const scarce = MANY_TYPES.filter((type) => type !== LEFT);
    await t.inject(specify(faults.insufficientCapacity, { instanceTypes: scarce, errors: 'one' }));
    await serve(t, 'fallback', { replicas: 1 });
  },
});

export const spotQuota = scenario({
  id: 'capacity/spot-quota',
  title: 'the quota of spot vCPUs is used up: the rest is bought on demand',
  requirements: ['LIM-04'],
  profile: 'extended',
  features: ['spot'],
  capabilities: ['capacity.quota'],
  pools: [pool('default', { capacityTypes: ['spot', 'on-demand'], instanceTypes: NODE_TYPES })],
  async run(t) {
    await t.inject(specify(faults.quota, { of: 'vcpus', capacityTypes: ['spot'], vcpus: 4 }));
    await serve(t, 'fallback', { replicas: 6 });
  },
});

export const noAddresses = scenario({
  id: 'capacity/no-addresses',
  title: 'the subnets of two zones have no addresses left: nodes come from the third, also for pods that would rather be spread',
  requirements: ['LIM-05'],
  capabilities: ['capacity.quota'],
  pools: NODE_POOLS,
  async run(t) {
    // Who reads how many addresses are left never meets it.
    await t.inject(specify(faults.addressExhaustion, { zones: ['us-east-1a', 'us-east-1b'], remaining: 0 }), 'may-fire');
    const anywhere = await t.deploy({ name: 'anywhere', replicas: 3, ...NODE_SIZED });
    // Whoever heeds the wish asks for one zone at a time, and EC2 has no other to choose.
    const spread = await t.deploy({ name: 'spread', replicas: 3, ...NODE_SIZED, spread: [SOFTLY_SPREAD] });
    await serveTogether(t, 'fallback', [anywhere, spread]);
  },
});

export const diesAtLaunch = scenario({
  id: 'capacity/dies-at-launch',
  title: 'launched instances die before they run: their pods get others',
  requirements: ['CAP-09'],
  capabilities: ['instance.end'],
  pools: NODE_POOLS,
  async run(t) {
    await t.inject(specify(faults.launchFailure, { count: 3 }));
    await serve(t, 'replacement', { replicas: 5 });
  },
});

export const smallerThanAdvertised = scenario({
  id: 'capacity/smaller-than-advertised',
  title: 'nodes have a fifth less memory for pods than their type lets one compute: no loop of launches comes of it',
  requirements: ['PRV-07', 'CAP-10'],
  capabilities: ['boot.delay'],
  pools: [pool('default', { instanceTypes: ['m6i.large', 'm6i.xlarge'] })],
  async run(t) {
    await t.inject(specify(faults.allocatableShortfall, { memory: 0.2 }));
    await serve(t, 'replacement', { replicas: 4, cpu: '1', memory: '6Gi' });
  },
});
