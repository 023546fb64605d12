import { expect, test } from '@playwright/test';
import { createRandom } from '../runtime/random.ts';
import { createVirtualTimeline } from '../runtime/timeline.ts';
import type { Truth } from '../history/events.ts';
import type { Pool } from '../model/catalogue.ts';
import { defined } from '../model/defined.ts';
import { LABEL, NODE_POOL_LABEL, WORKLOAD_LABEL } from '../model/kube.ts';
import type { Job, KubeObject, Node, Pod, PodDisruptionBudget } from '../model/kube.ts';
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
  cluster: object = { list: (resource: string) => Promise.resolve(resource === 'pods' ? pods : nodes) },
): Promise<Waiting[]> =>
  waitingToSettle({
    cluster: cluster as ClusterPort,
    instances: { get: () => ({ state: 'running' }), list: () => [] } as unknown as InstancePort,
    truths: new Map([['web', { kind: 'schedulable' }]]),
    pools,
    keeping,
    filled,
    nowMs: 0,
  });

test('a finished pod does not block convergence and does not need its node', async () => {
  expect(await look([pod('old', 'Failed'), pod('new', 'Running')])).toEqual([]);
  expect(await look([pod('old', 'Failed')])).toEqual([{ object: 'nodes/node-1', why: 'no pod needs it' }]);
  expect(await look([pod('new', 'Running'), pod('other', 'Pending')])).toEqual([
    { object: 'pods/default/other', why: 'it is Pending on node-1' },
  ]);
});

test('a failed pod of a Job is finished unless its Job has failed, too', async () => {
  const failed = pod('old', 'Failed');
  const ofJob: Pod = {
    ...failed,
    metadata: { ...failed.metadata, ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'sum', uid: 'j' }] },
  };
  const lookWith = (status: Job['status']): Promise<Waiting[]> => {
    const jobs = [{ metadata: { name: 'sum', namespace: 'default', uid: 'j' }, spec: {}, status }];
    const listed: Record<string, unknown> = { pods: [ofJob], nodes: [], jobs };
    return look([], [], [], [], [], { list: (resource: string) => Promise.resolve(listed[resource]) });
  };
  expect(await lookWith({ failed: 1 })).toEqual([]);
  const condition = { type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', message: '', lastTransitionTime: '' } as const;
  expect(await lookWith({ failed: 7, conditions: [condition] })).toEqual([{ object: 'pods/default/old', why: 'it is Failed on node-1' }]);
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

/** A deleted node, `held`, and its pod. Other pods are served elsewhere. */
const lookAtHeld = async (
  holder: Partial<Pod['metadata']>,
  {
    truth = { kind: 'schedulable' },
    budgets = [],
    claims = [],
    others = [],
    beside = [],
    pools = [],
    phase = 'Running',
  }: {
    readonly truth?: Truth;
    readonly phase?: 'Running' | 'Succeeded';
    readonly budgets?: readonly PodDisruptionBudget[];
    readonly claims?: readonly KubeObject[];
    readonly others?: readonly Node[];
    /** Further pods. */
    readonly beside?: readonly Pod[];
    readonly pools?: readonly Pool[];
  } = {},
): Promise<Waiting[]> => {
  const { metadata, ...rest } = pod('web', phase, 'held');
  const objects: Readonly<Record<string, readonly KubeObject[]>> = {
    pods: [{ ...rest, metadata: { ...metadata, ...holder } }, ...beside],
    nodes: [marked('held', { deletionTimestamp: LONG_AGO }), ...others],
    poddisruptionbudgets: budgets,
    nodeclaims: claims,
  };
  return waitingToSettle({
    cluster: { list: (resource: string) => Promise.resolve(objects[resource]) } as unknown as ClusterPort,
    instances: { get: () => ({ state: 'running' }), list: () => [] } as unknown as InstancePort,
    truths: new Map([['web', truth]]),
    pools,
    keeping: [],
    filled: [],
    nowMs: Date.parse(SOON) - 1_000,
  });
};

const SOON = '2026-07-02T00:00:00Z';
const LONG_AGO = '2026-07-01T00:00:00Z';
const marked = (name: string, more: Partial<Node['metadata']>): Node => {
  const { metadata, ...rest } = node(name);
  return { ...rest, metadata: { ...metadata, ...more } };
};
const OPTED_OUT = { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } };
const budgetOf = (status: Partial<PodDisruptionBudget['status']>, workload = 'web', namespace = 'default'): PodDisruptionBudget => ({
  metadata: { name: workload, namespace },
  spec: { selector: { matchLabels: { [WORKLOAD_LABEL]: workload } } },
  status: { currentHealthy: 2, desiredHealthy: 2, disruptionsAllowed: 0, expectedPods: 2, ...status },
});
const claimOf = (nodeName: string, annotations?: Record<string, string>): KubeObject =>
  ({ metadata: { name: 'c', ...defined({ annotations }) }, status: { nodeName } }) as KubeObject;
