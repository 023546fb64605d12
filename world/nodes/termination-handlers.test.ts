import { expect, test } from '@playwright/test';
import { defined } from '../../model/defined.ts';
import type { DaemonSet, OwnerReference, Pod, PodDisruptionBudget } from '../../model/kube.ts';
import type { EventListener } from '../aws/event-bus.ts';
import { DisruptionBudgets } from '../controllers/disruption-budgets.ts';
import type { MessageKind, TerminationHandlerPort } from '../ports.ts';
import { addNode, makePod, withParts } from '../testing/world-parts.ts';
import type { Bench } from '../testing/world-parts.ts';
import { podRef } from './testing/kubelets.ts';
import { TerminationHandlers } from './termination-handlers.ts';

const POLL_MS = 2_000;
const DRAIN_MS = 120_000;
const RETRY_MS = 5_000;
const LATE_MS = 600_000;

interface HandlerBench extends Bench {
  /** Emits an EC2 event about an instance. */
  tell(kind: MessageKind, instance: string): void;
  /** Installs a handler, and collects the ids of the instances whose nodes it cordoned. */
  install(handler?: Partial<Parameters<TerminationHandlerPort['install']>[0]>): { readonly cordoned: readonly string[]; heal(): void };
  isCordoned(instance: string): Promise<boolean>;
  /** Names of the terminating pods. */
  leaving(): Promise<string[]>;
}

/** Runs `work` with the instances i-1 and i-2, each a node, and a part that handles their interruptions. */
async function withHandlers(work: (bench: HandlerBench) => Promise<void>): Promise<void> {
  const listeners = new Set<EventListener>();
  let handlers: TerminationHandlers | undefined;
  await withParts(
    ({ port, clock, random, instances }) => {
      const onEvent = (listener: EventListener): (() => void) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      };
      handlers = new TerminationHandlers({ port: port('node'), instances, clock, random: random.fork('handlers'), onEvent });
      return [handlers, new DisruptionBudgets({ port: port('workloads'), clock, random: random.fork('budgets') })];
    },
    async (bench) => {
      bench.instances.set('i-1', { capacityType: 'spot', privateIp: '10.0.1.1' });
      bench.instances.set('i-2', { capacityType: 'on-demand', privateIp: '10.0.1.2' });
      const nodeOf = (id: string): string => bench.instances.get(id)?.privateDnsName ?? '';
      for (const id of ['i-1', 'i-2']) await addNode(bench.port, nodeOf(id));
      await work({
        ...bench,
        tell: (kind, id) => {
          for (const listener of listeners) listener(kind, id);
        },
        install: (handler = {}) => {
          const cordoned: string[] = [];
          const fired = (id: string): unknown => cordoned.push(id);
          const heal = handlers?.install({ kinds: ['spot-interruption'], selector: {}, pollMs: POLL_MS, fired, ...handler });
          return { cordoned, heal: () => void heal?.() };
        },
        isCordoned: async (id) => (await bench.node(nodeOf(id)))?.spec?.unschedulable === true,
        leaving: async () =>
          (await bench.pods()).flatMap(({ metadata }) => (metadata.deletionTimestamp === undefined ? [] : [metadata.name ?? ''])).sort(),
      });
    },
  );
  expect(listeners.size, 'it is no longer subscribed').toBe(0);
}

/** A running, ready pod on the node of an instance. */
async function run({ port, instances }: Bench, name: string, id: string, owner?: OwnerReference): Promise<void> {
  const pod = makePod(name, { labels: { app: 'web' } });
  await port.create<Pod>('pods', { ...pod, metadata: { ...pod.metadata, ...defined({ ownerReferences: owner && [owner] }) } });
  await port.bind(podRef(name), instances.get(id)?.privateDnsName ?? '');
  await port.patch(podRef(name), { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } }, 'status');
}

test('the node of an interrupted instance is cordoned and drained, except for pods of DaemonSets; no other node is', async () => {
  await withHandlers(async (bench) => {
    await run(bench, 'a', 'i-1');
    const labels = { app: 'agent' };
    const { metadata } = await bench.port.create<DaemonSet>('daemonsets', {
      metadata: { name: 'agent', namespace: 'default' },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: makePod('agent').spec } },
    });
    const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: metadata.uid ?? '', controller: true };
    await run(bench, 'agent', 'i-1', owner);
    await run(bench, 'b', 'i-2');
    const { cordoned } = bench.install();
    bench.tell('spot-interruption', 'i-1');
    await bench.clock.sleep(POLL_MS + 100);
    expect([await bench.isCordoned('i-1'), await bench.isCordoned('i-2')]).toEqual([true, false]);
    expect(await bench.leaving()).toEqual(['a']);
    expect((await bench.pod('a'))?.status?.conditions).toContainEqual(expect.objectContaining({ reason: 'EvictionByEvictionAPI' }));
    expect(bench.instances.get('i-1')?.state).toBe('running');
    bench.tell('spot-interruption', 'i-1');
    await bench.clock.sleep(LATE_MS);
    expect(cordoned).toEqual(['i-1']);
  });
});

