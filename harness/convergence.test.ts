import { expect, test } from '@playwright/test';
import { createRandom } from '../runtime/random.ts';
import { createVirtualTimeline } from '../runtime/timeline.ts';
import type { Pool } from '../model/catalogue.ts';
import { LABEL, NODE_POOL_LABEL, WORKLOAD_LABEL } from '../model/kube.ts';
import type { Node, Pod } from '../model/kube.ts';
import type { ClusterPort, InstancePort } from '../world/ports.ts';
import { untilConverged, waitingToSettle } from './convergence.ts';
import type { Convergence, Waiting } from './convergence.ts';
import { pool } from './scenario.ts';

const IN_THE_WAY = [{ object: 'nodes/a', why: 'no pod needs it' }];

/** Waits in a world where something is pending during these times, in seconds. */
async function wait(
  busy: readonly (readonly [number, number])[],
  limitS = 60,
  quietS = 10,
): Promise<Convergence & { readonly tookS: number }> {
  const timeline = createVirtualTimeline({ startMs: 0, random: createRandom(1) });
  const clock = timeline.scope('harness');
  const look = () => {
    const nowS = clock.nowMs() / 1_000;
    return Promise.resolve(busy.some(([from, to]) => nowS >= from && nowS < to) ? IN_THE_WAY : []);
  };
  const convergence = await timeline.run(untilConverged({ clock, limitMs: limitS * 1_000, quietMs: quietS * 1_000, look }));
  return { ...convergence, tookS: clock.nowMs() / 1_000 };
}

test('converged means nothing pending for the quiet time; the result says since when', async () => {
  expect(await wait([])).toEqual({ waiting: [], sinceMs: 0, tookS: 10 });
  expect(await wait([[0, 20]])).toEqual({ waiting: [], sinceMs: 20_000, tookS: 30 });
});

test('anything pending in the quiet time restarts it', async () => {
  expect(
    await wait([
      [0, 5],
      [12, 20],
    ]),
  ).toEqual({ waiting: [], sinceMs: 20_000, tookS: 30 });
});

test('whatever is still pending is reported exactly at the limit', async () => {
  expect(await wait([[0, 100]], 60.25)).toEqual({ waiting: IN_THE_WAY, tookS: 60.25 });
});

test('the quiet time may end after the limit, and anything pending in it still counts', async () => {
  expect(await wait([[0, 59]])).toEqual({ waiting: [], sinceMs: 59_000, tookS: 69 });
  expect(
    await wait([
      [0, 59],
      [64, 65],
    ]),
  ).toEqual({ waiting: IN_THE_WAY, tookS: 64 });
});

const pod = (name: string, phase: string, nodeName = 'node-1'): Pod => ({
  metadata: {
    name,
    namespace: 'default',
    labels: { [WORKLOAD_LABEL]: 'web' },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'w' }],
  },
  spec: { containers: [], nodeName },
  status: { phase: phase as 'Failed' },
});

const node = (name: string, instanceType = 'm6i.large'): Node => ({
  metadata: {
    name,
    labels: { [LABEL.instanceType]: instanceType, [LABEL.capacityType]: 'on-demand', [LABEL.arch]: 'amd64' },
  },
  spec: { providerID: 'aws:///us-east-1a/i-0123456789abcdef0' },
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
});

const look = (
  pods: readonly Pod[],
  nodes: readonly Node[] = [node('node-1')],
  pools: readonly Pool[] = [],
  keeping: readonly Pool[] = [],
  filled: readonly Pool[] = [],
): Promise<Waiting[]> =>
  waitingToSettle({
    cluster: { list: (resource: string) => Promise.resolve(resource === 'pods' ? pods : nodes) } as unknown as ClusterPort,
    instances: { get: () => ({ state: 'running' }), list: () => [] } as unknown as InstancePort,
    truths: new Map([['web', { kind: 'schedulable' }]]),
    pools,
    keeping,
    filled,
  });

test('a finished pod does not block convergence and does not need its node', async () => {
  expect(await look([pod('old', 'Failed'), pod('new', 'Running')])).toEqual([]);
  expect(await look([pod('old', 'Failed')])).toEqual([{ object: 'nodes/node-1', why: 'no pod needs it' }]);
  expect(await look([pod('new', 'Running'), pod('other', 'Pending')])).toEqual([
    { object: 'pods/default/other', why: 'it is Pending on node-1' },
  ]);
});

const named = (name: string, of: string): Node => {
  const { metadata, ...rest } = node(name);
  return { ...rest, metadata: { ...metadata, labels: { ...metadata.labels, [NODE_POOL_LABEL]: of } } };
};

