import { faults } from '../faults/catalogue.ts';
import { mayFire } from '../faults/fault.ts';
import type { FaultSpec } from '../faults/fault.ts';
import { INSTANCE_LISTS, LAUNCHES, TERMINATIONS } from '../faults/operations.ts';
import { always, first, withProbability } from '../faults/triggers.ts';
import { pool, scenario } from '../harness/scenario.ts';
import type { Scenario, ScenarioHead } from '../harness/scenario.ts';
import { NODE_POOLS, NODE_TYPES, PREFERS_ALL_ZONES, endingSlowly, servedAfterHeal } from '../harness/shapes.ts';
import { serve } from '../harness/steps.ts';
import type { PoolDisruption } from '../model/catalogue.ts';
import { comeAndGo, comeStayAndGo, deploySlowToEnd, drainToTheEnd } from './parts.ts';

/** One in five: most operations with several requests fail at least once. */
const NOW_AND_THEN = withProbability(0.2);

export const internalErrors = scenario({
  id: 'faulty-api/internal-errors',
  title: 'a fifth of all requests fail with 500: every pod is served, and every node is removed afterwards',
  requirements: ['API-08'],
  pools: NODE_POOLS,
  under: [faults.serverError({ operations: ['*'], when: NOW_AND_THEN })],
  run: comeAndGo,
});

export const connectionResets = scenario({
  id: 'faulty-api/connection-resets',
  title: 'a fifth of all connections are reset before the request is sent: every pod is served, and every node is removed afterwards',
  requirements: ['API-08'],
  pools: NODE_POOLS,
  under: [faults.brokenConnection({ operations: ['*'], when: NOW_AND_THEN })],
  run: comeAndGo,
});

export const lostAnswers = scenario({
  id: 'faulty-api/lost-answers',
  title: 'a fifth of all requests take effect but are answered with 503: every pod is served and no instance leaks',
  requirements: ['API-08'],
  pools: NODE_POOLS,
  under: [faults.serverError({ operations: ['*'], when: NOW_AND_THEN, how: 'unavailable', moment: 'after' })],
  run: comeAndGo,
});

/** Longer than any client waits for a response: it has been retried when it arrives. */
const HELD_UP_MS = 150_000;

export const delayedLaunches = scenario({
  id: 'faulty-api/delayed-launches',
  title: 'a launch takes effect only after its sender has timed out: its instances do not leak',
  requirements: ['API-08'],
  pools: NODE_POOLS,
  under: [faults.lateRequest({ operations: LAUNCHES, delayMs: HELD_UP_MS })],
  run: comeAndGo,
});

/** Denies something for as long as a launch takes, while pods are pending, and expects them served after that. */
function deniedForAWhile({
  denial,
  replicas = 5,
  ...head
}: ScenarioHead & { readonly denial: FaultSpec; readonly replicas?: number }): Scenario {
  return scenario({
    ...head,
    pools: NODE_POOLS,
    faults: { denial },
    async run(t) {
      const denied = await t.inject(denial);
      const web = await t.deploy({ replicas, truth: servedAfterHeal('the autoscaler cannot launch instances') });
      t.expect.served(web, 'recover');
      await t.pass('provision', 0.5);
      await denied.heal();
      await t.untilServed(web, 'recover');
    },
  });
}

export const deniedLaunches = deniedForAWhile({
  id: 'faulty-api/denied-launches',
  title: 'a policy denies launches for a while: retries back off, and all pods are served once launches are allowed',
  requirements: ['API-07'],
  denial: faults.deniedPermission({ operations: LAUNCHES }),
});

export const expiredCredentials = deniedForAWhile({
  id: 'faulty-api/expired-credentials',
  title: 'the AWS credentials are expired for a while: the autoscaler stays alive, and serves all pods once they are renewed',
  requirements: ['API-07'],
  denial: faults.expiredCredentials({ of: 'aws' }),
});

export const pendingVerification = deniedForAWhile({
  id: 'faulty-api/pending-verification',
  title: 'AWS verifies the account for a while and refuses all launches: retries back off, and all pods are served afterwards',
  requirements: ['CAP-14'],
  denial: faults.pendingVerification({}),
});

