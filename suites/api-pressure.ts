import { faults } from '../faults/catalogue.ts';
import { mayFire } from '../faults/fault.ts';
import { LAUNCHES, TERMINATIONS } from '../faults/operations.ts';
import { always, between, first, withProbability } from '../faults/triggers.ts';
import { pool, scenario } from '../harness/scenario.ts';
import { NODE_POOLS } from '../harness/shapes.ts';
import { scaleToNone, serve } from '../harness/steps.ts';
import { comeAndGo, comeOnceAndGo } from './parts.ts';

/** The SDK's three attempts for each of five launches: then the autoscaler itself has to retry. */
const LOST_ANSWERS = 15;
/** Longer than the slowest node takes to register, shorter than the SDK waits. */
const SLOW_ANSWER_MS = 45_000;
/** Long enough for rounds of garbage collection meanwhile, and too short for an instance to look forgotten. */
const LATE_ANSWER_MS = 20_000;

export const lostLaunchAnswer = scenario({
  id: 'api-pressure/lost-launch-answer',
  title: 'launches take effect but their answers are lost: every pod is served and no instance leaks',
  requirements: ['PRV-07', 'LEK-02', 'CST-02'],
  pools: NODE_POOLS,
  under: [faults.lostAnswer({ operations: LAUNCHES, when: first(LOST_ANSWERS) })],
  run: (t) => serve(t, 'recover', { replicas: 5 }),
});

export const slowLaunchAnswer = scenario({
  id: 'api-pressure/slow-launch-answer',
  title: 'nodes register before the launches that created them are answered: no instance is lost',
  requirements: ['API-06'],
  pools: NODE_POOLS,
  under: [faults.slowAnswer({ operations: LAUNCHES, when: always, delayMs: SLOW_ANSWER_MS })],
  run: async (t) => scaleToNone(t, await serve(t, 'recover', { replicas: 5 })),
});

export const lateLaunchAnswer = scenario({
  id: 'api-pressure/late-launch-answer',
  title: 'launches are answered twenty seconds late: what they launched is not taken for a leak meanwhile, and not launched again',
  requirements: ['API-06'],
  pools: NODE_POOLS,
  under: [faults.slowAnswer({ operations: LAUNCHES, when: always, delayMs: LATE_ANSWER_MS })],
  run: comeOnceAndGo,
});

/** One request every 50 seconds, and none at the start: others in the account use the bucket as well. */
const SMALL_BUCKET = { by: 'bucket', capacity: 2, refillPerSecond: 0.02, tokens: 0 } as const;

export const throttledLaunches = scenario({
  id: 'api-pressure/throttled-launches',
  title: 'launches are throttled while twenty nodes are needed: throttling is not treated as a lack of capacity, and retries back off',
  requirements: ['API-01', 'API-02'],
  pools: NODE_POOLS,
  under: [faults.ec2Throttling({ ...SMALL_BUCKET, operations: LAUNCHES })],
  run: (t) => serve(t, 'recover', { replicas: 20 }),
});

/** All three of the SDK's attempts at each of four requests: the autoscaler itself must retry, however many it terminates at once. */
const REFUSED_TERMINATIONS = 12;

export const throttledTerminations = scenario({
  id: 'api-pressure/throttled-terminations',
  title: 'terminating is refused twelve times while twenty nodes are no longer needed: every instance is terminated in the end',
  requirements: ['API-03'],
  pools: NODE_POOLS,
  faults: {
    throttling: faults.ec2Throttling({ by: 'rate', operations: TERMINATIONS, when: first(REFUSED_TERMINATIONS) }),
  },
  async run(t, { throttling }) {
    const web = await serve(t, 'provision', { replicas: 20 });
    await t.inject(throttling);
    await t.scale(web, 0);
    await t.untilEmpty('settle');
  },
});

/** Longer than all of the SDK's attempts at one request. */
const THROTTLED_MS = 30_000;

export const everythingThrottled = scenario({
  id: 'api-pressure/everything-throttled',
  title: 'every EC2 request is refused for half a minute while pods arrive: all pods are served',
  requirements: ['API-04', 'API-09', 'CRA-06', 'CRA-07'],
  pools: NODE_POOLS,
  under: [faults.ec2Throttling({ by: 'rate', operations: ['*'], when: between(0, THROTTLED_MS) })],
  run: (t) => serve(t, 'recover', { replicas: 5 }),
});

export const staleReads = scenario({
  id: 'api-pressure/stale-reads',
  title: 'EC2 shows changes up to thirty seconds late: instances that were just launched are not treated as lost',
  requirements: ['STL-01'],
  pools: NODE_POOLS,
  under: [faults.staleReads({ maxMs: 30_000 })],
  run: comeOnceAndGo,
});

export const poolDeletedUnderStaleReads = scenario({
  id: 'api-pressure/pool-deleted-under-stale-reads',
  title: 'pods and pool are removed right after a launch, before EC2 shows the instances: every instance is still terminated',
  requirements: ['STL-02', 'LEK-03'],
  features: ['pool-removal'],
  pools: NODE_POOLS,
  under: [faults.staleReads({ maxMs: 30_000, mutations: true })],
  async run(t) {
    const web = await t.deploy({ replicas: 5 });
    await t.untilLaunched(1, 'provision');
    // The pause depends on the seed, to hit every moment of the launches.
    await t.pause({ minMs: 0, maxMs: 3_000 });
    await t.remove(web);
    await t.withdrawPools();
    await t.untilEmpty('settle');
  },
});

export const kubernetesThrottles = scenario({
  id: 'api-pressure/kubernetes-throttles',
  title: 'the API server answers half of all writes with 429 and Retry-After: every pod is served, and every node is removed afterwards',
  requirements: ['API-05'],
  pools: NODE_POOLS,
  under: [faults.kubeThrottling({ writes: true, when: withProbability(0.5), retryAfterSeconds: 1 })],
  run: comeAndGo,
});

export const throttlingInsideFleetAnswers = scenario({
  id: 'api-pressure/throttling-inside-fleet-answers',
  title: 'CreateFleet reports throttling among its errors: pods wait for the preferred pool, which has capacity',
  requirements: ['API-02', 'PRV-09'],
  features: ['weights'],
  pools: [pool('spare', { instanceTypes: ['m7i.large'], weight: 1 }), pool('preferred', { instanceTypes: ['m6i.large'], weight: 50 })],
  // Who launches without fleets never meets it.
  under: [mayFire(faults.ec2Throttling({ by: 'rate', operations: ['ec2:CreateFleet'], when: first(3), insideFleet: true }))],
  async run(t) {
    t.expect.launchedFrom('preferred');
    await serve(t, 'recover', { replicas: 4 });
  },
});
