import { expect, test } from '@playwright/test';
import type { OfferingSelector } from '../model/catalogue.ts';
import type { Injection } from '../wire/effects.ts';
import { faults, faultCatalogue } from './catalogue.ts';
import { specify } from './fault.ts';
import type { FaultSite, FaultSpec } from './fault.ts';

/** A site that counts what is armed and what has fired. */
function site(): FaultSite & { readonly armed: Set<unknown>; readonly firings: number[]; strikeAll(span: number): void } {
  const armed = new Set<unknown>();
  const strikes = new Map<unknown, (span: number) => void>();
  const firings: number[] = [];
  const arm = <T>(thing: T, strike: (span: number) => void): (() => void) => {
    armed.add(thing);
    strikes.set(thing, strike);
    return () => {
      armed.delete(thing);
    };
  };
  return {
    armed,
    firings,
    strikeAll: (span) => {
      for (const thing of armed) strikes.get(thing)?.(span);
    },
    arm: (injection: Injection) => arm(injection, injection.fired),
    ports: {
      capacity: { limit: (limit: { selector: OfferingSelector; fired: (span: number) => void }) => arm(limit, limit.fired) },
      throttle: { limit: (limit) => arm(limit, limit.fired) },
      quota: {
        limitVcpus: (limit) => arm(limit, limit.fired),
        limitInstances: (limit) => arm(limit, limit.fired),
        limitAddresses: (limit) => arm(limit, limit.fired),
      },
      reads: { delay: (delay) => arm(delay, delay.fired) },
      instanceFaults: {
        failLaunches: (failure) => arm(failure, failure.fired),
        endRunning: (ending) => arm(ending, ending.fired),
      },
      nodes: { arm: (fault) => arm(fault, () => fault.fired('i-1')) },
      spot: { interrupt: (interruption) => arm(interruption, () => interruption.fired('i-1')) },
      queue: {
        perturb: (perturbation) => arm(perturbation, () => perturbation.fired('rebalance', 'i-1')),
        put: (stray) => arm(stray, () => stray.fired('i-1')),
        scheduleChange: (change) => arm(change, () => change.fired('i-1')),
      },
      instances: {
        get: () => undefined,
        list: () => [],
        onChange: () => () => undefined,
        end: () => undefined,
      },
    },
    fired: (span) => firings.push(span ?? -1),
  };
}

/** Strikes that belong to no request have no span. */
const NO_SPAN = -1;

/** For each fault, parameters as a scenario would give them, and some that must be refused. */
interface Case {
  readonly good: FaultSpec;
  readonly bad: () => unknown;
  readonly says: string;
  /** Of a strike at span 7. */
  readonly firings?: readonly number[];
}

const CASES: Readonly<Record<keyof typeof faults, Case>> = {
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
    good: specify(faults.quota, { of: 'vcpus', groups: ['standard'], vcpus: 16 }),
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
    good: specify(faults.slowAnswer, { operations: ['*'], when: { kind: 'window', fromMs: 0, toMs: 10 }, delayMs: 5 }),
    bad: () => specify(faults.slowAnswer, { operations: ['*'], when: { kind: 'always' }, delayMs: 0 }),
    says: 'delayMs',
  },
  topologySkew: {
    good: specify(faults.topologySkew, { labels: { app: 'web' }, maxSkew: -1 }),
    bad: () => specify(faults.topologySkew, { labels: { app: 'web' }, maxSkew: 1 }),
    says: 'positive maxSkew is legal',
  },
};

for (const [key, { good, bad, says, firings = [7] }] of Object.entries(CASES)) {
  test(`${key}: injects, fires, heals without a rest, and refuses bad parameters`, async () => {
    const at = site();
    const heal = await good.inject(at);
    expect(at.armed.size).toBe(1);
    at.strikeAll(7);
    expect(at.firings).toEqual(firings);
    await heal();
    expect(at.armed.size).toBe(0);
    expect(bad).toThrow(says);
    expect(bad).toThrow(good.name);
  });

  test(`${key}: says what it is and what it does`, () => {
    expect(good.description).toMatch(/\w{3,}/);
    expect(good.color).toMatch(/^#[0-9a-f]{6}$/);
    expect(good.capabilities.length).toBeGreaterThan(0);
  });
}

for (const { operations, capabilities } of [
  { operations: ['ec2:CreateFleet'], capabilities: ['wire.aws'] },
  { operations: ['list pods'], capabilities: ['wire.kube'] },
  { operations: ['*'], capabilities: ['wire.kube', 'wire.aws'] },
  { operations: ['ec2:CreateFleet', 'list pods'], capabilities: ['wire.kube', 'wire.aws'] },
]) {
  test(`a fault of ${operations.join(' and ')} needs ${capabilities.join(' and ')}`, () => {
    expect(specify(faults.slowAnswer, { operations, when: { kind: 'always' }, delayMs: 5 }).capabilities).toEqual(capabilities);
  });
}

test('names are unique', () => {
  expect(new Set(faultCatalogue.map(({ name }) => name)).size).toBe(faultCatalogue.length);
});

test('a rewritten pod keeps everything but the skew, and other pods keep all', async () => {
  const injections: Injection[] = [];
  await specify(faults.topologySkew, { labels: { app: 'web' }, maxSkew: -1 }).inject({
    ...site(),
    arm: (injection) => {
      injections.push(injection);
      return () => undefined;
    },
  });
  const [injection] = injections;
  if (injection === undefined || !('rewrite' in injection)) throw new Error('the fault rewrites');
  const pod = (app: string) => ({
    kind: 'Pod',
    metadata: { labels: { app } },
    spec: { nodeName: 'n', topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }] },
  });
  expect(injection.rewrite(pod('web'))).toEqual({
    ...pod('web'),
    spec: { nodeName: 'n', topologySpreadConstraints: [{ maxSkew: -1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }] },
  });
  const other = pod('other');
  expect(injection.rewrite(other)).toBe(other);
});
