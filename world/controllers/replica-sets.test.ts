import { expect, test } from '@playwright/test';
import { defined } from '../../model/defined.ts';
import type { Deployment, KubeObject, ObjectMeta, Pod, ReplicaSet } from '../../model/kube.ts';
import { formatTime } from '../../model/time.ts';
import type { CountingPort } from '../ports.ts';
import { addPod, makePod, withParts } from '../testing/world-parts.ts';
import type { Bench, PartSite } from '../testing/world-parts.ts';
import { countByNode, rankForDeletion } from './deletion-order.ts';
import { ReplicaSets } from './replica-sets.ts';

const workloads = ({ port, clock, random }: PartSite): [ReplicaSets] => [new ReplicaSets({ port: port('workloads'), clock, random })];
const AT = { resource: 'replicasets', namespace: 'default', name: 'web' };

async function deploy(bench: Bench, replicas: number, { name = 'web', ownerReferences }: Partial<ObjectMeta> = {}): Promise<void> {
  const labels = { app: name };
  await bench.port.create<ReplicaSet>('replicasets', {
    metadata: { name, namespace: 'default', ...defined({ ownerReferences }) },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: makePod('x').spec } },
  });
}

async function settled(bench: Bench, count: number): Promise<void> {
  await bench.until(`${count} pods`, async () => (await bench.pods()).length === count, 5_000);
}

test('pods are created from the template, and named after and owned by the ReplicaSet', async () => {
  await withParts(workloads, async (bench) => {
    await deploy(bench, 3);
    await settled(bench, 3);
    const [pod] = await bench.pods();
    const { uid } = (await bench.port.get<ReplicaSet>(AT))?.metadata ?? {};
    expect(pod?.metadata.name).toMatch(/^web-[a-z0-9]{5}$/);
    expect(pod?.metadata.labels).toEqual({ app: 'web' });
    expect(pod?.metadata.ownerReferences).toEqual([
      { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid, controller: true, blockOwnerDeletion: true },
    ]);
    await bench.until('status', async () => (await bench.port.get<ReplicaSet>(AT))?.status?.replicas === 3, 5_000);
  });
});

test('a pod that is being deleted is replaced at once', async () => {
  await withParts(workloads, async (bench) => {
    await deploy(bench, 2);
    await settled(bench, 2);
    const name = (await bench.pods())[0]?.metadata.name ?? '';
    const at = { resource: 'pods', namespace: 'default', name };
    await bench.port.bind(at, 'n1');
    await bench.port.delete(at);
    expect((await bench.pod(name))?.metadata.deletionTimestamp).toBeDefined();
    await settled(bench, 3);
    await bench.port.delete(at, { gracePeriodSeconds: 0 });
    await settled(bench, 2);
    await bench.clock.sleep(5_000);
    await settled(bench, 2);
  });
});

test('scaling down deletes pods without a node first', async () => {
  await withParts(workloads, async (bench) => {
    await deploy(bench, 4);
    await settled(bench, 4);
    const bound = (await bench.pods()).slice(0, 2).map(({ metadata }) => metadata.name ?? '');
    for (const name of bound) await bench.port.bind({ resource: 'pods', namespace: 'default', name }, 'n1');
    await bench.port.patch(AT, { spec: { replicas: 2 } });
    await settled(bench, 2);
    expect((await bench.pods()).map(({ metadata }) => metadata.name)).toEqual(bound);
  });
});