const FIXED = pool('fixed', { instanceTypes: ['m6i.large'], replicas: 2 });
const ELASTIC = pool('elastic', { instanceTypes: ['m7i.large'] });
const idle = (name: string) => ({ object: `nodes/${name}`, why: 'no pod needs it' });

for (const { what, nodes, pods = [], pools = [FIXED, ELASTIC], waiting } of [
  { what: 'idle nodes are wanted up to the replicas of the pool', nodes: [node('a'), node('b')], waiting: [] },
  { what: 'any beyond that are surplus', nodes: [node('a'), node('b'), node('c')], waiting: [idle('c')] },
  {
    what: 'nodes with pods count as replicas',
    nodes: [node('a'), node('b'), node('c')],
    pods: [pod('web', 'Running', 'c')],
    waiting: [idle('b')],
  },
  {
    what: 'idle nodes are surplus if nodes with pods already exceed the replicas',
    nodes: [node('a'), node('b'), node('c'), node('d')],
    pods: ['a', 'b', 'c'].map((name) => pod(`web-${name}`, 'Running', name)),
    waiting: [idle('d')],
  },
  { what: 'an idle node of another pool does not count', nodes: [node('a'), node('b', 'm7i.large')], waiting: [idle('b')] },
  {
    what: 'a node without the labels of the pool does not count',
    nodes: [node('a')],
    pools: [pool('fixed', { instanceTypes: ['m6i.large'], replicas: 2, labels: { team: 'a' } })],
    waiting: [idle('a')],
  },
  {
    what: 'a node without the taints of the pool does not count',
    nodes: [node('a')],
    pools: [pool('fixed', { replicas: 2, taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }] })],
    waiting: [idle('a')],
  },
  {
    what: 'two such pools that allow the same nodes want the sum of their replicas',
    nodes: [node('a'), node('b'), node('c')],
    pools: [pool('one', { replicas: 1 }), pool('two', { replicas: 1 })],
    waiting: [idle('c')],
  },
  {
    what: 'a node with a pod may belong to another pool that allows it',
    nodes: [node('a'), node('b'), node('c')],
    pods: [pod('web', 'Running', 'c')],
    pools: [FIXED, pool('elastic')],
    waiting: [],
  },
  {
    what: 'an idle node that names another pool does not count, although it is allowed',
    nodes: [named('a', 'elastic'), named('b', 'fixed'), named('c', 'fixed')],
    pools: [FIXED, pool('elastic')],
    waiting: [idle('a')],
  },
  {
    what: 'a node with a pod that names the pool counts, although another pool allows it',
    nodes: [named('a', 'fixed'), named('b', 'fixed'), named('c', 'fixed')],
    pods: [pod('web', 'Running', 'a')],
    pools: [FIXED, pool('elastic')],
    waiting: [idle('c')],
  },
  {
    what: 'nodes that name the pool are wanted, although it was changed and no longer allows them',
    nodes: [named('a', 'fixed'), named('b', 'fixed')],
    pools: [pool('fixed', { instanceTypes: ['m7i.large'], replicas: 2 })],
    waiting: [],
  },
]) {
  test(`a pool of static capacity: ${what}`, async () => {
    expect(await look(pods, nodes, pools)).toEqual(waiting);
  });
}

test('a static pool that can have all its nodes is waited for until it does', async () => {
  const missing = { object: 'nodepools/fixed', why: 'it has 1 of 2 nodes' };
  expect(await look([], [named('a', 'fixed')], [FIXED], [], [FIXED])).toEqual([missing]);
  expect(await look([], [named('a', 'fixed'), named('b', 'fixed')], [FIXED], [], [FIXED])).toEqual([]);
  expect(await look([], [named('a', 'fixed')], [FIXED]), 'one that may be unable to is not').toEqual([]);
});

test('a pool that keeps idle nodes takes none from a static pool that allows them', async () => {
  const keeping = pool('keeping');
  expect(await look([], [named('a', 'keeping'), named('b', 'fixed'), named('c', 'fixed')], [FIXED, keeping], [keeping])).toEqual([]);
});

test('a pool that keeps idle nodes: only those that its name or its requirements make its own may stay', async () => {
  const pools = [pool('keeping', { instanceTypes: ['m6i.large'] }), pool('other', { instanceTypes: ['m6i.large'] })];
  const nodes = [named('a', 'keeping'), named('b', 'other'), node('c'), node('d', 'm7i.large')];
  expect(await look([], nodes, pools, pools.slice(0, 1))).toEqual([idle('b'), idle('d')]);
  expect(await look([], nodes, pools)).toEqual([idle('a'), idle('b'), idle('c'), idle('d')]);
});