const TIMED = { 'karpenter.sh/nodeclaim-termination-timestamp': LONG_AGO };
const NOT_YET = { 'karpenter.sh/nodeclaim-termination-timestamp': SOON };
const EXPIRING = [pool('a', { expireAfterMs: 60_000 })];
const IMPOSSIBLE = { kind: 'impossible' } as Truth;
const LEAVING = [{ object: 'nodes/held', why: 'it is being deleted' }];

for (const { what, holder = {}, more = {}, waiting } of [
  { what: 'may leave', waiting: LEAVING },
  { what: 'opted out', holder: OPTED_OUT, waiting: [] },
  { what: 'opted out, but has finished', holder: OPTED_OUT, more: { phase: 'Succeeded' as const, truth: IMPOSSIBLE }, waiting: LEAVING },
  {
    what: 'opted out, but is terminating',
    holder: { ...OPTED_OUT, deletionTimestamp: LONG_AGO },
    more: { truth: IMPOSSIBLE },
    waiting: LEAVING,
  },
  { what: 'opted out, with a claim', holder: OPTED_OUT, more: { claims: [claimOf('held')] }, waiting: [] },
  { what: 'opted out, but not for ever', holder: OPTED_OUT, more: { claims: [claimOf('held', TIMED)] }, waiting: LEAVING },
  {
    what: 'opted out for some time',
    holder: OPTED_OUT,
    more: { claims: [claimOf('held', NOT_YET)], pools: [pool('a')] },
    waiting: LEAVING,
  },
  {
    what: 'opted out for some time, where nodes expire all the time',
    holder: OPTED_OUT,
    more: { claims: [claimOf('held', NOT_YET)], pools: EXPIRING },
    waiting: [],
  },
  {
    what: 'opted out, and whose time is over, where nodes expire all the time',
    holder: OPTED_OUT,
    more: { claims: [claimOf('held', TIMED)], pools: EXPIRING },
    waiting: LEAVING,
  },
  { what: 'opted out, while another node is limited', holder: OPTED_OUT, more: { claims: [claimOf('other', TIMED)] }, waiting: [] },
  { what: 'is needed by its budget', more: { budgets: [budgetOf({})] }, waiting: [] },
  {
    what: 'is needed by its budget, but not for ever',
    more: { budgets: [budgetOf({})], claims: [claimOf('held', TIMED)] },
    waiting: LEAVING,
  },
  { what: 'has a budget that needs fewer pods', more: { budgets: [budgetOf({ desiredHealthy: 1 })] }, waiting: LEAVING },
  { what: 'has a budget that knows no pods yet', more: { budgets: [budgetOf({ desiredHealthy: 0, expectedPods: 0 })] }, waiting: LEAVING },
  {
    what: 'has a budget that never knows how many pods there should be',
    more: {
      budgets: [
        budgetOf({
          desiredHealthy: 0,
          expectedPods: 0,
          conditions: [
            {
              type: 'DisruptionAllowed',
              status: 'False',
              reason: 'SyncFailed',
              message: 'jobs.batch does not implement the scale subresource',
            },
          ],
        }),
      ],
    },
    waiting: [],
  },
  {
    what: 'has a budget whose last computation failed',
    more: {
      budgets: [
        budgetOf({
          desiredHealthy: 0,
          expectedPods: 0,
          conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message: 'connection refused' }],
        }),
      ],
    },
    waiting: LEAVING,
  },
  { what: 'is not of the workload with the budget', more: { budgets: [budgetOf({}, 'other')] }, waiting: LEAVING },
  { what: 'is not of the namespace with the budget', more: { budgets: [budgetOf({}, 'web', 'other')] }, waiting: LEAVING },
  {
    what: 'waits for pods that no pool can serve',
    more: { truth: IMPOSSIBLE, budgets: [budgetOf({ desiredHealthy: 1 })] },
    waiting: [],
  },
  {
    what: 'no pool can serve, but its budget lets it go',
    more: { truth: IMPOSSIBLE, budgets: [budgetOf({ desiredHealthy: 1, disruptionsAllowed: 1 })] },
    waiting: LEAVING,
  },
]) {
  test(`a deleted node whose pod ${what} is ${waiting.length === 0 ? 'not ' : ''}waited for`, async () => {
    expect(await lookAtHeld(holder, more)).toEqual(waiting);
  });
}

