import { faults } from '../faults/catalogue.ts';
import { mayFire } from '../faults/fault.ts';
import { nth } from '../faults/triggers.ts';
import { pool, scenario } from '../harness/scenario.ts';
import type { Trial } from '../harness/scenario.ts';
import { NODE_POOLS, NODE_TYPES, PREFERS_ALL_ZONES, SPREAD_OVER_ZONES, impossible, servedAfterHeal } from '../harness/shapes.ts';
import { serve, serveTogether } from '../harness/steps.ts';
import { LABEL } from '../model/kube.ts';

export const spotRunsOut = scenario({
  id: 'capacity/spot-runs-out',
  title: 'spot capacity runs out in one zone, then in all zones: the pool falls back to on-demand there',
  requirements: ['CAP-03', 'CAP-04', 'SCH-05'],
  features: ['spot'],
  pools: [pool('default', { capacityTypes: ['spot', 'on-demand'] })],
  faults: {
    inOneZone: faults.insufficientCapacity({ zones: ['us-east-1a'], capacityTypes: ['spot'], errors: 'all' }),
    anywhere: faults.insufficientCapacity({ capacityTypes: ['spot'], errors: 'all' }),
  },
  async run(t, { inOneZone, anywhere }) {
    const zone = await t.inject(inOneZone);
    // Spread over all zones: the one without spot capacity can't be avoided.
    const spread = { ...SPREAD_OVER_ZONES, minDomains: 3 } as const;
    await serve(t, 'fallback', { name: 'first', replicas: 9, cpu: '1', memory: '2Gi', spread: [spread] });
    await zone.heal();

    await t.inject(anywhere);
    await serve(t, 'fallback', { name: 'second', replicas: 20, cpu: '1', memory: '2Gi' });
  },
});

export const oneInstancePerOffering = scenario({
  id: 'capacity/one-instance-per-offering',
  title: 'each offering has one instance left, and errors name only one of the offerings that were tried: every pod is served',
  requirements: ['CAP-01', 'CAP-02', 'CAP-08'],
  pools: NODE_POOLS,
  under: [faults.insufficientCapacity({ remaining: 1, errors: 'one' })],
  run: (t) => serve(t, 'fallback', { replicas: 8 }),
});

export const zoneWithoutCapacity = scenario({
  id: 'capacity/zone-without-capacity',
  title:
    'a zone has no capacity: pods that can run elsewhere do, and pods pinned to it delay no others and are served when capacity returns',
  requirements: ['CAP-01', 'CAP-02', 'CAP-06', 'CAP-12'],
  pools: NODE_POOLS,
  faults: { shortage: faults.insufficientCapacity({ zones: ['us-east-1b'], errors: 'unfulfillable' }) },
  async run(t, { shortage }) {
    const outage = await t.inject(shortage);
    // Each workload has its own types, so that no pod takes a node meant for another workload.
    const [typeBeside, ...otherTypes] = NODE_TYPES;
    const anywhere = await t.deploy({
      name: 'anywhere',
      replicas: 6,
      nodeAffinity: [{ key: LABEL.instanceType, operator: 'In', values: otherTypes }],
    });
    const pinned = await t.deploy({
      name: 'pinned',
      replicas: 2,
      nodeSelector: { [LABEL.zone]: 'us-east-1b' },
      truth: servedAfterHeal('its zone has no capacity'),
    });
    t.expect.served(anywhere, 'fallback');
    t.expect.served(pinned, 'recover');
    await t.untilFired(outage, 'provision');
    // By then launches for the pinned pods have been tried as well.
    await t.pass('launch-lag');
    // Their zone has capacity, so they need no fallback.
    await serve(t, 'provision', {
      name: 'beside',
      replicas: 2,

      nodeSelector: { [LABEL.zone]: 'us-east-1a', [LABEL.instanceType]: typeBeside },
    });
    await t.untilServed(anywhere, 'fallback');
    await outage.heal();
    await t.untilServed(pinned, 'recover');
  },
});

