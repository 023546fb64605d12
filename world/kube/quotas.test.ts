import { expect, test } from '@playwright/test';
import type { KubeObject, ReplicaSet, ResourceList } from '../../model/kube.ts';
import { ReplicaSets } from '../controllers/replica-sets.ts';
import { makePod, withParts } from '../testing/world-parts.ts';
import type { Bench, PartSite } from '../testing/world-parts.ts';

const workloads = ({ port, clock, random }: PartSite): [ReplicaSets] => [new ReplicaSets({ port: port('workloads'), clock, random })];

interface Quota extends KubeObject {
  readonly spec: { readonly hard: ResourceList };
  readonly status?: { readonly hard?: ResourceList; readonly used?: ResourceList };
}
const QUOTA = { resource: 'resourcequotas', namespace: 'default', name: 'quota' };

async function limit(bench: Bench, hard: ResourceList): Promise<void> {
  await bench.port.create<Quota>('resourcequotas', { metadata: { name: 'quota', namespace: 'default' }, spec: { hard } });
}

async function deploy(bench: Bench, replicas: number): Promise<void> {
  const labels = { app: 'web' };
  await bench.port.create<ReplicaSet>('replicasets', {
    metadata: { name: 'web', namespace: 'default' },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: makePod('x').spec } },
  });
}

const statusOf = async (bench: Bench): Promise<Quota['status']> => (await bench.port.get<Quota>(QUOTA))?.status;

test('the limits of a quota are in its status a moment later, with what exists already', async () => {
  await withParts(workloads, async (bench) => {
    await deploy(bench, 2);
    await bench.until('two pods', async () => (await bench.pods()).length === 2, 5_000);
    await limit(bench, { pods: '3', 'count/replicasets.apps': '9', 'count/secrets': '1' });
    await bench.until('status', async () => (await statusOf(bench)) !== undefined, 1_000);
    expect(await statusOf(bench)).toEqual({
      hard: { pods: '3', 'count/replicasets.apps': '9', 'count/secrets': '1' },
      used: { pods: '2', 'count/replicasets.apps': '1', 'count/secrets': '0' },
    });
  });
});

test('a ReplicaSet has as many pods as its quota allows, and gets the others once there is room', async () => {
  await withParts(workloads, async (bench) => {
    await limit(bench, { pods: '2' });
    await bench.until('status', async () => (await statusOf(bench))?.used?.['pods'] === '0', 1_000);
    await deploy(bench, 3);
    const isRefused = async (): Promise<boolean> => {
      const set = await bench.port.get<ReplicaSet>({ resource: 'replicasets', namespace: 'default', name: 'web' });
      return (
        set?.status?.conditions?.some(({ type, reason, message }) => {
          return type === 'ReplicaFailure' && reason === 'FailedCreate' && message?.includes('exceeded quota: quota') === true;
        }) === true
      );
    };
    await bench.until('a refusal', isRefused, 5_000);
    expect(await bench.pods()).toHaveLength(2);
    expect((await statusOf(bench))?.used).toEqual({ pods: '2' });

    await bench.port.patch(QUOTA, { spec: { hard: { pods: '3' } } });
    // The ReplicaSet controller tries again at growing intervals.
    await bench.until('the third pod', async () => (await bench.pods()).length === 3, 600_000);
  });
});

test('what is deleted is counted no longer; a deletion with a grace period counts until the pod is gone', async () => {
  await withParts(workloads, async (bench) => {
    await limit(bench, { pods: '2' });
    await bench.until('status', async () => (await statusOf(bench))?.used?.['pods'] === '0', 1_000);
    for (const name of ['a', 'b']) await bench.port.create('pods', makePod(name));
    const at = { resource: 'pods', namespace: 'default', name: 'a' };
    await bench.port.bind(at, 'n1');
    await bench.port.delete(at);
    await bench.clock.sleep(1_000);
    await expect(bench.port.create('pods', makePod('c'))).rejects.toThrow(
      /exceeded quota: quota, requested: pods=1, used: pods=2, limited: pods=2/,
    );
    await bench.port.delete(at, { gracePeriodSeconds: 0 });
    await bench.until('room', async () => (await statusOf(bench))?.used?.['pods'] === '1', 1_000);
    await bench.port.create('pods', makePod('c'));
  });
});
