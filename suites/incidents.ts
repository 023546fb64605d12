import { faults } from '../faults/catalogue.ts';
import { mayFire } from '../faults/fault.ts';
import { LAUNCHES } from '../faults/operations.ts';
import { always, first, nth } from '../faults/triggers.ts';
import { pool, scenario } from '../harness/scenario.ts';
import { NODE_POOLS, NODE_TYPES, SPREAD_OVER_ZONES } from '../harness/shapes.ts';
import { serve, serveTogether } from '../harness/steps.ts';

/** Public incidents that no other suite reproduces. */

export const throttledInsideFleets = scenario({
  id: 'incidents/throttled-inside-fleets',
  title: 'CreateFleet reports throttling among its errors: pods wait for the preferred pool, which has capacity',
  requirements: ['API-02', 'PRV-09'],
  features: ['weights'],
  pools: [pool('spare', { instanceTypes: ['m7i.large'], weight: 1 }), pool('preferred', { instanceTypes: ['m6i.large'], weight: 50 })],
  // An autoscaler that does not use fleets never triggers it.
  under: [mayFire(faults.ec2Throttling({ by: 'rate', operations: ['ec2:CreateFleet'], when: first(3), insideFleet: true }))],
  async run(t) {
    t.expect.launchedFrom('preferred');
    await serve(t, 'recover', { replicas: 4 });
  },
});

/** Each restart fills the caches in a different order. */
const RESTARTS = 4;

export const restartedUnderLoad = scenario({
  id: 'incidents/restarted-under-load',
  title: 'the autoscaler restarts again and again while every node is in use: no node is treated as empty, and nothing new is launched',
  requirements: ['STL-05'],
  capabilities: ['target.kill'],
  pools: NODE_POOLS,
  async run(t) {
    t.expect.launchedAtMost(5);
    const web = await serve(t, 'provision', { replicas: 5 });
    for (let restarts = 0; restarts < RESTARTS; restarts += 1) {
      await t.restartTarget();
      await t.kept('launch-lag');
    }
    await t.untilServed(web, 'recover');
  },
});

export const interruptedDuringLaunch = scenario({
  id: 'incidents/interrupted-during-launch',
  title: 'spot instances are interrupted before their launch is answered: the notices are acted on, and every pod is served',
  requirements: ['INT-02', 'INT-06'],
  features: ['spot', 'interruption'],
  capabilities: ['spot.interrupt', 'wire.aws'],
  pools: [pool('spot', { capacityTypes: ['spot', 'on-demand'], instanceTypes: [...NODE_TYPES, 'c6i.xlarge'] })],
  faults: { interruption: faults.spotInterruption({ count: 2, moment: 'pending' }) },
  async run(t, { interruption }) {
    const delayMs = t.random.int(1, 8_000);
    await t.inject(faults.slowAnswer({ operations: LAUNCHES, when: always, delayMs }));
    await t.inject(interruption);
    await serve(t, 'recover', { replicas: 4 });
    // The two minutes' notice.
    await t.pass('provision', 2);
  },
});

/** Fewer than the side effects of any way to remove eight nodes. */
const SIDE_EFFECTS = 24;

export const killedDuringScaleIn = scenario({
  id: 'incidents/killed-during-scale-in',
  title:
    'the autoscaler is killed during a scale-in, after a side effect chosen by the seed: every node is removed and every instance terminated',
  requirements: ['CRA-05', 'TRM-01'],
  capabilities: ['target.kill'],
  pools: NODE_POOLS,
  async run(t) {
    const web = await serve(t, 'provision', { replicas: 8 });
    // An autoscaler that needs fewer requests is not killed by the last ones.
    await t.inject(mayFire(faults.crash({ operations: ['*'], when: nth(t.random.int(1, SIDE_EFFECTS)), moment: 'after', applied: true })));
    await t.scale(web, 0);
    t.expect.emptied('scale-in');
    await t.untilEmpty('settle');
  },
});

/** Termination requests: the seed selects the one before which it is killed. */
const TERMINATIONS = 2;

export const killedBeforeTermination = scenario({
  id: 'incidents/killed-before-termination',
  title: 'the autoscaler is killed right before it terminates an instance: it terminates the instance after its restart',
  requirements: ['CRA-02', 'CRA-05'],
  capabilities: ['target.kill'],
  pools: NODE_POOLS,
  async run(t) {
    const web = await serve(t, 'provision', { replicas: 5 });
    // An autoscaler that terminates all of them with one request is not killed by a second.
    await t.inject(
      mayFire(faults.crash({ operations: ['ec2:TerminateInstances'], when: nth(t.random.int(1, TERMINATIONS)), moment: 'before' })),
    );
    await t.scale(web, 0);
    await t.untilEmpty('settle');
  },
});

