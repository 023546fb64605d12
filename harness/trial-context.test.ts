import { expect, test } from '@playwright/test';
import type { FaultSpec } from '../faults/fault.ts';
import type { Capability } from '../history/capabilities.ts';
import type { NewEvent } from '../history/events.ts';
import { defined } from '../model/defined.ts';
import { WORKLOAD_LABEL } from '../model/kube.ts';
import type { KubeObject } from '../model/kube.ts';
import { createRandom } from '../runtime/random.ts';
import { createVirtualTimeline } from '../runtime/timeline.ts';
import { createEmbeddedWorld } from '../world/embedded.ts';
import { resolveBounds } from './bounds.ts';
import { pool } from './scenario.ts';
import { quietTarget } from './testing/quiet-target.ts';
import { TrialContext } from './trial-context.ts';

/** A scenario's context in an embedded world with only these capabilities. */
function contextWith(capabilities: readonly Capability[]) {
  const events: NewEvent[] = [];
  const removed: string[][] = [];
  const recorder = { record: (event: NewEvent) => events.push(event) };
  const timeline = createVirtualTimeline({ startMs: 0, random: createRandom(1) });
  const nothing = (): void => undefined;
  const world = createEmbeddedWorld({
    timeline,
    random: createRandom(1),
    recorder,
    onKill: nothing,
    onFailure: nothing,
    onFlood: nothing,
  });
  const context = new TrialContext({
    world: { ...world, capabilities },
    recorder,
    clock: timeline.scope('scenario'),
    random: createRandom(1),
    bounds: resolveBounds({ constants: quietTarget().constants, allowances: world.allowances, nodes: 10, offerings: 9 }),
    nodes: 10,
    constants: quietTarget().constants,
    restartTarget: () => Promise.resolve(),
    watchMemory: () => false,
    pools: [pool('old'), pool('new')],
    applyPools: () => Promise.resolve(),
    removePools: (...sorts) => {
      removed.push(sorts.map((pools) => pools.map(({ name }) => name).join()));
      return Promise.resolve();
    },
  });
  return { context, events, world, timeline, removed };
}

/** A fault whose injection and heal take several turns, noted in `steps`. */
function slowFault(steps: string[]): FaultSpec {
  const step = async (name: string): Promise<void> => {
    await Promise.resolve();
    steps.push(name);
  };
  return {
    name: 'slow',
    params: {},
    legal: true,
    capabilities: ['capacity.set'],
    color: '#000000',
    description: 'slow',
    inject: async () => {
      await step('injected');
      return () => step('healed');
    },
  };
}

test('a fault that needs a missing capability is refused, with its name, the capability and what to do', async () => {
  const { context, events } = contextWith(['wire.kube']);
  await expect(context.inject(slowFault([]))).rejects.toThrow(
    /fault slow needs "capacity.set" \(the capacity of offerings can be set\), which the world embedded does not have: declare it in the scenario's capabilities/,
  );
  expect(events).toEqual([]);
});

test('a fault is armed before its injection, and healed once, after its heal is done', async () => {
  const steps: string[] = [];
  const { context, events } = contextWith(['capacity.set']);
  const types = (): string[] => events.map(({ type }) => type);
  const injecting = context.inject(slowFault(steps));
  expect({ steps: [...steps], types: types() }).toEqual({ steps: [], types: ['fault.armed'] });
  const fault = await injecting;
  const healing = [fault.heal(), fault.heal(), context.healAll()];
  expect(types()).toEqual(['fault.armed']);
  await Promise.all(healing);
  expect({ steps, types: types() }).toEqual({ steps: ['injected', 'healed'], types: ['fault.armed', 'fault.healed'] });
});

test('a fault that is injected without waiting is still healed', async () => {
  const steps: string[] = [];
  const { context } = contextWith(['capacity.set']);
  void context.inject(slowFault(steps));
  await context.healAll();
  expect(steps).toEqual(['injected', 'healed']);
});

/** A fault that fires as soon as it is injected. */
function promptFault(firing?: 'may-fire'): FaultSpec {
  const { inject: _inject, ...fault } = slowFault([]);
  return {
    ...fault,
    ...defined({ firing }),
    inject: ({ fired }) => {
      fired();
      return () => undefined;
    },
  };
}

test('whether a fault has to fire is set by the fault or by the caller', async () => {
  const { context, events } = contextWith(['capacity.set']);
  await context.inject(promptFault());
  await context.inject(promptFault('may-fire'));
  await context.inject(promptFault('may-fire'), 'must-fire');
  await context.inject(promptFault(), 'may-fire');
  const firings = events.flatMap((event) => (event.type === 'fault.armed' ? [event.fault.firing] : []));
  expect(firings).toEqual(['must-fire', 'may-fire', 'must-fire', 'may-fire']);
});