export const securityGroupDeleted = deniedForAWhile({
  id: 'faulty-api/security-group-deleted',
  title: "someone deletes the nodes' security group and later restores it: retries back off, and all pods are served afterwards",
  requirements: ['API-01'],
  denial: faults.securityGroupDeleted({}),
});

export const claimsNotStored = deniedForAWhile({
  id: 'faulty-api/claims-not-stored',
  title: 'etcd is full, so no claim can be created while twenty nodes are needed: retries back off, and all pods are served afterwards',
  requirements: ['API-01'],
  replicas: 20,
  // Other autoscalers store nothing before they launch.
  denial: mayFire(faults.failingWrites({ operations: ['create nodeclaims'] })),
});

export const deniedTerminations = scenario({
  id: 'faulty-api/denied-terminations',
  title:
    'a pool is removed while evictions are denied, and TerminateInstances for even longer: pods are evicted and instances terminated once allowed',
  requirements: ['API-07', 'API-03'],
  features: ['pool-removal'],
  pools: NODE_POOLS,
  faults: {
    noEvictions: mayFire(faults.deniedPermission({ operations: ['create pods/eviction'] })),
    noTerminations: faults.deniedPermission({ operations: TERMINATIONS }),
  },
  async run(t, { noEvictions, noTerminations }) {
    const web = await serve(t, 'provision', { replicas: 5, kind: 'Deployment' });
    t.expect.servedUntilNow(web);
    const evictions = await t.inject(noEvictions);
    const terminations = await t.inject(noTerminations);
    await t.withdrawPools();
    await t.untilFired(evictions, 'scale-in');
    await t.pass('provision', 0.5);
    await evictions.heal();
    await t.untilFired(terminations, 'scale-in');
    await t.pass('provision', 0.5);
    await terminations.heal();
    // Before the workload is removed: otherwise pods without a retried eviction would be removed with it, and the nodes terminated anyway.
    await t.emptied('scale-in');
    await t.remove(web);
    await t.untilEmpty('settle');
  },
});

export const writesFail = scenario({
  id: 'faulty-api/writes-fail',
  title: 'writes to the cluster fail while nodes become empty and are used again: no node is removed unless it was tainted first',
  requirements: ['PRV-06', 'API-08', 'TRM-07'],
  pools: NODE_POOLS,
  faults: { brokenWebhook: mayFire(faults.failingWrites({ why: 'webhook' })) },
  async run(t, { brokenWebhook }) {
    t.expect.launchedAtMost(4);
    const web = await serve(t, 'provision', { replicas: 4 });
    const failing = await t.inject(brokenWebhook);
    await t.scale(web, 0);
    // Longer than it takes to find them empty and terminate them.
    await t.pass('scale-in');
    await serve(t, 'recover', { name: 'late', replicas: 4 }, 'provision');
    t.expect.kept('scale-in');
    await failing.heal();
    await t.pass('scale-in');
  },
});

export const zoneOutage = scenario({
  id: 'faulty-api/zone-outage',
  title: 'a zone goes down, and EC2 Describe calls fail at first: its pods run elsewhere, and nodes in other zones are left alone',
  requirements: ['STL-06', 'CAP-01', 'INT-08', 'LEK-05'],
  pools: NODE_POOLS,
  faults: {
    outage: faults.zoneOutage({ zones: ['us-east-1a'] }),
    blindness: faults.serverError({ operations: INSTANCE_LISTS, when: always }),
  },
  async run(t, { outage, blindness }) {
    const web = await serve(t, 'replacement', { replicas: 6, spread: [PREFERS_ALL_ZONES] }, 'provision');
    const out = await t.inject(outage);
    const blind = await t.inject(blindness);
    // Two of them are lost, and each is replaced once.
    t.expect.launchedAtMost(8);
    await t.untilFired(blind, 'node-without-instance');
    await t.pass('provision');
    await blind.heal();
    await t.pass('node-without-instance');
    await t.untilServed(web, 'replacement');
    await out.heal();
    await t.pass('node-without-instance');
  },
});

