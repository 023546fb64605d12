import { expect, test } from '@playwright/test';
import { defined } from '../../model/defined.ts';
import { LABEL } from '../../model/kube.ts';
import type { Node, Taint } from '../../model/kube.ts';
import { CLOUD_MONITOR_PERIOD_MS, CLOUD_REACTION, CloudController } from './cloud-controller.ts';
import { CloudHolds } from './cloud-holds.ts';
import { CLOUD_CONTROLLERS } from '../ports.ts';
import { addNode, withParts } from '../testing/world-parts.ts';
import type { Bench, PartSite } from '../testing/world-parts.ts';

const heldUpBy =
  (holds: CloudHolds) =>
  ({ port, clock, random, instances }: PartSite): [CloudController] => [
    new CloudController({ port: port('cloud'), clock, random, instances, holds }),
  ];
const cloud = heldUpBy(new CloudHolds());
const NODE = 'ip-10-0-1-12.ec2.internal';
const AT = { resource: 'nodes', name: NODE };
const UNINITIALIZED: Taint = { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' };

async function register(bench: Bench, providerID?: string): Promise<void> {
  const spec = { taints: [UNINITIALIZED], ...defined({ providerID }) };
  await bench.port.create<Node>('nodes', { metadata: { name: NODE }, spec });
}

async function setReady(bench: Bench, status: 'True' | 'False' | 'Unknown'): Promise<void> {
  await bench.port.patch(AT, { status: { conditions: [{ type: 'Ready', status }] } }, 'status');
}

const taintKeys = async (bench: Bench): Promise<string[]> => (await bench.node(NODE))?.spec?.taints?.map(({ key }) => key) ?? [];

test('a new node is initialized', async () => {
  await withParts(cloud, async (bench) => {
    bench.instances.set('i-1', {});
    await register(bench);
    await bench.until('initialized', async () => !(await taintKeys(bench)).includes(UNINITIALIZED.key), CLOUD_REACTION.maxMs + 50);
    const node = await bench.node(NODE);
    expect(node?.spec?.providerID).toBe('aws:///us-east-1a/i-1');
    expect(node?.metadata.labels).toMatchObject({
      [LABEL.zone]: 'us-east-1a',
      [LABEL.region]: 'us-east-1',
      [LABEL.instanceType]: 'm6i.large',
    });
    await bench.until('addresses', async () => (await bench.node(NODE))?.status?.addresses?.length === 3, 1_000);
    expect((await bench.node(NODE))?.status?.addresses?.[0]).toEqual({ type: 'InternalIP', address: '10.0.1.12' });
    expect(await bench.eventsAbout(NODE)).toEqual(['Synced: Node synced successfully']);
  });
});

test('an existing provider id is kept', async () => {
  await withParts(cloud, async (bench) => {
    bench.instances.set('i-7', { privateIp: '10.9.9.9', zone: 'us-east-1b' });
    await register(bench, 'aws:///us-east-1b/i-7');
    await bench.until('initialized', async () => (await bench.node(NODE))?.metadata.labels?.[LABEL.zone] === 'us-east-1b', 5_000);
    expect((await bench.node(NODE))?.spec?.providerID).toBe('aws:///us-east-1b/i-7');
  });
});

test('a node whose instance is terminated is removed once it is not ready, not before', async () => {
  await withParts(cloud, async (bench) => {
    bench.instances.set('i-1', {});
    await register(bench, 'aws:///us-east-1a/i-1');
    await setReady(bench, 'True');
    bench.instances.set('i-1', { state: 'terminated' });
    await bench.clock.sleep(120_000);
    expect(await bench.node(NODE)).toBeDefined();
    await setReady(bench, 'Unknown');
    await bench.until('the node is gone', async () => (await bench.node(NODE)) === undefined, CLOUD_MONITOR_PERIOD_MS + 100);
    expect(await bench.eventsAbout(NODE)).toEqual([`DeletingNode: Deleting node ${NODE} because it does not exist in the cloud provider`]);
  });
});

test('a node of an unknown instance is removed; one whose instance is shutting down stays', async () => {
  await withParts(cloud, async (bench) => {
    await register(bench, 'aws:///us-east-1a/i-404');
    await addNode(bench.port, 'other');
    await bench.port.patch({ resource: 'nodes', name: 'other' }, { spec: { providerID: 'aws:///us-east-1a/i-2' } });
    await bench.port.patch(
      { resource: 'nodes', name: 'other' },
      { status: { conditions: [{ type: 'Ready', status: 'False' }] } },
      'status',
    );
    bench.instances.set('i-2', { state: 'shutting-down' });
    await bench.clock.sleep(60_000);
    expect(await bench.node(NODE)).toBeUndefined();
    expect(await bench.node('other')).toBeDefined();
  });
});

test('a stopped instance taints its node until it is ready again', async () => {
  await withParts(cloud, async (bench) => {
    bench.instances.set('i-1', { state: 'stopped' });
    await register(bench, 'aws:///us-east-1a/i-1');
    await setReady(bench, 'Unknown');
    const shutdown = 'node.cloudprovider.kubernetes.io/shutdown';
    await bench.until('tainted', async () => (await taintKeys(bench)).includes(shutdown), CLOUD_MONITOR_PERIOD_MS + 100);
    bench.instances.set('i-1', { state: 'running' });
    await setReady(bench, 'True');
    await bench.until('untainted', async () => !(await taintKeys(bench)).includes(shutdown), CLOUD_MONITOR_PERIOD_MS + 100);
  });
});

test('a node with a finalizer is deleted only once', async () => {
  await withParts(cloud, async (bench) => {
    await bench.port.create<Node>('nodes', { metadata: { name: NODE, finalizers: ['example.com/mine'] } });
    await bench.clock.sleep(60_000);
    expect((await bench.node(NODE))?.metadata.deletionTimestamp).toBeDefined();
    expect(await bench.eventsAbout(NODE)).toHaveLength(1);
  });
});

test('while it is down no node is initialized or removed; once healed, both happen in the next monitor period', async () => {
  const holds = new CloudHolds();
  const waited: string[] = [];
  const heal = holds.holdUp({ controllers: CLOUD_CONTROLLERS, fired: (node) => waited.push(node) });
  await withParts(heldUpBy(holds), async (bench) => {
    bench.instances.set('i-1', {});
    await register(bench);
    await addNode(bench.port, 'gone');
    await bench.port.patch({ resource: 'nodes', name: 'gone' }, { spec: { providerID: 'aws:///us-east-1a/i-404' } });
    await bench.port.patch(
      { resource: 'nodes', name: 'gone' },
      { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } },
      'status',
    );
    await bench.clock.sleep(600_000);
    expect(await taintKeys(bench)).toContain(UNINITIALIZED.key);
    expect(await bench.node('gone')).toBeDefined();
    // The uninitialized node is not Ready either, and its instance exists.
    expect(waited.sort()).toEqual(['gone', NODE]);
    await heal();
    const nextLookMs = CLOUD_MONITOR_PERIOD_MS + CLOUD_REACTION.maxMs + 100;
    await bench.until('removed', async () => (await bench.node('gone')) === undefined, nextLookMs);
    await bench.until('initialized', async () => !(await taintKeys(bench)).includes(UNINITIALIZED.key), nextLookMs);
    expect(waited).toHaveLength(2);
  });
});