export const noCapacityAnywhere = scenario({
  id: 'capacity/no-capacity-anywhere',
  title: 'no offering has capacity for a while: retries back off, and all pods are served when capacity returns',
  requirements: ['CAP-04', 'CAP-05', 'CAP-06', 'TEL-04', 'API-10'],
  pools: NODE_POOLS,
  faults: { shortage: faults.insufficientCapacity({ errors: 'tried' }) },
  async run(t, { shortage }) {
    const drought = await t.inject(shortage);
    const web = await t.deploy({ replicas: 5, truth: servedAfterHeal('there is no capacity') });
    t.expect.served(web, 'recover');
    t.expect.explained(web, [], 'provision');
    await t.untilFired(drought, 'provision');
    // Long enough for a backoff of offerings that doubles to outlast it by more than the recovery may take.
    await t.pass('provision', 8);
    await drought.heal();
    await t.untilServed(web, 'recover');
  },
});

/** 63 types that each have room for the pods. */
const MANY_TYPES = ['c', 'm', 'r'].flatMap((family) =>
  ['5', '5a', '5n', '6a', '6i', '7a', '7i'].flatMap((generation) =>
    ['xlarge', '2xlarge', '4xlarge'].map((size) => `${family}${generation}.${size}`),
  ),
);
/** The most expensive on demand: an autoscaler that goes by price tries it late. */
const LEFT = 'r7a.4xlarge';

export const oneTypeWithCapacity = scenario({
  id: 'capacity/one-type-with-capacity',
  title: 'a pool allows 63 types, and only an expensive one has spot capacity: its pod runs on that type after only a few requests',
  requirements: ['CAP-13', 'CAP-02'],
  features: ['spot'],
  pools: [pool('default', { capacityTypes: ['spot'], instanceTypes: MANY_TYPES })],
  under: [faults.insufficientCapacity({ instanceTypes: MANY_TYPES.filter((type) => type !== LEFT), errors: 'one' })],
  run: (t) => serve(t, 'fallback', { replicas: 1 }),
});

/** Every type in every zone: four thousand offerings of spot, and as many on demand. */
const SPOT_FIRST = [
  pool('spot', { capacityTypes: ['spot'], weight: 50 }),
  pool('on-demand', { capacityTypes: ['on-demand'], weight: 1 }),
] as const;

/** Pods that may share nodes, and then one pod after the other that each need a node of their own. */
async function serveMix(t: Trial): Promise<void> {
  const web = await t.deploy({ name: 'web', replicas: 6, cpu: '1', memory: '2Gi' });
  const db = await t.deploy({ name: 'db', kind: 'StatefulSet', replicas: 3, cpu: '2', memory: '8Gi', apartOver: LABEL.hostname });
  await serveTogether(t, 'dry-market', [web, db]);
}

export const spotGoneEverywhere = scenario({
  id: 'capacity/spot-gone-everywhere',
  title:
    'no type has spot capacity: pods run on the next pool, which is on demand, after a few requests, and later ones on spot once it is back',
  requirements: ['CAP-15', 'CAP-07'],
  features: ['spot', 'weights'],
  pools: SPOT_FIRST,
  faults: { drought: faults.insufficientCapacity({ capacityTypes: ['spot'], errors: 'tried' }) },
  async run(t, { drought }) {
    const dry = await t.inject(drought);
    await serveMix(t);
    await dry.heal();
    // By then no target avoids spot any more.
    await t.pass('masked-offering', 1.5);
    t.expect.launchedFrom('spot');
    // More than the nodes have left.
    await serve(t, 'provision', { name: 'later', replicas: 3, cpu: '30', memory: '32Gi' });
  },
});

export const spotGoneOneNamed = scenario({
  id: 'capacity/spot-gone-one-named',
  title: 'no type has spot capacity, and each error names only one offering: pods run on the next pool, which is on demand, as soon',
  requirements: ['CAP-16'],
  features: ['spot', 'weights'],
  pools: SPOT_FIRST,
  under: [faults.insufficientCapacity({ capacityTypes: ['spot'], errors: 'one' })],
  run: serveMix,
});