test('an eviction that a budget refuses is retried for the time of a drain, and no longer', async () => {
  await withHandlers(async (bench) => {
    await bench.port.create<PodDisruptionBudget>('poddisruptionbudgets', {
      metadata: { name: 'web', namespace: 'default' },
      spec: { selector: { matchLabels: { app: 'web' } }, minAvailable: 2 },
    });
    await run(bench, 'a', 'i-1');
    await run(bench, 'b', 'i-2');
    bench.install();
    await bench.clock.sleep(1_000);
    bench.tell('spot-interruption', 'i-1');
    await bench.clock.sleep(DRAIN_MS / 2);
    expect([await bench.isCordoned('i-1'), await bench.leaving()]).toEqual([true, []]);
    await run(bench, 'c', 'i-2');
    await bench.until('a leaves', async () => (await bench.leaving()).includes('a'), RETRY_MS + 1_000);
    // Two of two are left: no more may be evicted.
    bench.tell('spot-interruption', 'i-2');
    await bench.clock.sleep(DRAIN_MS + POLL_MS + RETRY_MS);
    await run(bench, 'd', 'i-1');
    await bench.clock.sleep(LATE_MS);
    expect(await bench.leaving()).toEqual(['a']);
  });
});

test('a new pod of the same name elsewhere stays', async () => {
  await withHandlers(async (bench) => {
    await bench.port.create<PodDisruptionBudget>('poddisruptionbudgets', {
      metadata: { name: 'web', namespace: 'default' },
      spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 0 },
    });
    await run(bench, 'a', 'i-1');
    bench.install();
    bench.tell('spot-interruption', 'i-1');
    await bench.clock.sleep(POLL_MS + 1_000);
    await bench.port.delete(podRef('a'), { gracePeriodSeconds: 0 });
    await run(bench, 'a', 'i-2');
    await bench.port.delete({ resource: 'poddisruptionbudgets', namespace: 'default', name: 'web' });
    await bench.clock.sleep(LATE_MS);
    expect(await bench.leaving()).toEqual([]);
  });
});

test('it handles the configured kinds of events, ending instances, and selected ones', async () => {
  await withHandlers(async (bench) => {
    const { cordoned } = bench.install({ kinds: ['state-change'], selector: { capacityTypes: ['on-demand'] } });
    for (const id of ['i-1', 'i-2']) for (const kind of ['spot-interruption', 'state-change'] as const) bench.tell(kind, id);
    await bench.clock.sleep(LATE_MS);
    expect(cordoned).toEqual([]);
    for (const id of ['i-1', 'i-2']) {
      bench.instances.set(id, { state: 'shutting-down' });
      bench.tell('state-change', id);
    }
    await bench.clock.sleep(LATE_MS);
    expect(cordoned).toEqual(['i-2']);
  });
});

test('healed, it cordons and evicts nothing more', async () => {
  await withHandlers(async (bench) => {
    await bench.port.create<PodDisruptionBudget>('poddisruptionbudgets', {
      metadata: { name: 'web', namespace: 'default' },
      spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 0 },
    });
    await run(bench, 'a', 'i-1');
    const { cordoned, heal } = bench.install();
    bench.tell('spot-interruption', 'i-1');
    await bench.clock.sleep(POLL_MS + 1_000);
    bench.tell('spot-interruption', 'i-2');
    heal();
    await bench.port.delete({ resource: 'poddisruptionbudgets', namespace: 'default', name: 'web' });
    await bench.clock.sleep(LATE_MS);
    expect([cordoned, await bench.leaving()]).toEqual([['i-1'], []]);
  });
});

test('an instance without a node is ignored', async () => {
  await withHandlers(async (bench) => {
    const { cordoned } = bench.install();
    bench.instances.set('i-3', { privateIp: '10.0.1.3' });
    for (const id of ['i-3', 'i-unknown']) bench.tell('spot-interruption', id);
    await bench.clock.sleep(LATE_MS);
    expect(cordoned).toEqual([]);
  });
});
