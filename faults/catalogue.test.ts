import { expect, test } from '@playwright/test';
import type { OfferingSelector } from '../model/catalogue.ts';
import type { Injection } from '../wire/effects.ts';
import { CLUSTER } from '../world/embedded.ts';
import { CASES } from './testing/cases.ts';
import { faults, faultCatalogue } from './catalogue.ts';
import type { FaultSite } from './fault.ts';

/** A site that tracks what is armed and what has fired. */
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
      capacity: {
        limit: (limit: { selector: OfferingSelector; fired: (span: number) => void }) => arm(limit, limit.fired),
        refuse: (refusing) => arm(refusing, refusing.fired),
      },
      throttle: { limit: (limit) => arm(limit, limit.fired) },
      quota: {
        limitVcpus: (limit) => arm(limit, limit.fired),
        limitLaunches: () => () => undefined,
        limitInstances: (limit) => arm(limit, limit.fired),
        limitAddresses: (limit) => arm(limit, limit.fired),
      },
      hostnames: { nameByInstance: (naming) => arm(naming, () => naming.fired('i-1')) },
      reads: { delay: (delay) => arm(delay, delay.fired) },
      instanceFaults: {
        failLaunches: (failure) => arm(failure, failure.fired),
        endRunning: (ending) => arm(ending, ending.fired),
        delayEndings: (delay) => arm(delay, delay.fired),
      },
      nodes: { arm: (fault) => arm(fault, () => fault.fired('i-1')) },
      cloud: { holdUp: (hold) => arm(hold, () => hold.fired('node-1')) },
      spot: { interrupt: (interruption) => arm(interruption, () => interruption.fired('i-1')) },
      queue: {
        perturb: (perturbation) => arm(perturbation, () => perturbation.fired('rebalance', 'i-1')),
        put: (stray) => arm(stray, () => stray.fired('i-1')),
        scheduleChange: (change) => arm(change, () => change.fired('i-1')),
      },
      handlers: { install: (handler) => arm(handler, () => handler.fired('i-1')) },
      templates: { list: () => [] },
      templateFaults: { deleteTemplates: (deletion) => arm(deletion, () => deletion.fired('nodes')) },
      watches: { lag: (lag) => arm(lag, lag.fired), close: (closing) => arm(closing, closing.fired) },
      processes: { pause: (one) => arm(one, one.fired), skewClock: (skew) => arm(skew, skew.fired) },
      instances: {
        get: () => undefined,
        list: () => [],
        onChange: () => () => undefined,
        end: () => undefined,
      },
    },
    cluster: CLUSTER,
    fired: (span) => firings.push(span ?? -1),
  };
}

for (const [key, { good, bad, says, firings = [7] }] of Object.entries(CASES)) {
  test(`${key}: injects, fires, heals completely, and refuses bad parameters`, async () => {
    const at = site();
    const heal = await good.inject(at);
    expect(at.armed.size).toBe(firings.length);
    at.strikeAll(7);
    expect(at.firings).toEqual(firings);
    await heal();
    expect(at.armed.size).toBe(0);
    expect(bad).toThrow(says);
    expect(bad).toThrow(good.name);
  });

  test(`${key}: describes what it is and what it does`, () => {
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
    expect(faults.slowAnswer({ operations, when: { kind: 'always' }, delayMs: 5 }).capabilities).toEqual(capabilities);
  });
}

test('names are unique', () => {
  expect(new Set(faultCatalogue.map(({ name }) => name)).size).toBe(faultCatalogue.length);
});

test("a rewritten pod changes only its skew, and other pods don't change", async () => {
  const injections: Injection[] = [];
  await faults.topologySkew({ labels: { app: 'web' }, maxSkew: -1 }).inject({
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
