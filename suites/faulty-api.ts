import { faults } from '../faults/catalogue.ts';
import { specify } from '../faults/fault.ts';
import type { FaultSpec } from '../faults/fault.ts';
import type { Capability } from '../history/capabilities.ts';
import { pool, scenario } from '../harness/scenario.ts';
import type { Scenario } from '../harness/scenario.ts';
import type { PoolDisruption } from '../model/catalogue.ts';
import { STOP_SECONDS_ANNOTATION } from '../model/kube.ts';
import { LAUNCHES, NODE_POOLS, NODE_SIZED, NODE_TYPES, SOFTLY_SPREAD, scaleToNone, serve, serveTogether } from './parts.ts';

/** Lets requests fail while nodes come and go: all pods are served, and everything goes again. */
function whileNodesComeAndGo(options: {
  readonly id: string;
  readonly title: string;
  readonly requirements: readonly string[];
  readonly capabilities: readonly Capability[];
  readonly fault: FaultSpec;
}): Scenario {
  return scenario({
    id: options.id,
    title: options.title,
    requirements: options.requirements,
    capabilities: options.capabilities,
    pools: NODE_POOLS,
    async run(t) {
      await t.inject(options.fault);
      const web = await serve(t, 'recover', { replicas: 5 });
      await t.scale(web, 0);
      await t.untilEmpty('settle');
    },
  });
}

/** One in five: most of what takes several requests fails at least once. */
const NOW_AND_THEN = { kind: 'probability', probability: 0.2 } as const;

export const internalErrors = whileNodesComeAndGo({
  id: 'faulty-api/internal-errors',
  title: 'a fifth of all requests is answered with 500: all is served, and all goes again',
  requirements: ['API-08'],
  capabilities: ['wire.kube', 'wire.aws'],
  fault: specify(faults.serverError, { operations: ['*'], when: NOW_AND_THEN }),
});

export const resets = whileNodesComeAndGo({
  id: 'faulty-api/resets',
  title: 'a fifth of all connections is reset before its request has left: all is served, and all goes again',
  requirements: ['API-08'],
  capabilities: ['wire.kube', 'wire.aws'],
  fault: specify(faults.brokenConnection, { operations: ['*'], when: NOW_AND_THEN }),
});

export const lostAnswers = whileNodesComeAndGo({
  id: 'faulty-api/lost-answers',
  title: 'a fifth of what takes effect is answered with 503: what was done is not done again',
  requirements: ['API-08'],
  capabilities: ['wire.kube', 'wire.aws'],
  fault: specify(faults.serverError, { operations: ['*'], when: NOW_AND_THEN, how: 'unavailable', moment: 'after' }),
});

/** Longer than anybody waits for an answer: it has been asked for again when it arrives. */
const HELD_UP_MS = 150_000;

export const heldUpLaunches = whileNodesComeAndGo({
  id: 'faulty-api/held-up-launches',
  title: 'a launch is held up on its way and takes effect when nobody waits for it any more: no instance of it stays',
  requirements: ['API-08'],
  capabilities: ['wire.aws'],
  fault: specify(faults.lateRequest, { operations: LAUNCHES, when: { kind: 'first', count: 1 }, delayMs: HELD_UP_MS }),
});

/** Lets something be denied for as long as a launch takes, while pods wait, and expects them served after that. */
function deniedForAWhile(options: {
  readonly id: string;
  readonly title: string;
  readonly requirement: string;
  readonly capabilities: readonly Capability[];
  readonly fault: FaultSpec;
}): Scenario {
  return scenario({
    id: options.id,
    title: options.title,
    requirements: [options.requirement],
    capabilities: options.capabilities,
    pools: NODE_POOLS,
    async run(t) {
      const denied = await t.inject(options.fault);
      const truth = { kind: 'schedulable-after-heal', why: 'the autoscaler may not act' } as const;
      const web = await t.deploy({ name: 'web', replicas: 5, ...NODE_SIZED, truth });
      t.expect.served(web, 'recover');
      await t.pass('provision', 0.5);
      await denied.heal();
      await t.untilServed(web, 'recover');
    },
  });
}

