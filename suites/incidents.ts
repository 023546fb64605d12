import { faults } from '../faults/catalogue.ts';
import { mayFire } from '../faults/fault.ts';
import { LAUNCHES } from '../faults/operations.ts';
import { always, first, nth } from '../faults/triggers.ts';
import { pool, scenario } from '../harness/scenario.ts';
import { NODE_POOLS, NODE_TYPES, SPREAD_OVER_ZONES } from '../harness/shapes.ts';
import { serve, serveTogether } from '../harness/steps.ts';

/** What has happened to others, where no other suite has the recipe that exposes it. */

export const throttledInsideFleets = scenario({
  id: 'incidents/throttled-inside-fleets',
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

/** Each restart is another order in which the copies of the cluster fill. */
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
    // The two minutes of the notice.
    await t.pass('provision', 2);
  },
});

/** Fewer than any way to remove eight nodes has side effects. */
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
    // Who needs fewer requests is not killed by the last ones.
    await t.inject(mayFire(faults.crash({ operations: ['*'], when: nth(t.random.int(1, SIDE_EFFECTS)), moment: 'after', applied: true })));
    await t.scale(web, 0);
    t.expect.emptied('scale-in');
    await t.untilEmpty('settle');
  },
});

/** Requests to end instances: which of them is the one before which it dies is drawn. */
const TERMINATIONS = 2;

export const killedBeforeTermination = scenario({
  id: 'incidents/killed-before-termination',
  title: 'the autoscaler is killed right before it terminates an instance: it terminates the instance after its restart',
  requirements: ['CRA-02', 'CRA-05'],
  capabilities: ['target.kill'],
  pools: NODE_POOLS,
  async run(t) {
    const web = await serve(t, 'provision', { replicas: 5 });
    // Who ends all of them with one request is not killed by the second.
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
    // Longer than a notice may wait for a reaction, and as long as what was taken back is to be left alone.
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

/** Of no node that there ever was. */
const MISSING = 'ip-10-255-0-1.ec2.internal';

export const boundToMissingNode = scenario({
  id: 'incidents/bound-to-missing-node',
  title: 'a pod is bound to a Node that does not exist: other pods, spread over zones, are still served',
  requirements: ['SCH-07'],
  pools: [pool('default')],
  async run(t) {
    const labels = { app: 'lost' };
    const containers = [{ name: 'main', image: 'registry.k8s.io/pause:3.10' }];
    // However often such a pod is collected, the next takes its place.
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
  // aws/karpenter-provider-aws#9226: a cache showed the ended instance as running, and the drain of its Node waited for ever.
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
    // Who reads no queue meets none of its messages.
    await t.inject(silence);
    // Whether the target is first, or the cloud controller, is the target's business.
    await t.inject(controllerDown);
    await t.injectUntilFired(deadKubelet, 'provision');
    await t.injectUntilFired(end, 'provision');
    // Its Node goes within the bound, and the pod is created again as soon as it has gone.
    await t.pass('node-without-instance', 2);
    await t.untilServed(web, 'provision');
  },
});