export const boughtSoonAfter = scenario({
  id: 'incidents/bought-soon-after',
  title: "a pool's only spot offering is interrupted, and soon more capacity is needed: it falls back to on-demand",
  requirements: ['INT-05'],
  features: ['spot', 'interruption'],
  pools: [pool('spot', { capacityTypes: ['spot', 'on-demand'], instanceTypes: ['m6i.large'], zones: ['us-east-1a'] })],
  faults: { interruption: faults.spotInterruption({ count: 1 }) },
  async run(t, { interruption }) {
    const web = await serve(t, 'provision', { kind: 'Deployment', replicas: 2 });
    t.expect.served(web, 'recover');
    await t.injectUntilFired(interruption, 'provision');
    // Longer than the reaction to a notice may take, and within the time for which reclaimed capacity is avoided.
    const minMs = 40_000;
    await t.pause({ minMs, maxMs: Math.max(minMs, t.constants.unavailableOfferingMs - t.lengthMs('launch-lag')) });
    await t.scale(web, 4);
    await t.pass('provision', 2);
    await t.untilServed(web, 'recover');
  },
});

export const roomOnBrokenNode = scenario({
  id: 'incidents/room-on-broken-node',
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

export const spreadWithoutSelector = scenario({
  id: 'incidents/spread-without-selector',
  title: 'pods have a spread constraint without a label selector, which matches no pods: they are served like any others',
  requirements: ['SCH-06', 'CRA-06'],
  pools: [pool('default')],
  async run(t) {
    const spread = { ...SPREAD_OVER_ZONES, labelSelector: undefined } as const;
    const strange = await t.deploy({ name: 'strange', replicas: 3, cpu: '500m', memory: '1Gi', spread: [spread] });
    const plain = await t.deploy({ name: 'plain', replicas: 3, cpu: '500m', memory: '1Gi' });
    await serveTogether(t, 'provision', [strange, plain]);
  },
});

/** The name of a node that never existed. */
const MISSING = 'ip-10-255-0-1.ec2.internal';

export const boundToMissingNode = scenario({
  id: 'incidents/bound-to-missing-node',
  title: 'a pod is bound to a Node that does not exist: other pods, spread over zones, are still served',
  requirements: ['SCH-07'],
  pools: [pool('default')],
  async run(t) {
    const labels = { app: 'lost' };
    const containers = [{ name: 'main', image: 'registry.k8s.io/pause:3.10' }];
    // When such a pod is collected, a new one replaces it.
    const lost = {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 'lost', namespace: 'default' },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { nodeName: MISSING, containers } },
      },
    };
    await t.apply([{ resource: 'replicasets', object: lost }]);
    await serve(t, 'provision', { replicas: 6, cpu: '500m', memory: '1Gi', spread: [SPREAD_OVER_ZONES] });
  },
});

export const ghostNode = scenario({
  id: 'incidents/ghost-node',
  title:
    'an instance is terminated without a message while the cloud controller is down: its Node is removed, although its pod cannot be evicted',
  requirements: ['LEK-05', 'LEK-08'],
  features: ['node-removal'],
  pools: NODE_POOLS,
  // aws/karpenter-provider-aws#9226: a cache showed the terminated instance as running, and the drain of its Node waited forever.
  faults: {
    silence: mayFire(faults.queuePerturbation({ what: 'lose' })),
    controllerDown: mayFire(faults.cloudController({ what: 'down', controllers: ['cloud-node-lifecycle-controller'] })),
    deadKubelet: faults.deadKubelet({ count: 1 }),
    end: faults.instanceEnd({ count: 1 }),
  },
  async run(t, { silence, controllerDown, deadKubelet, end }) {
    const tolerations = ['unreachable', 'not-ready'].map(
      (what) => ({ key: `node.kubernetes.io/${what}`, operator: 'Exists', effect: 'NoExecute' }) as const,
    );
    const web = await serve(t, 'provision', { kind: 'Deployment', replicas: 1, tolerations });
    await t.protect(web, { maxUnavailable: 0 });
    // An autoscaler that reads no queue never triggers it.
    await t.inject(silence);
    // The Node may be removed by the target or by the cloud controller.
    await t.inject(controllerDown);
    await t.injectUntilFired(deadKubelet, 'provision');
    await t.injectUntilFired(end, 'provision');
    // Its Node is removed within the bound, and then the pod is created again.
    await t.pass('node-without-instance', 2);
    await t.untilServed(web, 'provision');
  },
});
