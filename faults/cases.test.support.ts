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