test('as many idle nodes as there are held ones may stay, or pods that must be apart: they may be expected to move', async () => {
  expect(await lookAtHeld(OPTED_OUT, { others: [node('a')] })).toEqual([]);
  expect(await lookAtHeld(OPTED_OUT, { others: [node('a'), node('b')] })).toEqual([idle('b')]);
  expect(await lookAtHeld(OPTED_OUT, { others: [node('a'), node('b')], beside: [pod('web', 'Running', 'held')] })).toEqual([idle('b')]);
  const apart = { ...pod('web', 'Running', 'held') };
  apart.spec = {
    ...apart.spec,
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey: LABEL.hostname, whenUnsatisfiable: 'DoNotSchedule' }],
  };
  expect(await lookAtHeld(OPTED_OUT, { others: [node('a'), node('b')], beside: [apart, apart] })).toEqual([]);
  expect(await lookAtHeld({}, { others: [node('a')] })).toEqual([...LEAVING, idle('a')]);
});

test('so may idle nodes for waiting pods that must be near a held one: these may be expected to follow', async () => {
  const { spec, metadata } = pod('web', 'Pending');
  const { nodeName: _nowhere, ...rest } = spec;
  const follower = (near: string, more: Partial<Pod['spec']> = {}): Pod => {
    const term = { topologyKey: LABEL.zone, labelSelector: { matchLabels: { [WORKLOAD_LABEL]: near } } };
    const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
    const labels = { [WORKLOAD_LABEL]: 'none' };
    return { metadata: { ...metadata, labels }, spec: { ...rest, affinity, ...more }, status: { phase: 'Pending' } };
  };
  const others = [node('a'), node('b')];
  expect(await lookAtHeld(OPTED_OUT, { others, beside: [follower('web')] })).toEqual([]);
  expect(await lookAtHeld(OPTED_OUT, { others, beside: [follower('api')] })).toEqual([idle('b')]);
  expect(await lookAtHeld(OPTED_OUT, { others, beside: [follower('web', { schedulingGates: [{ name: 'quota' }] })] })).toEqual([idle('b')]);
});

test('an idle node that a user wants to keep may stay', async () => {
  const annotated = (annotations: Record<string, string>) => look([], [marked('a', { annotations })]);
  expect(await annotated({ 'karpenter.sh/do-not-disrupt': 'true' })).toEqual([]);
  expect(await annotated({ 'cluster-autoscaler.kubernetes.io/scale-down-disabled': 'true' })).toEqual([]);
  expect(await annotated({ 'karpenter.sh/do-not-disrupt': 'false' })).toEqual([idle('a')]);
});