/** With the SDK's three attempts most requests succeed, but of several some don't. */
const MOST_ATTEMPTS = withProbability(0.6);

export const zoneUnreachable = scenario({
  id: 'faulty-api/zone-unreachable',
  title:
    'a zone is unreachable for a minute while EC2 Describe calls fail, at first all and then most of them: its running instances are neither lost nor replaced',
  requirements: ['STL-06', 'INT-09'],
  pools: [pool('default', { instanceTypes: NODE_TYPES, zones: ['us-east-1a', 'us-east-1b'] })],
  faults: {
    outage: faults.zoneOutage({ zones: ['us-east-1a'], instances: 'lose-contact', describing: 'fails' }),
    errors: faults.serverError({ operations: INSTANCE_LISTS, when: MOST_ATTEMPTS }),
  },
  async run(t, { outage, errors }) {
    t.expect.launchedAtMost(4);
    const web = await serve(t, 'provision', { replicas: 4, spread: [PREFERS_ALL_ZONES] });
    const out = await t.inject(outage);
    await t.pause({ minMs: 50_000, maxMs: 80_000 });
    await out.heal();
    // An autoscaler that lists with several requests, or page by page, now gets partial lists.
    const patchy = await t.inject(errors);
    await t.pass('node-without-instance');
    await patchy.heal();
    await t.untilServed(web, 'recover');
  },
});

export const launchTemplatesDeleted = scenario({
  id: 'faulty-api/launch-templates-deleted',
  title: 'someone deletes the launch templates between two launches: they are recreated, and later pods are served',
  requirements: ['PRV-02', 'LEK-06'],
  pools: NODE_POOLS,
  faults: { deletion: mayFire(faults.launchTemplateGone({ count: 1 })) },
  async run(t, { deletion }) {
    await serve(t, 'provision', { replicas: 2 });
    // An autoscaler without its own launch templates never triggers it.
    await t.inject(deletion);
    await serve(t, 'recover', { name: 'later', replicas: 3 });
  },
});

export const blockedEvictions = scenario({
  id: 'faulty-api/blocked-evictions',
  title:
    'a pool is removed while evictions fail with 500 because two budgets select the same pods: no pod is deleted, and the nodes are removed once the pods are gone',
  requirements: ['BUD-01', 'TRM-02', 'API-10'],
  features: ['pool-removal'],
  pools: NODE_POOLS,
  faults: { blockade: faults.blockedEviction({ why: 'two-budgets' }) },
  async run(t, { blockade }) {
    const web = await serve(t, 'provision', { kind: 'Deployment', replicas: 3, budget: { maxUnavailable: 0 } });
    t.expect.servedUntilNow(web);
    const blocked = await t.inject(blockade);
    await t.withdrawPools();
    await t.untilFired(blocked, 'scale-in');
    await t.pass('scale-in');
    await t.remove(web);
    await t.untilEmpty('teardown');
  },
});

export const slowTerminations = scenario({
  id: 'faulty-api/slow-terminations',
  title: 'instances take four minutes to terminate: they are neither forgotten nor terminated again and again',
  requirements: ['API-01', 'LEK-01'],
  pools: NODE_POOLS,
  faults: { slowEnds: faults.slowTermination({ delayMs: 240_000 }) },
  async run(t, { slowEnds }) {
    const web = await serve(t, 'provision', { replicas: 5 });
    const slow = await t.inject(slowEnds);
    await t.scale(web, 0);
    t.expect.emptied('scale-in');
    await t.untilFired(slow, 'teardown');
    await t.untilEmpty('settle');
  },
});

export const pausedDuringLaunch = scenario({
  id: 'faulty-api/paused-during-launch',
  title: 'the autoscaler is paused for longer than its lease while instances boot, then resumes: nothing is launched twice or lost',
  requirements: ['CRA-06', 'CRA-08', 'PRV-06'],
  pools: NODE_POOLS,
  faults: { pause: faults.pause({}) },
  async run(t, { pause }) {
    t.expect.launchedAtMost(8);
    const web = await t.deploy({ replicas: 5 });
    t.expect.served(web, 'recover');
    await t.untilLaunched(1, 'provision');
    // The pause depends on the seed, to hit every moment of the launches.
    await t.pause({ minMs: 0, maxMs: 3_000 });
    const paused = await t.inject(pause);
    const later = await t.deploy({ name: 'later', replicas: 3 });
    t.expect.served(later, 'recover');
    await t.pause({ minMs: 60_000, maxMs: 120_000 });
    await paused.heal();
    await t.untilServed(web, 'recover');
    await t.untilServed(later, 'recover');
  },
});