export const spotQuota = scenario({
  id: 'capacity/spot-quota',
  title: 'the spot vCPU quota is used up: the remaining pods run on on-demand capacity',
  requirements: ['LIM-04'],
  features: ['spot'],
  pools: [pool('default', { capacityTypes: ['spot', 'on-demand'], instanceTypes: NODE_TYPES })],
  under: [faults.quota({ of: 'vcpus', capacityTypes: ['spot'], vcpus: 4 })],
  run: (t) => serve(t, 'fallback', { replicas: 6 }),
});

export const noAddresses = scenario({
  id: 'capacity/no-addresses',
  title: 'the subnets of two zones have no free addresses: nodes launch in the third, even for pods that prefer to be spread',
  requirements: ['LIM-05'],
  pools: NODE_POOLS,
  // An autoscaler that reads the number of free addresses never triggers it.
  under: [mayFire(faults.addressExhaustion({ zones: ['us-east-1a', 'us-east-1b'], remaining: 0 }))],
  async run(t) {
    const anywhere = await t.deploy({ name: 'anywhere', replicas: 3 });
    // An autoscaler that honours the preference requests one zone per launch, and EC2 has no other choice.
    const spread = await t.deploy({ name: 'spread', replicas: 3, spread: [PREFERS_ALL_ZONES] });
    await serveTogether(t, 'fallback', [anywhere, spread]);
  },
});

export const instanceDiesAtLaunch = scenario({
  id: 'capacity/instance-dies-at-launch',
  title: 'launched instances die before they run: their pods get other instances',
  requirements: ['CAP-09'],
  pools: NODE_POOLS,
  under: [faults.launchFailure({ count: 3 })],
  run: (t) => serve(t, 'replacement', { replicas: 5 }),
});

export const smallerThanAdvertised = scenario({
  id: 'capacity/smaller-than-advertised',
  title: 'nodes have a fifth less allocatable memory than their type suggests: pods are served without a launch loop',
  requirements: ['PRV-07', 'CAP-10'],
  pools: [pool('default', { instanceTypes: ['m6i.large', 'm6i.xlarge'] })],
  under: [faults.allocatableShortfall({ memory: 0.2 })],
  run: (t) => serve(t, 'replacement', { replicas: 4, cpu: '1', memory: '6Gi' }),
});

export const allTypesSmaller = scenario({
  id: 'capacity/all-types-smaller',
  title: 'nodes of all types have two thirds less allocatable memory than their types suggest: two types are enough to know',
  requirements: ['PRV-07', 'CAP-10'],
  pools: [pool('default')],
  under: [faults.allocatableShortfall({ memory: 0.67 })],
  run: (t) => serve(t, 'replacement', { replicas: 1, cpu: '1500m', memory: '12Gi' }),
});

/** Found by the explorer in the reference: what nodes had shown counted only for nodes with the same settings of their kubelets. */
export const smallerInAllClasses = scenario({
  id: 'capacity/smaller-in-all-classes',
  profile: 'extended',
  title:
    'nodes of all types have two thirds less allocatable memory, in two classes with other settings of their kubelets: two types are enough to know',
  requirements: ['CAP-10'],
  features: ['weights'],
  pools: [
    pool('first', { instanceTypes: ['m5.xlarge'], weight: 10 }),
    pool('second', { nodeSettings: { kubelet: { systemReserved: { memory: '256Mi' } } } }),
  ],
  under: [faults.allocatableShortfall({ memory: 0.67 })],
  run: (t) => serve(t, 'replacement', { replicas: 1, cpu: '1500m', memory: '12Gi' }),
});

/** Found by the explorer in the reference: what a node had shown about its type counted for ever. */
export const smallerForAWhile = scenario({
  id: 'capacity/smaller-for-a-while',
  profile: 'extended',
  title:
    'nodes of the only type are smaller than advertised for a while, too small for a pod: it is served once new nodes are larger again',
  requirements: ['CAP-17', 'CAP-10'],
  pools: [pool('default', { instanceTypes: ['m6i.large'] })],
  faults: { shortfall: faults.allocatableShortfall({ memory: 0.5 }) },
  async run(t, { shortfall }) {
    const short = await t.inject(shortfall);
    const web = await t.deploy({ replicas: 1, cpu: '1', memory: '5Gi', truth: servedAfterHeal('nodes are too small for it') });
    t.expect.served(web, 'settle');
    await t.untilFired(short, 'provision');
    await t.pass('provision');
    await short.heal();
    await t.untilServed(web, 'settle');
  },
});

