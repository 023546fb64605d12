import { faults } from '../faults/catalogue.ts';
import { specify } from '../faults/fault.ts';
import { pool, scenario } from '../harness/scenario.ts';

const POOLS = [pool('default', { instanceTypes: ['m6i.large', 'm6a.large', 'm7i.large'] })];
/** As many as the SDK's three attempts for each of five launches: the autoscaler itself must know what to do then. */
const LOST_ANSWERS = 15;
/** Longer than the slowest node takes to register, shorter than the SDK's patience. */
const SLOW_ANSWER_MS = 45_000;
const FIVE_NODES = { name: 'web', replicas: 5, cpu: '1500m', memory: '2Gi' } as const;

export const lostLaunchAnswer = scenario({
  id: 'api-pressure/lost-launch-answer',
  title: 'fleets are launched and their answers never arrive: every pod is served, and nothing is forgotten',
  capabilities: ['wire.aws'],
  pools: POOLS,
  async run(t) {
    await t.inject(specify(faults.lostAnswer, { operations: ['ec2:CreateFleet'], when: { kind: 'first', count: LOST_ANSWERS } }));
    const web = await t.deploy(FIVE_NODES);
    t.expect.served(web, 'recover');
    await t.untilServed(web, 'recover');
  },
});

export const slowLaunchAnswer = scenario({
  id: 'api-pressure/slow-launch-answer',
  title: "fleets' answers arrive after their nodes have registered: no instance is lost to the race",
  capabilities: ['wire.aws'],
  pools: POOLS,
  async run(t) {
    await t.inject(specify(faults.slowAnswer, { operations: ['ec2:CreateFleet'], when: { kind: 'always' }, delayMs: SLOW_ANSWER_MS }));
    const web = await t.deploy(FIVE_NODES);
    t.expect.served(web, 'recover');
    await t.untilServed(web, 'recover');
    await t.scale(web, 0);
    t.expect.emptied('scale-in');
    await t.untilEmpty('teardown');
  },
});

/** A request each five seconds, as of an account that others use as well. */
const SMALL_BUCKET = { by: 'bucket', capacity: 2, refillPerSecond: 0.2 } as const;

export const throttledLaunches = scenario({
  id: 'api-pressure/throttled-launches',
  title: 'CreateFleet is throttled while twenty nodes are needed: it is no lack of capacity, and nobody hammers',
  capabilities: ['api.throttle'],
  pools: POOLS,
  async run(t) {
    await t.inject(specify(faults.ec2Throttling, { ...SMALL_BUCKET, operations: ['ec2:CreateFleet'] }));
    const web = await t.deploy({ ...FIVE_NODES, replicas: 20 });
    t.expect.served(web, 'recover');
    await t.untilServed(web, 'recover');
  },
});

export const throttledTerminations = scenario({
  id: 'api-pressure/throttled-terminations',
  title: 'TerminateInstances is refused three times out of four while twenty nodes are not needed any more: all of them end',
  capabilities: ['wire.aws'],
  pools: POOLS,
  async run(t) {
    const web = await t.deploy({ ...FIVE_NODES, replicas: 20 });
    t.expect.served(web, 'provision');
    await t.untilServed(web, 'provision');
    await t.inject(
      specify(faults.ec2Throttling, {
        by: 'rate',
        operations: ['ec2:TerminateInstances'],
        when: { kind: 'probability', probability: 0.75 },
      }),
    );
    await t.scale(web, 0);
    await t.untilEmpty('settle');
  },
});

export const everythingThrottled = scenario({
  id: 'api-pressure/everything-throttled',
  title: 'every third request to EC2 is refused for a while: all pods are served all the same',
  capabilities: ['wire.aws'],
  pools: POOLS,
  async run(t) {
    await t.inject(specify(faults.ec2Throttling, { by: 'rate', operations: ['*'], when: { kind: 'every', nth: 3 } }));
    const web = await t.deploy(FIVE_NODES);
    t.expect.served(web, 'recover');
    await t.untilServed(web, 'recover');
  },
});

export const staleReads = scenario({
  id: 'api-pressure/stale-reads',
  title: 'EC2 shows changes up to thirty seconds late: what was just launched is not taken for lost',
  capabilities: ['reads.stale'],
  pools: POOLS,
  async run(t) {
    await t.inject(specify(faults.staleReads, { maxMs: 30_000 }));
    const web = await t.deploy(FIVE_NODES);
    t.expect.served(web, 'recover');
    await t.untilServed(web, 'recover');
    await t.scale(web, 0);
    t.expect.emptied('scale-in');
    await t.untilEmpty('teardown');
  },
});

export const withdrawnUnderStaleReads = scenario({
  id: 'api-pressure/withdrawn-under-stale-reads',
  title: 'pods and pool are withdrawn right after the launch, and EC2 does not know the instances yet: they end all the same',
  capabilities: ['reads.stale'],
  pools: POOLS,
  async run(t) {
    await t.inject(specify(faults.staleReads, { maxMs: 30_000, mutations: true }));
    const web = await t.deploy(FIVE_NODES);
    await t.untilLaunched(1, 'provision');
    // Seeds meet every moment of the launches.
    await t.pause({ minMs: 0, maxMs: 3_000 });
    await t.remove(web);
    await t.withdrawPools();
    await t.untilEmpty('settle');
  },
});

export const kubernetesThrottles = scenario({
  id: 'api-pressure/kubernetes-throttles',
  title: 'the API server answers every fourth write with 429 and Retry-After: all is served, and all goes again',
  capabilities: ['wire.kube'],
  pools: POOLS,
  async run(t) {
    const writes = ['create nodeclaims', 'patch nodeclaims', 'patch nodeclaims/status', 'patch nodes', 'delete nodes', 'delete nodeclaims'];
    await t.inject(specify(faults.kubeThrottling, { operations: writes, when: { kind: 'every', nth: 4 }, retryAfterSeconds: 1 }));
    const web = await t.deploy(FIVE_NODES);
    t.expect.served(web, 'recover');
    await t.untilServed(web, 'recover');
    await t.scale(web, 0);
    await t.untilEmpty('settle');
  },
});