test('one call states an expectation and waits for it, for the bound at most', async () => {
  const { context, events, timeline } = contextWith(['capacity.set']);
  const clock = timeline.scope('test');
  const took: Record<string, number> = {};
  const time = async (what: string, wait: () => Promise<unknown>): Promise<void> => {
    const fromMs = clock.nowMs();
    await wait();
    took[what] = clock.nowMs() - fromMs;
  };
  await timeline.run(
    (async () => {
      const web = await context.deploy({ name: 'web', replicas: 1, cpu: '1', memory: '1Gi', budget: { maxUnavailable: 1 } });
      events.length = 0;
      await time('served', () => context.served(web, 'provision', 0.5));
      await time('emptied', () => context.emptied('scale-in'));
      await time('kept', () => context.kept('consolidation'));
      await time('consolidated', () => context.consolidated(2, 'drift'));
      await time('injected', () => context.injectUntilFired(promptFault(), 'provision'));
      await context.removeAll();
    })(),
  );
  expect(events.flatMap((event) => (event.type === 'expectation' ? [event.expectation] : []))).toEqual([
    { kind: 'served', workload: 'web', bound: 'provision', minRatio: 0.5 },
    { kind: 'emptied', bound: 'scale-in' },
    { kind: 'kept', bound: 'consolidation' },
    { kind: 'consolidated', instances: 2, bound: 'drift' },
  ]);
  expect(took).toMatchObject({
    emptied: context.lengthMs('scale-in'),
    kept: context.lengthMs('consolidation'),
    consolidated: context.lengthMs('drift'),
    injected: 0,
  });
  expect(took['served']).toBeGreaterThanOrEqual(context.lengthMs('provision'));
});

test('pools are withdrawn once each: the named ones, then the rest; others are refused', async () => {
  const { context, removed } = contextWith([]);
  await context.withdrawPools('old');
  await expect(context.withdrawPools('old')).rejects.toThrow('the scenario has no pool "old" to withdraw');
  await context.withdrawPools();
  await context.withdrawPools();
  expect(removed).toEqual([
    ['old', 'new', ''],
    ['new', '', ''],
  ]);
});

test("a user's objects are applied as written; workloads and budgets among them are recorded, and all are removed at the end", async () => {
  const { context, events, world, timeline } = contextWith([]);
  const name = 'shop.web';
  const template = { metadata: { labels: { app: 'web', [WORKLOAD_LABEL]: name } }, spec: { containers: [{ name: 'main', image: 'web' }] } };
  const selector = { matchLabels: { app: 'web' } };
  const cluster = world.port('observer');
  const left = async (): Promise<number> =>
    (await cluster.list('deployments')).length + (await cluster.list('poddisruptionbudgets')).length;
  await timeline.run(
    (async () => {
      const applied = await context.apply([
        { resource: 'namespaces', object: { metadata: { name: 'shop' } } },
        {
          resource: 'poddisruptionbudgets',
          object: { metadata: { name: 'guard', namespace: 'shop' }, spec: { minAvailable: 1, selector } } as KubeObject,
          protects: [{ workload: name, budget: { minAvailable: 1 } }],
        },
        {
          resource: 'deployments',
          object: { metadata: { name: 'web', namespace: 'shop' }, spec: { replicas: 2, selector, template } } as KubeObject,
          workload: { name, kind: 'Deployment', replicas: 2, truth: { kind: 'schedulable' }, note: 'mine' },
        },
      ]);
      expect(applied).toEqual([{ name, kind: 'Deployment', object: { namespace: 'shop', name: 'web' } }]);
      await context.scale({ name, kind: 'Deployment', object: { namespace: 'shop', name: 'web' } }, 3);
      expect(await cluster.get({ resource: 'deployments', namespace: 'shop', name: 'web' })).toMatchObject({ spec: { replicas: 3 } });
      expect(await left()).toBe(2);
      await context.removeAll();
      expect(await left()).toBe(0);
    })(),
  );
  expect(events.filter(({ type }) => type === 'workload' || type === 'budget')).toEqual([
    { type: 'budget', budget: 'guard', workload: name, minAvailable: 1 },
    { type: 'workload', workload: name, namespace: 'shop', replicas: 2, truth: { kind: 'schedulable' }, note: 'mine', graceSeconds: 30 },
  ]);
});

test('a Job and a StatefulSet with claims are deployed as a user would write them, and scaled', async () => {
  const { context, world, timeline } = contextWith([]);
  const cluster = world.port('observer');
  await timeline.run(
    (async () => {
      const job = await context.deploy({ name: 'batch', kind: 'Job', replicas: 2 });
      const at = { resource: 'jobs', namespace: 'default', name: 'batch' };
      expect(await cluster.get(at)).toMatchObject({
        spec: { parallelism: 2, template: { spec: { restartPolicy: 'OnFailure' } } },
      });
      await context.scale(job, 5);
      expect(await cluster.get(at)).toMatchObject({ spec: { parallelism: 5 } });
      const claim = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } };
      await context.deploy({ name: 'db', kind: 'StatefulSet', replicas: 1, claimTemplates: [claim] });
      expect(await cluster.get({ resource: 'statefulsets', namespace: 'default', name: 'db' })).toMatchObject({
        spec: { serviceName: 'db', volumeClaimTemplates: [claim] },
      });
      await context.removeAll();
      expect(await cluster.list('jobs')).toEqual([]);
    })(),
  );
});