export const deniedLaunches = deniedForAWhile({
  id: 'faulty-api/denied-launches',
  title: 'launches are denied by a policy for a while: nobody hammers, and once they are allowed all is served',
  requirement: 'API-07',
  capabilities: ['wire.aws'],
  fault: specify(faults.deniedPermission, { operations: LAUNCHES }),
});

export const expiredCredentials = deniedForAWhile({
  id: 'faulty-api/expired-credentials',
  title: 'the credentials for AWS have expired for a while: it lives on, and serves all once they are renewed',
  requirement: 'API-07',
  capabilities: ['wire.aws'],
  fault: specify(faults.expiredCredentials, { of: 'aws' }),
});

export const securityGroupDeleted = deniedForAWhile({
  id: 'faulty-api/security-group-deleted',
  title: 'somebody deletes the security group of the nodes, and makes it again: nobody hammers, and then all is served',
  requirement: 'API-01',
  capabilities: ['capacity.set', 'wire.aws'],
  fault: specify(faults.securityGroupDeleted, {}),
});

export const deniedTerminations = scenario({
  id: 'faulty-api/denied-terminations',
  title:
    'a pool is withdrawn while evictions are denied, and TerminateInstances for longer: pods leave, and nodes end, once each is allowed',
  requirements: ['API-07', 'API-03'],
  capabilities: ['wire.kube', 'wire.aws'],
  pools: NODE_POOLS,
  async run(t) {
    const web = await serve(t, 'provision', { replicas: 5, kind: 'Deployment' });
    t.expect.servedUntilNow(web);
    const evictions = await t.inject(specify(faults.deniedPermission, { operations: ['create pods/eviction'] }), 'may-fire');
    const terminations = await t.inject(specify(faults.deniedPermission, { operations: ['ec2:TerminateInstances'] }));
    await t.withdrawPools();
    await t.untilFired(evictions, 'scale-in');
    await t.pass('provision', 0.5);
    await evictions.heal();
    await t.untilFired(terminations, 'scale-in');
    await t.pass('provision', 0.5);
    await terminations.heal();
    // Before the workload goes: pods that nobody asked again would go with it, and their nodes would end all the same.
    t.expect.emptied('scale-in');
    await t.pass('scale-in');
    await t.remove(web);
    await t.untilEmpty('settle');
  },
});

export const writesFail = scenario({
  id: 'faulty-api/writes-fail',
  title: 'writes to the cluster fail while nodes fall empty and are used again: who cannot say that a node goes leaves it alone',
  requirements: ['PRV-06', 'API-08', 'TRM-07'],
  capabilities: ['wire.kube'],
  pools: NODE_POOLS,
  async run(t) {
    t.expect.launchedAtMost(4);
    const web = await serve(t, 'provision', { replicas: 4 });
    const failing = await t.inject(specify(faults.failingWrites, { why: 'webhook' }), 'may-fire');
    await t.scale(web, 0);
    // Longer than it takes to find them empty and to end them.
    await t.pass('scale-in');
    const late = await t.deploy({ name: 'late', replicas: 4, ...NODE_SIZED });
    t.expect.served(late, 'recover');
    await t.untilServed(late, 'provision');
    t.expect.kept('scale-in');
    await failing.heal();
    await t.pass('scale-in');
  },
});