export const launchRefused = scenario({
  id: 'capacity/launch-refused',
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

export const refusedAtLimit = scenario({
  id: 'capacity/refused-at-limit',
  title:
    "all launches are refused for minutes, and the pool's limit leaves room for two of six pods: their users are not flooded with Events while the reasons take turns",
  requirements: ['API-10', 'LIM-01'],
  features: ['node-limits'],
  pools: [pool('default', { limits: { nodes: 2 } })],
  faults: { refusal: faults.launchRefused({}) },
  async run(t, { refusal }) {
    const refused = await t.inject(refusal);
    await t.deploy({ replicas: 6, apartOver: LABEL.hostname, truth: impossible('the limit of the pool leaves room for only two nodes') });
    await t.untilFired(refused, 'provision');
    // Long enough for dozens of tries.
    await t.pass('provision', 12);
  },
});

export const spotPriceTooHigh = scenario({
  id: 'capacity/spot-price-too-high',
  title:
    'spot capacity of a type costs more than its launches may pay: pods that need the type run on demand, and pods of another pool run meanwhile',
  requirements: ['CAP-03', 'CAP-11'],
  features: ['spot'],
  pools: [
    pool('mixed', { capacityTypes: ['spot', 'on-demand'], instanceTypes: ['m6i.large'] }),
    pool('other', { instanceTypes: ['m7i.large'] }),
  ],
  faults: {
    tooHigh: faults.launchRefused({ instanceTypes: ['m6i.large'], capacityTypes: ['spot'], code: 'SpotMaxPriceTooLow' }),
  },
  async run(t, { tooHigh }) {
    const refused = await t.inject(tooHigh);
    const pinned = await t.deploy({ name: 'pinned', replicas: 2, nodeSelector: { [LABEL.instanceType]: 'm6i.large' } });
    t.expect.served(pinned, 'fallback');
    await t.untilFired(refused, 'provision');
    await serve(t, 'fallback', { name: 'other', replicas: 2, nodeSelector: { [LABEL.instanceType]: 'm7i.large' } });
    await t.untilServed(pinned, 'fallback');
  },
});

/** By then the first launch has been refused. */
const CREATED_LATE_MS = 5_000;

export const fewerTypesThanRequired = scenario({
  id: 'capacity/fewer-types-than-required',
  title:
    'a pool requires three types, and one of them runs out between the decision to launch and the launch: pods of another pool run meanwhile',
  requirements: ['CAP-12', 'CAP-06', 'PRV-13'],
  features: ['minimum-values'],
  pools: [
    pool('broad', {
      instanceTypes: NODE_TYPES,
      zones: ['us-east-1a'],
      labels: { tier: 'broad' },
      minimumValues: { [LABEL.instanceType]: 3 },
    }),
    pool('other', { instanceTypes: ['m5.large'] }),
  ],
  faults: {
    shortage: faults.insufficientCapacity({ instanceTypes: [...NODE_TYPES], errors: 'one' }),
    // Other autoscalers store nothing before they launch.
    lateClaim: mayFire(faults.lateRequest({ operations: ['create nodeclaims'], when: nth(2), delayMs: CREATED_LATE_MS })),
  },
  async run(t, { shortage, lateClaim }) {
    const drought = await t.inject(shortage);
    await t.inject(lateClaim);
    const broad = await t.deploy({
      name: 'broad',
      replicas: 2,
      nodeSelector: { tier: 'broad' },
      truth: servedAfterHeal('the types of its pool have no capacity'),
    });
    t.expect.served(broad, 'recover');
    await t.untilFired(drought, 'provision');
    // By then the other launch has been tried as well.
    await t.pass('launch-lag');
    await serve(t, 'provision', { name: 'other', replicas: 2, nodeSelector: { [LABEL.instanceType]: 'm5.large' } });
    await drought.heal();
    await t.untilServed(broad, 'recover');
  },
});