test('one of its controllers is slow: it acts on each node that much later; the other controller is not affected', async () => {
  const holds = new CloudHolds();
  const delayMs = 120_000;
  holds.holdUp({ controllers: ['cloud-node-lifecycle-controller'], delayMs: delayMs / 2, fired: () => undefined });
  holds.holdUp({ controllers: ['cloud-node-lifecycle-controller'], delayMs, fired: () => undefined });
  await withParts(heldUpBy(holds), async (bench) => {
    bench.instances.set('i-1', { state: 'stopped' });
    await register(bench, 'aws:///us-east-1a/i-1');
    await setReady(bench, 'Unknown');
    await bench.until('initialized', async () => !(await taintKeys(bench)).includes(UNINITIALIZED.key), CLOUD_REACTION.maxMs + 50);
    const shutdown = 'node.cloudprovider.kubernetes.io/shutdown';
    await bench.clock.sleep(delayMs - CLOUD_MONITOR_PERIOD_MS);
    expect(await taintKeys(bench)).not.toContain(shutdown);
    await bench.until('tainted', async () => (await taintKeys(bench)).includes(shutdown), 3 * CLOUD_MONITOR_PERIOD_MS);
    // The next work on the same node is delayed again.
    bench.instances.set('i-1', { state: 'terminated' });
    await bench.clock.sleep(delayMs - CLOUD_MONITOR_PERIOD_MS);
    expect(await bench.node(NODE)).toBeDefined();
    await bench.until('removed', async () => (await bench.node(NODE)) === undefined, 3 * CLOUD_MONITOR_PERIOD_MS);
  });
});
