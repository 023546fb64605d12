import { faults } from './catalogue.ts';
import { specify } from './fault.ts';
import type { FaultSpec } from './fault.ts';

/** Strikes that belong to no request have no span. */
export const NO_SPAN = -1;

/** For a fault: parameters as a scenario would give them, and some that must be refused. */
export interface FaultCase {
  readonly good: FaultSpec;
  readonly bad: () => unknown;
  readonly says: string;
  /** Of a strike at span 7. */
  readonly firings?: readonly number[];
}

/** One a fault of the catalogue. */
export const CASES: Readonly<Record<keyof typeof faults, FaultCase>> = {
  allocatableShortfall: {
    good: specify(faults.allocatableShortfall, { zones: ['us-east-1a'], memory: 0.2 }),
    bad: () => specify(faults.allocatableShortfall, { count: 2 }),
    says: 'something has to be missing',
    firings: [NO_SPAN],
  },
  cloudController: {
    good: specify(faults.cloudController, { what: 'down' }),
    bad: () => specify(faults.cloudController, { what: 'slow', delayMs: 0 }),
    says: 'delayMs',
    firings: [NO_SPAN],
  },
  deadKubelet: {
    good: specify(faults.deadKubelet, { count: 1, afterMs: 30_000 }),
    bad: () => specify(faults.deadKubelet, { afterMs: -1 }),
    says: 'afterMs',
    firings: [NO_SPAN],
  },
  flappingNode: {
    good: specify(faults.flappingNode, { count: 2, periodMs: 20_000, times: 5 }),
    bad: () => specify(faults.flappingNode, { periodMs: 20_000, times: 0 }),
    says: 'times',
    firings: [NO_SPAN],
  },
  foreignNodeObject: {
    good: specify(faults.foreignNodeObject, { labels: { written: 'early' } }),
    bad: () => specify(faults.foreignNodeObject, { taints: [{ key: '', effect: 'NoSchedule' }] }),
    says: 'taints',
    firings: [NO_SPAN],
  },
  neverReady: {
    good: specify(faults.neverReady, { capacityTypes: ['spot'], count: 1 }),
    bad: () => specify(faults.neverReady, { count: 0 }),
    says: 'count',
    firings: [NO_SPAN],
  },
  nodeDeleted: {
    good: specify(faults.nodeDeleted, { count: 1, afterMs: 10_000 }),
    bad: () => specify(faults.nodeDeleted, { count: 0 }),
    says: 'count',
    firings: [NO_SPAN],
  },
  startupAgents: {
    good: specify(faults.startupAgents, { count: 2, afterMs: 120_000 }),
    bad: () => specify(faults.startupAgents, { afterMs: -1 }),
    says: 'afterMs',
    firings: [NO_SPAN],
  },
  slowRegistration: {
    good: specify(faults.slowRegistration, { count: 3, delayMs: 600_000 }),
    bad: () => specify(faults.slowRegistration, { delayMs: 600_000, never: true }),
    says: 'either delayMs or never',
    firings: [NO_SPAN],
  },
  addressExhaustion: {
    good: specify(faults.addressExhaustion, { zones: ['us-east-1a'], remaining: 1 }),
    bad: () => specify(faults.addressExhaustion, { remaining: -1 }),
    says: 'remaining',
  },
  ec2Throttling: {
    good: specify(faults.ec2Throttling, { by: 'bucket', operations: ['ec2:CreateFleet'], capacity: 2, refillPerSecond: 0.5 }),
    bad: () => specify(faults.ec2Throttling, { by: 'rate', operations: ['ec2:RunInstances'], insideFleet: true }),
    says: 'only ec2:CreateFleet',
  },
  instanceEnd: {
    good: specify(faults.instanceEnd, { count: 2, how: 'stopped', afterMs: 5_000 }),
    bad: () => specify(faults.instanceEnd, { count: 0 }),
    says: 'count',
    firings: [NO_SPAN],
  },
  kubeThrottling: {
    good: specify(faults.kubeThrottling, { operations: ['list pods'], when: { kind: 'every', nth: 3 }, body: 'status' }),
    bad: () => specify(faults.kubeThrottling, { operations: ['ec2:CreateFleet'] }),
    says: 'a Kubernetes operation',
  },
  launchFailure: {
    good: specify(faults.launchFailure, { capacityTypes: ['spot'], count: 2 }),
    bad: () => specify(faults.launchFailure, { zones: [] }),
    says: 'zones',
  },
  launchRefused: {
    good: specify(faults.launchRefused, { instanceTypes: ['m6i.large'] }),
    bad: () => specify(faults.launchRefused, { instanceTypes: [] }),
    says: 'instanceTypes',
  },
  securityGroupDeleted: {
    good: specify(faults.securityGroupDeleted, {}),
    bad: () => specify(faults.securityGroupDeleted, { groups: ['sg-1'] as never }),
    says: 'groups',
    firings: [7, 7],
  },
  quota: {
    good: specify(faults.quota, { of: 'vcpus', groups: ['standard'], vcpus: 4 }),
    bad: () => specify(faults.quota, { of: 'vcpus', vcpus: 1.5 }),
    says: 'vcpus',
  },
  staleReads: {
    good: specify(faults.staleReads, { maxMs: 5_000, mutations: true }),
    bad: () => specify(faults.staleReads, { maxMs: 300_001 }),
    says: 'maxMs',
  },
  queueOutage: {
    good: specify(faults.queueOutage, { how: 'denied' }),
    bad: () => specify(faults.queueOutage, { how: 'missing', operations: ['ec2:CreateFleet'] }),
    says: 'operations',
  },
  queuePerturbation: {
    good: specify(faults.queuePerturbation, { what: 'delay', kinds: ['state-change'], delayMs: 60_000 }),
    bad: () => specify(faults.queuePerturbation, { what: 'duplicate', copies: 1 }),
    says: 'copies',
    firings: [NO_SPAN],
  },
  scheduledChange: {
    good: specify(faults.scheduledChange, { count: 1 }),
    bad: () => specify(faults.scheduledChange, { startsInMs: 0 }),
    says: 'startsInMs',
    firings: [NO_SPAN],
  },
  spotInterruption: {
    good: specify(faults.spotInterruption, { count: 3, zones: ['us-east-1a'], rebalance: 'with', message: 'duplicated' }),
    bad: () => specify(faults.spotInterruption, { noticeMs: -1 }),
    says: 'noticeMs',
    firings: [NO_SPAN],
  },
  strayMessages: {
    good: specify(faults.strayMessages, { what: 'malformed' }),
    bad: () => specify(faults.strayMessages, { what: 'foreign', periodMs: 0 }),
    says: 'periodMs',
    firings: [NO_SPAN],
  },
  blockedEviction: {
    good: specify(faults.blockedEviction, { why: 'two-budgets' }),
    bad: () => specify(faults.blockedEviction, { why: 'no-budget' as 'budget' }),
    says: 'why',
  },
  brokenConnection: {
    good: specify(faults.brokenConnection, { operations: ['ec2:CreateFleet'], when: { kind: 'every', nth: 2 }, code: 'ECONNREFUSED' }),
    bad: () => specify(faults.brokenConnection, { operations: ['*'], code: 'EPERM' as 'EPIPE' }),
    says: 'code',
  },
  clockSkew: {
    good: specify(faults.clockSkew, { byMs: -120_000 }),
    bad: () => specify(faults.clockSkew, { byMs: 300_000 }),
    says: 'byMs',
    firings: [NO_SPAN],
  },
  closedWatches: {
    good: specify(faults.closedWatches, { resources: ['pods'], expired: true, periodMs: 20_000 }),
    bad: () => specify(faults.closedWatches, { resources: ['Pod'] }),
    says: 'plural name',
  },
  deniedPermission: {
    good: specify(faults.deniedPermission, { operations: ['ec2:TerminateInstances'] }),
    bad: () => specify(faults.deniedPermission, { operations: [] }),
    says: 'operations',
  },
  expiredCredentials: {
    good: specify(faults.expiredCredentials, { of: 'aws' }),
    bad: () => specify(faults.expiredCredentials, { of: 'azure' as 'aws' }),
    says: 'of',
  },
  failingWrites: {
    good: specify(faults.failingWrites, { why: 'webhook' }),
    bad: () => specify(faults.failingWrites, { operations: ['ec2:CreateFleet'] }),
    says: 'a Kubernetes operation',
  },
  lateRequest: {
    good: specify(faults.lateRequest, { operations: ['ec2:CreateFleet'], when: { kind: 'always' } }),
    bad: () => specify(faults.lateRequest, { operations: ['*'], delayMs: 0 }),
    says: 'delayMs',
  },
  launchTemplateGone: {
    good: specify(faults.launchTemplateGone, { count: 1, afterMs: 30_000 }),
    bad: () => specify(faults.launchTemplateGone, { count: 0 }),
    says: 'count',
    firings: [NO_SPAN],
  },
  pause: {
    good: specify(faults.pause, {}),
    bad: () => specify(faults.pause, { forMs: 1 } as object as Record<string, never>),
    says: 'forMs',
    firings: [NO_SPAN],
  },
  secondHandler: {
    // Nothing of the tenant's is interrupted: it ends its instances itself.
    good: specify(faults.secondHandler, { kinds: ['state-change'] }),
    bad: () => specify(faults.secondHandler, { kinds: [] }),
    says: 'kinds',
    firings: [NO_SPAN],
  },
  serverError: {
    good: specify(faults.serverError, { operations: ['*'], how: 'unavailable', when: { kind: 'first', count: 2 } }),
    bad: () => specify(faults.serverError, { operations: ['*'], moment: 'later' as 'after' }),
    says: 'moment',
  },
  slowTermination: {
    good: specify(faults.slowTermination, { count: 1, delayMs: 120_000 }),
    bad: () => specify(faults.slowTermination, { delayMs: 0 }),
    says: 'delayMs',
    firings: [NO_SPAN],
  },
  watchLag: {
    good: specify(faults.watchLag, { resources: ['pods'], lagMs: 60_000 }),
    bad: () => specify(faults.watchLag, { lagMs: 600_001 }),
    says: 'lagMs',
  },
  zoneOutage: {
    good: specify(faults.zoneOutage, { zones: ['us-east-1a'], instances: 'lose-contact', describing: 'fails' }),
    bad: () => specify(faults.zoneOutage, { zones: [] }),
    says: 'zones',
    firings: [7, NO_SPAN, 7],
  },
  crash: {
    good: specify(faults.crash, { operations: ['ec2:CreateFleet'], when: { kind: 'nth', nth: 3 }, moment: 'after', applied: true }),
    bad: () => specify(faults.crash, { operations: [], when: { kind: 'always' }, moment: 'before', applied: false }),
    says: 'operations',
  },
  insufficientCapacity: {
    good: specify(faults.insufficientCapacity, { zones: ['us-east-1a'], remaining: 0, errors: 'one' }),
    bad: () => specify(faults.insufficientCapacity, { remaining: -1, errors: 'one' }),
    says: 'remaining',
  },
  lostAnswer: {
    good: specify(faults.lostAnswer, { operations: ['*'], when: { kind: 'probability', probability: 0.1 }, code: 'ECONNRESET' }),
    bad: () => specify(faults.lostAnswer, { operations: ['*'], when: { kind: 'probability', probability: 2 }, code: 'ECONNRESET' }),
    says: 'probability',
  },
  slowAnswer: {
    good: specify(faults.slowAnswer, { operations: ['*'], when: { kind: 'window', fromMs: 0, toMs: 60_000 }, delayMs: 45_000 }),
    bad: () => specify(faults.slowAnswer, { operations: ['*'], when: { kind: 'always' }, delayMs: 0 }),
    says: 'delayMs',
  },
  topologySkew: {
    good: specify(faults.topologySkew, { labels: { app: 'web' }, maxSkew: -1 }),
    bad: () => specify(faults.topologySkew, { labels: { app: 'web' }, maxSkew: 1 }),
    says: 'positive maxSkew is legal',
  },
};
