import { faults } from '../catalogue.ts';
import type { FaultSpec } from '../fault.ts';

/** Firings without a request have no span. */
export const NO_SPAN = -1;

/** For a fault: valid parameters as in a scenario, and invalid ones that must be refused. */
export interface FaultCase {
  readonly good: FaultSpec;
  readonly bad: () => unknown;
  readonly says: string;
  /** Spans of firings for a request with span 7. */
  readonly firings?: readonly number[];
}

/** One case per fault of the catalogue. */
export const CASES: Readonly<Record<keyof typeof faults, FaultCase>> = {
  allocatableShortfall: {
    good: faults.allocatableShortfall({ zones: ['us-east-1a'], memory: 0.2 }),
    bad: () => faults.allocatableShortfall({ count: 2 }),
    says: 'cpu or memory must be greater than 0',
    firings: [NO_SPAN],
  },
  cloudController: {
    good: faults.cloudController({ what: 'down' }),
    bad: () => faults.cloudController({ what: 'slow', delayMs: 0 }),
    says: 'delayMs',
    firings: [NO_SPAN],
  },
  deadKubelet: {
    good: faults.deadKubelet({ count: 1, afterMs: 30_000 }),
    bad: () => faults.deadKubelet({ afterMs: -1 }),
    says: 'afterMs',
    firings: [NO_SPAN],
  },
  flappingNode: {
    good: faults.flappingNode({ count: 2, periodMs: 20_000, times: 5 }),
    bad: () => faults.flappingNode({ periodMs: 20_000, times: 0 }),
    says: 'times',
    firings: [NO_SPAN],
  },
  foreignNodeObject: {
    good: faults.foreignNodeObject({ labels: { written: 'early' } }),
    bad: () => faults.foreignNodeObject({ taints: [{ key: '', effect: 'NoSchedule' }] }),
    says: 'taints',
    firings: [NO_SPAN],
  },
  neverReady: {
    good: faults.neverReady({ capacityTypes: ['spot'], count: 1 }),
    bad: () => faults.neverReady({ count: 0 }),
    says: 'count',
    firings: [NO_SPAN],
  },
  nodeDeleted: {
    good: faults.nodeDeleted({ count: 1, afterMs: 10_000 }),
    bad: () => faults.nodeDeleted({ count: 0 }),
    says: 'count',
    firings: [NO_SPAN],
  },
  startupAgents: {
    good: faults.startupAgents({ count: 2, afterMs: 120_000 }),
    bad: () => faults.startupAgents({ afterMs: -1 }),
    says: 'afterMs',
    firings: [NO_SPAN],
  },
  lateDevices: {
    good: faults.lateDevices({ count: 2, delayMs: 120_000 }),
    bad: () => faults.lateDevices({ delayMs: -1 }),
    says: 'delayMs',
    firings: [NO_SPAN],
  },
  slowRegistration: {
    good: faults.slowRegistration({ count: 3, delayMs: 600_000 }),
    bad: () => faults.slowRegistration({ delayMs: 600_000, never: true }),
    says: 'either delayMs or never',
    firings: [NO_SPAN],
  },
  instanceIdHostnames: {
    good: faults.instanceIdHostnames({ zones: ['us-east-1a'] }),
    bad: () => faults.instanceIdHostnames({ zones: [] }),
    says: 'zones',
    firings: [NO_SPAN],
  },
  addressExhaustion: {
    good: faults.addressExhaustion({ zones: ['us-east-1a'], remaining: 1 }),
    bad: () => faults.addressExhaustion({ remaining: -1 }),
    says: 'remaining',
  },
  ec2Throttling: {
    good: faults.ec2Throttling({ by: 'bucket', operations: ['ec2:CreateFleet'], capacity: 2, refillPerSecond: 0.5 }),
    bad: () => faults.ec2Throttling({ by: 'rate', operations: ['ec2:RunInstances'], insideFleet: true }),
    says: 'requires ec2:CreateFleet',
  },
  instanceEnd: {
    good: faults.instanceEnd({ count: 2, how: 'stopped', afterMs: 5_000 }),
    bad: () => faults.instanceEnd({ count: 0 }),
    says: 'count',
    firings: [NO_SPAN],
  },
  kubeThrottling: {
    good: faults.kubeThrottling({ operations: ['list pods'], when: { kind: 'every', nth: 3 }, body: 'status' }),
    bad: () => faults.kubeThrottling({ operations: ['ec2:CreateFleet'] }),
    says: 'a Kubernetes operation',
  },
  launchFailure: {
    good: faults.launchFailure({ capacityTypes: ['spot'], count: 2 }),
    bad: () => faults.launchFailure({ zones: [] }),
    says: 'zones',
  },
  launchRefused: {
    good: faults.launchRefused({ instanceTypes: ['m6i.large'] }),
    bad: () => faults.launchRefused({ code: 'SpotMaxPriceTooLow' }),
    says: 'SpotMaxPriceTooLow needs capacityTypes ["spot"]',
  },
  pendingVerification: {
    good: faults.pendingVerification({}),
    bad: () => faults.pendingVerification({ code: 'Blocked' } as never),
    says: 'code',
    firings: [7, 7],
  },
  securityGroupDeleted: {
    good: faults.securityGroupDeleted({}),
    bad: () => faults.securityGroupDeleted({ groups: ['sg-1'] as never }),
    says: 'groups',
    firings: [7, 7],
  },
  quota: {
    good: faults.quota({ of: 'vcpus', groups: ['standard'], vcpus: 4 }),
    bad: () => faults.quota({ of: 'vcpus', vcpus: 1.5 }),
    says: 'vcpus',
  },
  staleReads: {
    good: faults.staleReads({ maxMs: 5_000, mutations: true }),
    bad: () => faults.staleReads({ maxMs: 300_001 }),
    says: 'maxMs',
  },
  queueOutage: {
    good: faults.queueOutage({ how: 'denied' }),
    bad: () => faults.queueOutage({ how: 'missing', operations: ['ec2:CreateFleet'] }),
    says: 'operations',
  },
  queuePerturbation: {
    good: faults.queuePerturbation({ what: 'delay', kinds: ['state-change'], delayMs: 60_000 }),
    bad: () => faults.queuePerturbation({ what: 'duplicate', copies: 1 }),
    says: 'copies',
    firings: [NO_SPAN],
  },
  scheduledChange: {
    good: faults.scheduledChange({ count: 1 }),
    bad: () => faults.scheduledChange({ startsInMs: 0 }),
    says: 'startsInMs',
    firings: [NO_SPAN],
  },
  spotInterruption: {
    good: faults.spotInterruption({ count: 3, zones: ['us-east-1a'], rebalance: 'with', message: 'duplicated' }),
    bad: () => faults.spotInterruption({ noticeMs: -1 }),
    says: 'noticeMs',
    firings: [NO_SPAN],
  },
  strayMessages: {
    good: faults.strayMessages({ what: 'malformed' }),
    bad: () => faults.strayMessages({ what: 'foreign', periodMs: 0 }),
    says: 'periodMs',
    firings: [NO_SPAN],
  },
  blockedEviction: {
    good: faults.blockedEviction({ why: 'two-budgets' }),
    bad: () => faults.blockedEviction({ why: 'no-budget' as 'budget' }),
    says: 'why',
  },
  brokenConnection: {
    good: faults.brokenConnection({ operations: ['ec2:CreateFleet'], when: { kind: 'every', nth: 2 }, code: 'ECONNREFUSED' }),
    bad: () => faults.brokenConnection({ operations: ['*'], code: 'EPERM' as 'EPIPE' }),
    says: 'code',
  },
  clockSkew: {
    good: faults.clockSkew({ byMs: -120_000 }),
    bad: () => faults.clockSkew({ byMs: 300_000 }),
    says: 'byMs',
    firings: [NO_SPAN],
  },
  closedWatches: {
    good: faults.closedWatches({ resources: ['pods'], expired: true, periodMs: 20_000 }),
    bad: () => faults.closedWatches({ resources: ['Pod'] }),
    says: 'plural name',
  },
  deniedPermission: {
    good: faults.deniedPermission({ operations: ['ec2:TerminateInstances'] }),
    bad: () => faults.deniedPermission({ operations: [] }),
    says: 'operations',
  },
  expiredCredentials: {
    good: faults.expiredCredentials({ of: 'aws' }),
    bad: () => faults.expiredCredentials({ of: 'azure' as 'aws' }),
    says: 'of',
  },
  failingWrites: {
    good: faults.failingWrites({ why: 'webhook' }),
    bad: () => faults.failingWrites({ operations: ['ec2:CreateFleet'] }),
    says: 'a Kubernetes operation',
  },
  lateRequest: {
    good: faults.lateRequest({ operations: ['ec2:CreateFleet'], when: { kind: 'always' } }),
    bad: () => faults.lateRequest({ operations: ['*'], delayMs: 0 }),
    says: 'delayMs',
  },
  launchTemplateGone: {
    good: faults.launchTemplateGone({ count: 1, afterMs: 30_000 }),
    bad: () => faults.launchTemplateGone({ count: 0 }),
    says: 'count',
    firings: [NO_SPAN],
  },
  pause: {
    good: faults.pause({}),
    bad: () => faults.pause({ forMs: 1 } as object as Record<string, never>),
    says: 'forMs',
    firings: [NO_SPAN],
  },
  secondHandler: {
    // None of the tenant's instances is interrupted: it terminates them itself.
    good: faults.secondHandler({ kinds: ['state-change'] }),
    bad: () => faults.secondHandler({ kinds: [] }),
    says: 'kinds',
    firings: [NO_SPAN],
  },
  serverError: {
    good: faults.serverError({ operations: ['*'], how: 'unavailable', when: { kind: 'first', count: 2 } }),
    bad: () => faults.serverError({ operations: ['*'], moment: 'later' as 'after' }),
    says: 'moment',
  },
  slowTermination: {
    good: faults.slowTermination({ count: 1, delayMs: 120_000 }),
    bad: () => faults.slowTermination({ delayMs: 0 }),
    says: 'delayMs',
    firings: [NO_SPAN],
  },
  watchLag: {
    good: faults.watchLag({ resources: ['pods'], lagMs: 60_000 }),
    bad: () => faults.watchLag({ lagMs: 600_001 }),
    says: 'lagMs',
  },
  zoneOutage: {
    good: faults.zoneOutage({ zones: ['us-east-1a'], instances: 'lose-contact', describing: 'fails' }),
    bad: () => faults.zoneOutage({ zones: [] }),
    says: 'zones',
    firings: [7, NO_SPAN, 7],
  },
  crash: {
    good: faults.crash({ operations: ['ec2:CreateFleet'], when: { kind: 'nth', nth: 3 }, moment: 'after', applied: true }),
    bad: () => faults.crash({ operations: [], when: { kind: 'always' }, moment: 'before', applied: false }),
    says: 'operations',
  },
  insufficientCapacity: {
    good: faults.insufficientCapacity({ zones: ['us-east-1a'], remaining: 0, errors: 'one' }),
    bad: () => faults.insufficientCapacity({ remaining: -1, errors: 'one' }),
    says: 'remaining',
  },
  lostAnswer: {
    good: faults.lostAnswer({ operations: ['*'], when: { kind: 'probability', probability: 0.1 }, code: 'ECONNRESET' }),
    bad: () => faults.lostAnswer({ operations: ['*'], when: { kind: 'probability', probability: 2 }, code: 'ECONNRESET' }),
    says: 'probability',
  },
  slowAnswer: {
    good: faults.slowAnswer({ operations: ['*'], when: { kind: 'window', fromMs: 0, toMs: 60_000 }, delayMs: 45_000 }),
    bad: () => faults.slowAnswer({ operations: ['*'], when: { kind: 'always' }, delayMs: 0 }),
    says: 'delayMs',
  },
  topologySkew: {
    good: faults.topologySkew({ labels: { app: 'web' }, maxSkew: -1 }),
    bad: () => faults.topologySkew({ labels: { app: 'web' }, maxSkew: 1 }),
    says: 'maxSkew must be 0 or less',
  },
};