test('scaling down deletes pods first where most pods of all ReplicaSets of the same Deployment are, as they are then', async () => {
  await withParts(workloads, async (bench) => {
    const { port } = bench;
    const template = { metadata: { labels: { app: 'none' } }, spec: makePod('x').spec };
    const { metadata } = await port.create<Deployment>('deployments', {
      metadata: { name: 'all', namespace: 'default' },
      spec: { replicas: 0, selector: { matchLabels: { app: 'none' } }, template },
    });
    const { name = '', uid = '' } = metadata;
    const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'Deployment', name, uid, controller: true }];
    const of = async (owner: string): Promise<string[]> => {
      const pods = (await bench.pods()).filter((pod) => pod.metadata.deletionTimestamp === undefined);
      return pods.map((pod) => pod.metadata.name ?? '').filter((one) => one.startsWith(`${owner}-`));
    };
    const bind = (pod: string | undefined, node: string): Promise<void> =>
      port.bind({ resource: 'pods', namespace: 'default', name: pod ?? '' }, node);
    const scaled = async (owner: string, replicas: number): Promise<void> => {
      await port.patch({ ...AT, name: owner }, { spec: { replicas } });
      await bench.until(`${replicas} pods of ${owner}`, async () => (await of(owner)).length === replicas, 5_000);
    };

    await deploy(bench, 3, { ownerReferences });
    await deploy(bench, 2, { name: 'old', ownerReferences });
    await settled(bench, 5);
    const [first, second, third] = await of('web');
    for (const [index, pod] of [first, second, third].entries()) await bind(pod, `n${index + 1}`);
    const before = await of('old');
    for (const pod of before) await bind(pod, 'n3');
    // Otherwise the first by name would go.
    await scaled('web', 2);
    expect(await of('web')).toEqual([first, second]);
    await scaled('old', 4);
    for (const pod of await of('old')) if (!before.includes(pod)) await bind(pod, 'n2');
    await scaled('web', 1);
    expect(await of('web')).toEqual([first]);
  });
});

test('a failed pod is replaced, and readiness is counted', async () => {
  await withParts(workloads, async (bench) => {
    await deploy(bench, 2);
    await settled(bench, 2);
    const [first, second] = (await bench.pods()).map(({ metadata }) => ({
      resource: 'pods',
      namespace: 'default',
      name: metadata.name ?? '',
    }));
    if (first === undefined || second === undefined) throw new Error('two pods');
    await bench.port.patch(first, { status: { phase: 'Failed' } }, 'status');
    await bench.port.patch(second, { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } }, 'status');
    await settled(bench, 3);
    await bench.until('one is ready', async () => (await bench.port.get<ReplicaSet>(AT))?.status?.readyReplicas === 1, 5_000);
  });
});

test('the pods of a deleted ReplicaSet are deleted too', async () => {
  await withParts(workloads, async (bench) => {
    await deploy(bench, 3);
    await settled(bench, 3);
    await bench.port.delete(AT);
    await settled(bench, 0);
    await bench.clock.sleep(10_000);
    await settled(bench, 0);
  });
});

test('matching orphans are adopted and counted', async () => {
  await withParts(workloads, async (bench) => {
    await addPod(bench.port, 'stray', { labels: { app: 'web' } });
    await addPod(bench.port, 'other', { labels: { app: 'other' } });
    await deploy(bench, 2);
    await settled(bench, 3);
    await bench.clock.sleep(2_000);
    await settled(bench, 3);
    expect((await bench.pod('stray'))?.metadata.ownerReferences?.[0]).toMatchObject({ kind: 'ReplicaSet', name: 'web', controller: true });
    expect((await bench.pod('other'))?.metadata.ownerReferences).toBeUndefined();
    // A later one is surplus, and is deleted: it is the youngest.
    await addPod(bench.port, 'late', { labels: { app: 'web' } });
    await settled(bench, 3);
  });
});

test('a pod that stops matching is released and replaced', async () => {
  await withParts(workloads, async (bench) => {
    await deploy(bench, 2);
    await settled(bench, 2);
    const name = (await bench.pods())[0]?.metadata.name ?? '';
    await bench.port.patch({ resource: 'pods', namespace: 'default', name }, { metadata: { labels: { app: 'debug' } } });
    await settled(bench, 3);
    expect((await bench.pod(name))?.metadata.ownerReferences).toBeUndefined();
  });
});