export const pausedDuringScaleIn = scenario({
  id: 'faulty-api/paused-during-scale-in',
  title: 'the autoscaler is paused before it removes empty nodes, and pods land on them: it looks again and removes none of them',
  requirements: ['CRA-06', 'CRA-08', 'PRV-06', 'TRM-07'],
  pools: NODE_POOLS,
  faults: { pause: faults.pause({}) },
  async run(t, { pause }) {
    t.expect.launchedAtMost(4);
    const web = await serve(t, 'provision', { replicas: 4 });
    await t.scale(web, 0);
    await t.pause({ minMs: 1_000, maxMs: 20_000 });
    const paused = await t.inject(pause);
    await serve(t, 'recover', { name: 'late', replicas: 4 }, 'provision');
    await t.pause({ minMs: 60_000, maxMs: 120_000 });
    t.expect.kept('scale-in');
    await paused.heal();
    await t.pass('scale-in');
  },
});

const PACED_TYPE = { instanceTypes: ['m6i.large'] } as const;
/** Empty nodes may be removed at once, if the budget allows. */
const pacedBy = (nodes: string): PoolDisruption => ({ consolidation: 'when-empty', consolidateAfterMs: 1_000, budgets: [{ nodes }] });

export const delayedTaints = scenario({
  id: 'faulty-api/delayed-taints',
  title:
    'one node is empty and three have drifted, the budget allows one disruption, and node writes are slow: only one node is disrupted at a time',
  requirements: ['BUD-03', 'BUD-06', 'API-08'],
  features: ['drift', 'disruption-budgets'],
  pools: [pool('default', { ...PACED_TYPE, disruption: pacedBy('0') })],
  faults: { lateTaints: faults.lateRequest({ operations: ['patch nodes'], when: first(40), delayMs: 3_000 }) },
  async run(t, { lateTaints }) {
    const web = await serve(t, 'provision', { replicas: 4 });
    await t.scale(web, 3);
    await t.changePool(pool('default', { ...PACED_TYPE, labels: { team: 'blue' }, disruption: pacedBy('0') }));
    // Until both kinds are due: then only the budget limits them.
    await t.pass('drift');
    const late = await t.inject(lateTaints);
    await t.changePool(pool('default', { ...PACED_TYPE, labels: { team: 'blue' }, disruption: pacedBy('1') }));
    await t.untilFired(late, 'drift');
    await t.pass('drift');
    await late.heal();
  },
});

/** Close to the clock skew that AWS tolerates. */
const FOUR_MINUTES_MS = 240_000;
const CLOCK_AHEAD = faults.clockSkew({ byMs: FOUR_MINUTES_MS });
const CLOCK_BEHIND = faults.clockSkew({ byMs: -FOUR_MINUTES_MS });

export const clockAhead = scenario({
  id: 'faulty-api/clock-ahead',
  title: "the autoscaler's clock is four minutes ahead: new instances are not abandoned too early",
  requirements: ['REG-01', 'CRA-06'],
  pools: NODE_POOLS,
  under: [CLOCK_AHEAD],
  run: comeStayAndGo,
});

export const clockBehind = scenario({
  id: 'faulty-api/clock-behind',
  title: "the autoscaler's clock is four minutes behind: pods are served, and nodes that are not needed are still removed",
  requirements: ['REG-01', 'CRA-06'],
  pools: NODE_POOLS,
  under: [CLOCK_BEHIND],
  run: comeStayAndGo,
});