export const zoneOutage = scenario({
  id: 'faulty-api/zone-outage',
  title:
    'a zone is out, its instances end and descriptions fail at first: its pods run elsewhere, and the nodes of other zones are left alone',
  requirements: ['STL-06', 'CAP-01', 'INT-08', 'LEK-05'],
  capabilities: ['capacity.set', 'instance.end', 'wire.aws'],
  pools: NODE_POOLS,
  async run(t) {
    const web = await t.deploy({ name: 'web', replicas: 6, ...NODE_SIZED, spread: [SOFTLY_SPREAD] });
    t.expect.served(web, 'replacement');
    await t.untilServed(web, 'provision');
    const out = await t.inject(specify(faults.zoneOutage, { zones: ['us-east-1a'] }));
    const blind = await t.inject(specify(faults.serverError, { operations: ['ec2:DescribeInstances'], when: { kind: 'always' } }));
    // Two of them are lost, each is replaced once.
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

/** At one of the SDK's three attempts most requests get through, and of several some don't. */
const MOST_ATTEMPTS = { kind: 'probability', probability: 0.6 } as const;

export const cutOffZone = scenario({
  id: 'faulty-api/cut-off-zone',
  title:
    'a zone is cut off for a minute and describing fails, then most attempts to describe do; its instances run on: none is lost, none is replaced',
  requirements: ['STL-06', 'INT-09'],
  capabilities: ['capacity.set', 'boot.delay', 'wire.aws'],
  pools: [pool('default', { instanceTypes: NODE_TYPES, zones: ['us-east-1a', 'us-east-1b'] })],
  async run(t) {
    t.expect.launchedAtMost(4);
    const web = await serve(t, 'provision', { replicas: 4, spread: [SOFTLY_SPREAD] });
    const out = await t.inject(specify(faults.zoneOutage, { zones: ['us-east-1a'], instances: 'lose-contact', describing: 'fails' }));
    await t.pause({ minMs: 50_000, maxMs: 80_000 });
    await out.heal();
    // Who lists by several requests, or page by page, now has parts of a list.
    const patchy = await t.inject(specify(faults.serverError, { operations: ['ec2:DescribeInstances'], when: MOST_ATTEMPTS }));
    await t.pass('node-without-instance');
    await patchy.heal();
    await t.untilServed(web, 'recover');
  },
});

export const launchTemplateGone = scenario({
  id: 'faulty-api/launch-template-gone',
  title: 'somebody deletes the launch templates between two launches: they are made again, and later pods are served like earlier ones',
  requirements: ['PRV-02', 'LEK-06'],
  capabilities: ['templates.delete'],
  pools: NODE_POOLS,
  async run(t) {
    await serve(t, 'provision', { replicas: 2 });
    // Who launches without templates of its own never meets it.
    await t.inject(specify(faults.launchTemplateGone, { count: 1 }), 'may-fire');
    await serve(t, 'recover', { name: 'later', replicas: 3 });
  },
});

export const blockedEvictions = scenario({
  id: 'faulty-api/blocked-evictions',
  title: 'evictions are refused with 500, for two budgets, while a pool is withdrawn: no pod is taken by force, and all go when they may',
  requirements: ['BUD-01', 'TRM-02'],
  capabilities: ['wire.kube'],
  pools: NODE_POOLS,
  async run(t) {
    const web = await t.deploy({ name: 'web', kind: 'Deployment', replicas: 3, ...NODE_SIZED });
    await t.protect(web, { maxUnavailable: 0 });
    t.expect.served(web, 'provision');
    await t.untilServed(web, 'provision');
    t.expect.servedUntilNow(web);
    const blocked = await t.inject(specify(faults.blockedEviction, { why: 'two-budgets' }));
    await t.withdrawPools();
    await t.untilFired(blocked, 'scale-in');
    await t.pass('scale-in');
    await t.remove(web);
    await t.untilEmpty('teardown');
  },
});

export const slowTerminations = scenario({
  id: 'faulty-api/slow-terminations',
  title: 'instances take four minutes to end once they were asked to: they are waited for, not forgotten, and not hammered',
  requirements: ['API-01', 'LEK-01'],
  capabilities: ['instance.end'],
  pools: NODE_POOLS,
  async run(t) {
    const web = await serve(t, 'provision', { replicas: 5 });
    const slow = await t.inject(specify(faults.slowTermination, { delayMs: 240_000 }));
    await t.scale(web, 0);
    t.expect.emptied('scale-in');
    await t.untilFired(slow, 'teardown');
    await t.untilEmpty('settle');
  },
});

export const pausedDuringLaunch = scenario({
  id: 'faulty-api/paused-during-launch',
  title: 'it stands still for longer than its lease while what it launched boots, and goes on: nothing is launched twice, nothing is lost',
  requirements: ['CRA-06', 'CRA-08', 'PRV-06'],
  capabilities: ['target.pause'],
  pools: NODE_POOLS,
  async run(t) {
    t.expect.launchedAtMost(8);
    const web = await t.deploy({ name: 'web', replicas: 5, ...NODE_SIZED });
    t.expect.served(web, 'recover');
    await t.untilLaunched(1, 'provision');
    // Seeds meet every moment of the launches.
    await t.pause({ minMs: 0, maxMs: 3_000 });
    const paused = await t.inject(specify(faults.pause, {}));
    const later = await t.deploy({ name: 'later', replicas: 3, ...NODE_SIZED });
    t.expect.served(later, 'recover');
    await t.pause({ minMs: 60_000, maxMs: 120_000 });
    await paused.heal();
    await t.untilServed(web, 'recover');
    await t.untilServed(later, 'recover');
  },
});

export const pausedDuringScaleIn = scenario({
  id: 'faulty-api/paused-during-scale-in',
  title:
    'it stands still while empty nodes are about to go, and they are used meanwhile: what it knew is looked at again before anything ends',
  requirements: ['CRA-06', 'CRA-08', 'PRV-06', 'TRM-07'],
  capabilities: ['target.pause'],
  pools: NODE_POOLS,
  async run(t) {
    t.expect.launchedAtMost(4);
    const web = await serve(t, 'provision', { replicas: 4 });
    await t.scale(web, 0);
    await t.pause({ minMs: 1_000, maxMs: 20_000 });
    const paused = await t.inject(specify(faults.pause, {}));
    const late = await t.deploy({ name: 'late', replicas: 4, ...NODE_SIZED });
    t.expect.served(late, 'recover');
    await t.untilServed(late, 'provision');
    await t.pause({ minMs: 60_000, maxMs: 120_000 });
    t.expect.kept('scale-in');
    await paused.heal();
    await t.pass('scale-in');
  },
});

const PACED_TYPE = { instanceTypes: ['m6i.large'] } as const;
/** What falls empty may go at once, if the budget lets it. */
const pacedBy = (nodes: string): PoolDisruption => ({ consolidation: 'when-empty', consolidateAfterMs: 1_000, budgets: [{ nodes }] });

export const heldUpTaints = scenario({
  id: 'faulty-api/held-up-taints',
  title:
    'one node is empty and three have drifted when the budget lets one go, and changes of nodes take seconds: two reasons do not take two nodes',
  profile: 'extended',
  requirements: ['BUD-03', 'BUD-06', 'API-08'],
  features: ['drift', 'disruption-budgets'],
  capabilities: ['wire.kube'],
  pools: [pool('default', { ...PACED_TYPE, disruption: pacedBy('0') })],
  async run(t) {
    const web = await serve(t, 'provision', { replicas: 4 });
    await t.scale(web, 3);
    await t.changePool(pool('default', { ...PACED_TYPE, labels: { team: 'blue' }, disruption: pacedBy('0') }));
    // Until both are due: only the budget holds them.
    await t.pass('drift');
    const late = await t.inject(
      specify(faults.lateRequest, { operations: ['patch nodes'], when: { kind: 'first', count: 40 }, delayMs: 3_000 }),
    );
    await t.changePool(pool('default', { ...PACED_TYPE, labels: { team: 'blue' }, disruption: pacedBy('1') }));
    await t.untilFired(late, 'drift');
    await t.pass('drift');
    await late.heal();
  },
});

/** Lets the target's clock be wrong while nodes come, stay for a while and go. */
function withClockOff(options: { readonly id: string; readonly title: string; readonly byMs: number }): Scenario {
  return scenario({
    id: options.id,
    title: options.title,
    requirements: ['REG-01', 'CRA-06'],
    capabilities: ['target.clock'],
    pools: NODE_POOLS,
    async run(t) {
      await t.inject(specify(faults.clockSkew, { byMs: options.byMs }));
      t.expect.launchedAtMost(5);
      const web = await serve(t, 'recover', { replicas: 5 });
      await t.pass('node-without-instance');
      await scaleToNone(t, web);
    },
  });
}

/** Nearly as far as AWS lets a clock be off. */
const FOUR_MINUTES_MS = 240_000;

export const clockAhead = withClockOff({
  id: 'faulty-api/clock-ahead',
  title: 'its clock is four minutes ahead: what was just launched is not taken for old, and nothing is given up',
  byMs: FOUR_MINUTES_MS,
});

export const clockBehind = withClockOff({
  id: 'faulty-api/clock-behind',
  title: 'its clock is four minutes behind: what it made itself is not of the future, and what is not needed goes',
  byMs: -FOUR_MINUTES_MS,
});

export const clockAheadDrain = scenario({
  id: 'faulty-api/clock-ahead-drain',
  title: 'its clock is four minutes ahead while a pool is withdrawn, whose pods take most of their minute to end: they are given it',
  requirements: ['TRM-06', 'TRM-02', 'TRM-03'],
  capabilities: ['target.clock'],
  pools: NODE_POOLS,
  async run(t) {
    await t.inject(specify(faults.clockSkew, { byMs: FOUR_MINUTES_MS }));
    // Less than their grace period: they end by themselves, and late enough for whoever does not wait for them.
    const ending = { graceSeconds: 60, annotations: { [STOP_SECONDS_ANNOTATION]: '50' } };
    const web = await serve(t, 'recover', { replicas: 3, kind: 'Deployment', ...ending });
    t.expect.servedUntilNow(web);
    await t.withdrawPools();
    t.expect.emptied('scale-in');
    await t.pass('scale-in');
    await t.remove(web);
    await t.untilEmpty('teardown');
  },
});

/** Lets the target's clock be wrong while a pool is withdrawn that limits how long its nodes drain. */
function withClockOffToTheEnd(options: { readonly id: string; readonly title: string; readonly byMs: number }): Scenario {
  return scenario({
    id: options.id,
    title: options.title,
    profile: 'extended',
    requirements: ['TRM-04', 'TRM-05', 'TRM-06'],
    features: ['termination-grace'],
    capabilities: ['target.clock'],
    pools: [pool('default', { instanceTypes: NODE_TYPES, terminationGracePeriodMs: 2.5 * FOUR_MINUTES_MS })],
    async run(t) {
      await t.inject(specify(faults.clockSkew, { byMs: options.byMs }));
      const needing = (seconds: number): Readonly<Record<string, string>> => ({ [STOP_SECONDS_ANNOTATION]: String(seconds) });
      const slow = await t.deploy({ name: 'slow', replicas: 2, ...NODE_SIZED, graceSeconds: 240, annotations: needing(200) });
      await t.protect(slow, { minAvailable: 2 });
      const endless = await t.deploy({ name: 'endless', replicas: 1, ...NODE_SIZED, graceSeconds: 3_600, annotations: needing(3_600) });
      await serveTogether(t, 'provision', [slow, endless]);
      t.expect.servedUntilNow(slow);
      t.expect.servedUntilNow(endless);
      await t.withdrawPools();
      t.expect.emptied('termination-grace');
      await t.pass('termination-grace');
      await t.remove(slow);
      await t.remove(endless);
      await t.untilEmpty('teardown');
    },
  });
}

export const clockAheadToTheEnd = withClockOffToTheEnd({
  id: 'faulty-api/clock-ahead-to-the-end',
  title: 'its clock is four minutes ahead of the one that says when the ten minutes of a drain are over: protected pods are given them',
  byMs: FOUR_MINUTES_MS,
});

export const clockBehindToTheEnd = withClockOffToTheEnd({
  id: 'faulty-api/clock-behind-to-the-end',
  title: 'its clock is four minutes behind the one that says when the ten minutes of a drain are over: nodes end with them',
  byMs: -FOUR_MINUTES_MS,
});