test('a pod that appears while pods are counted is not deleted in place of an own one', async () => {
  const hiding = ({ port, clock, random }: PartSite): [ReplicaSets] => {
    const whole = port('workloads');
    const tally: CountingPort['tally'] = async (resource, filter, classify) => {
      const { count, list } = await whole.tally(resource, filter, classify);
      let isHidden = true;
      const isSeen = ({ metadata }: KubeObject): boolean => !isHidden || metadata.name !== 'alien';
      return {
        count: (name) => {
          queueMicrotask(() => (isHidden = false));
          return isHidden && name === 'other' ? 0 : count(name);
        },
        list: () => list().filter(isSeen),
      };
    };
    return [new ReplicaSets({ port: { ...whole, tally }, clock, random })];
  };
  await withParts(hiding, async (bench) => {
    await addPod(bench.port, 'alien');
    await deploy(bench, 3);
    await settled(bench, 4);
    await bench.port.patch(AT, { spec: { replicas: 0 } });
    await settled(bench, 1);
    expect((await bench.pods()).map(({ metadata }) => metadata.name)).toEqual(['alien']);
  });
});

test('a pod is available once it has been ready for long enough', async () => {
  await withParts(workloads, async (bench) => {
    await deploy(bench, 1);
    await bench.port.patch(AT, { spec: { minReadySeconds: 30 } });
    await settled(bench, 1);
    const name = (await bench.pods())[0]?.metadata.name ?? '';
    const lastTransitionTime = formatTime(bench.clock.nowMs());
    const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime }];
    await bench.port.patch({ resource: 'pods', namespace: 'default', name }, { status: { phase: 'Running', conditions } }, 'status');
    const counts = async (): Promise<unknown> => {
      const { readyReplicas, availableReplicas } = (await bench.port.get<ReplicaSet>(AT))?.status ?? {};
      return [readyReplicas, availableReplicas];
    };
    await bench.clock.sleep(25_000);
    expect(await counts()).toEqual([1, 0]);
    await bench.clock.sleep(10_000);
    expect(await counts()).toEqual([1, 1]);
  });
});

test('pods are deleted in the order of the real controller', () => {
  const make = (
    name: string,
    change: { node?: string; phase?: 'Pending' | 'Running'; readyAt?: string; cost?: string; created?: string },
  ): Pod => {
    const pod = makePod(name);
    const annotations: Record<string, string> =
      change.cost === undefined ? {} : { 'controller.kubernetes.io/pod-deletion-cost': change.cost };
    return {
      metadata: { ...pod.metadata, annotations, creationTimestamp: change.created ?? '2026-01-01T00:00:00Z' },
      spec: { ...pod.spec, ...defined({ nodeName: change.node }) },
      status: {
        phase: change.phase ?? 'Running',
        conditions: change.readyAt === undefined ? [] : [{ type: 'Ready', status: 'True', lastTransitionTime: change.readyAt }],
      },
    };
  };
  const [early, late] = ['2026-01-01T00:00:10Z', '2026-01-01T00:10:00Z'];
  const pods = [
    make('older', { node: 'n4', readyAt: early, created: '2025-12-31T00:00:00Z' }),
    make('younger', { node: 'n3', readyAt: early }),
    make('fresh', { node: 'n2', readyAt: late }),
    make('crowded-1', { node: 'n1', readyAt: early }),
    make('crowded-2', { node: 'n1', readyAt: early }),
    make('cheap', { node: 'n5', readyAt: early, cost: '-5' }),
    make('unready', { node: 'n6' }),
    make('starting', { node: 'n7', phase: 'Pending' }),
    make('homeless', { phase: 'Pending' }),
  ];
  const names = rankForDeletion(pods, countByNode(pods), Date.parse('2026-01-01T00:10:08Z')).map(({ metadata }) => metadata.name);
  expect(names).toEqual(['homeless', 'starting', 'unready', 'cheap', 'crowded-1', 'crowded-2', 'fresh', 'younger', 'older']);
});