export const clockAheadDrain = scenario({
  id: 'faulty-api/clock-ahead-drain',
  title: "the autoscaler's clock is four minutes ahead and a pool is removed: its slow pods still get their full minute to terminate",
  requirements: ['TRM-06', 'TRM-02', 'TRM-03'],
  features: ['pool-removal'],
  pools: NODE_POOLS,
  under: [CLOCK_AHEAD],
  async run(t) {
    // Less than their grace period: they stop by themselves, but late enough to expose an autoscaler that does not wait.
    const ending = endingSlowly({ seconds: 50, graceSeconds: 60 });
    const web = await serve(t, 'recover', { replicas: 3, kind: 'Deployment', ...ending });
    t.expect.servedUntilNow(web);
    await t.withdrawPools();
    await t.emptied('scale-in');
    await t.remove(web);
    await t.untilEmpty('teardown');
  },
});

/** Much longer than the autoscaler's clock is wrong. */
const DRAINED_IN_MS = 2.5 * FOUR_MINUTES_MS;

/** A pool with a limit for draining is withdrawn while something is wrong. */
const drainedUnder = (head: ScenarioHead): Scenario =>
  scenario({
    ...head,
    requirements: ['TRM-04', 'TRM-05', 'TRM-06'],
    features: ['termination-grace', 'pool-removal'],
    pools: [pool('default', { instanceTypes: NODE_TYPES, terminationGracePeriodMs: DRAINED_IN_MS })],
    run: async (t) => drainToTheEnd(t, await deploySlowToEnd(t)),
  });

export const clockAheadGracePeriod = drainedUnder({
  id: 'faulty-api/clock-ahead-grace-period',
  title: "the autoscaler's clock is four minutes ahead and nodes may drain for ten minutes: protected pods get the full ten minutes",
  under: [CLOCK_AHEAD],
});

export const clockBehindGracePeriod = drainedUnder({
  id: 'faulty-api/clock-behind-grace-period',
  title: "the autoscaler's clock is four minutes behind and nodes may drain for ten minutes: the nodes end when the ten minutes are over",
  under: [CLOCK_BEHIND],
});

/** Found by the explorer in the reference: it had noted by its own clock when the nodes end. */
export const clockSetGracePeriod = scenario({
  id: 'faulty-api/clock-set-grace-period',
  title:
    "the autoscaler's clock is four minutes ahead, and set right while nodes drain, which may take ten minutes: slow pods are asked in time",
  requirements: ['TRM-05', 'TRM-06'],
  features: ['termination-grace', 'pool-removal'],
  pools: [pool('default', { instanceTypes: NODE_TYPES, terminationGracePeriodMs: DRAINED_IN_MS })],
  faults: { ahead: CLOCK_AHEAD },
  async run(t, { ahead }) {
    await drainToTheEnd(t, await deploySlowToEnd(t), async () => {
      const wrong = await t.inject(ahead);
      await t.withdrawPools();
      await t.pause({ minMs: 30_000, maxMs: 90_000 });
      await wrong.heal();
    });
  },
});

/** Found by the explorer in the reference: it asked EC2 about the instance before it evicted any pod. */
export const expiredCredentialsGracePeriod = scenario({
  id: 'faulty-api/expired-credentials-grace-period',
  title:
    'the AWS credentials are expired while nodes drain, which may take ten minutes: pods that need four minutes to terminate are asked in time',
  requirements: ['TRM-05', 'TRM-06'],
  features: ['termination-grace', 'pool-removal'],
  pools: [pool('default', { instanceTypes: NODE_TYPES, terminationGracePeriodMs: DRAINED_IN_MS })],
  faults: { denial: faults.expiredCredentials({ of: 'aws' }) },
  async run(t, { denial }) {
    const web = await serve(t, 'provision', { replicas: 2, kind: 'Deployment', ...endingSlowly({ seconds: 200, graceSeconds: 240 }) });
    t.expect.servedUntilNow(web);
    const denied = await t.inject(denial);
    await t.withdrawPools();
    // Renewed in the last two minutes: whoever waited for that has too little time left.
    await t.pause({ minMs: DRAINED_IN_MS - 110_000, maxMs: DRAINED_IN_MS - 90_000 });
    await denied.heal();
    await t.remove(web);
    await t.untilEmpty('teardown');
  },
});
