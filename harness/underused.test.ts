import { expect, test } from '@playwright/test';
import type { Truth } from '../history/events.ts';
import { defined } from '../model/defined.ts';
import { NODE_POOL_LABEL, WORKLOAD_LABEL } from '../model/kube.ts';
import type { Node, Pod, PodDisruptionBudget, PodSpec } from '../model/kube.ts';
import type { ClusterPort } from '../world/ports.ts';
import { pool } from './scenario.ts';
import { createRandom } from '../runtime/random.ts';
import { createVirtualTimeline } from '../runtime/timeline.ts';
import type { Convergence } from './convergence.ts';
import { consolidatingPools, underusedNodes, untilConsolidated } from './underused.ts';
import type { Underuse } from './underused.ts';

const REMOVING = pool('default', { disruption: { consolidation: 'when-empty-or-underutilized' } });

const node = (name: string, cpu: string, more: Partial<Node> = {}): Node => ({
  metadata: { name, labels: { [NODE_POOL_LABEL]: 'default' }, ...more.metadata },
  spec: { ...more.spec },
  status: { allocatable: { cpu, memory: '8Gi', pods: '10' }, conditions: [{ type: 'Ready', status: 'True' }] },
});

const pod = (name: string, nodeName: string | undefined, cpu: string, more: Partial<PodSpec> = {}, metadata: object = {}): Pod => ({
  metadata: {
    name,
    namespace: 'default',
    uid: name,
    labels: { [WORKLOAD_LABEL]: name.split('-')[0] ?? '' },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'w' }],
    ...metadata,
  },
  spec: { containers: [{ name: 'main', resources: { requests: { cpu } } }], ...defined({ nodeName }), ...more },
  status: { phase: nodeName === undefined ? 'Pending' : 'Running' },
});

const TRUTHS: ReadonlyMap<string, Truth> = new Map<string, Truth>([
  ['web', { kind: 'schedulable' }],
  ['agent', { kind: 'daemon' }],
  ['stuck', { kind: 'impossible', why: 'no pool allows it' }],
]);

/** Names of the nodes that could go. */
async function underused(pods: readonly Pod[], nodes: readonly Node[], budgets: readonly PodDisruptionBudget[] = []): Promise<string[]> {
  const lists: Record<string, readonly object[]> = { pods, nodes, poddisruptionbudgets: budgets };
  const cluster = { list: (resource: string) => Promise.resolve(lists[resource] ?? []) } as unknown as ClusterPort;
  const found = await underusedNodes({ cluster, truths: TRUTHS, pools: [REMOVING], removing: [REMOVING] });
  return found.nodes.map(({ object }) => object);
}

const NODES = [node('a', '2'), node('b', '4')];
const PODS = [pod('web-1', 'a', '1'), pod('web-2', 'b', '1'), pod('web-3', 'b', '1')];
const SPREAD = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' } as const;

test('a node could go if all of its pods fit on another one', async () => {
  expect(await underused(PODS, NODES)).toEqual(['nodes/a']);
  expect(await underused([...PODS, pod('agent-1', 'a', '500m')], NODES)).toEqual(['nodes/a']);
  const proxy = pod('proxy-1', 'a', '1', {}, { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'proxy', uid: 'p' }] });
  expect(await underused([...PODS, pod('web-5', 'b', '1'), proxy], NODES)).toEqual(['nodes/a']);
  expect(await underused([...PODS, pod('web-4', 'b', '2')], NODES)).toEqual([]);
  expect(await underused([...PODS, pod('stuck-1', undefined, '1')], NODES)).toEqual(['nodes/a']);
});

test('a node without pods is judged elsewhere', async () => {
  expect(await underused([pod('web-2', 'b', '1')], NODES)).toEqual([]);
});

for (const { name, pods = PODS, nodes = NODES, budgets } of [
  { name: 'a pod waits, and may take the room', pods: [...PODS, pod('web-4', undefined, '1')] },
  { name: 'a pod leaves', pods: [...PODS, pod('web-4', 'b', '1', {}, { deletionTimestamp: '2026-01-01T00:00:00Z' })] },
  { name: 'a node leaves', nodes: [...NODES, node('c', '1', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })] },
  {
    name: 'its pod opted out',
    pods: [pod('web-1', 'a', '1', {}, { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }), ...PODS.slice(1)],
  },
  {
    name: 'its pod opted out for some time',
    pods: [pod('web-1', 'a', '1', {}, { annotations: { 'karpenter.sh/do-not-disrupt': '1h' } }), ...PODS.slice(1)],
  },
  {
    name: 'a pod of a DaemonSet on it opted out',
    pods: [...PODS, pod('agent-1', 'a', '100m', {}, { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })],
  },
  { name: 'its pod claims devices', pods: [pod('web-1', 'a', '1', { resourceClaims: [] } as object), ...PODS.slice(1)] },
  { name: 'nobody would bring its pod back', pods: [pod('web-1', 'a', '1', {}, { ownerReferences: [] }), ...PODS.slice(1)] },
  { name: 'its pod has a selector for no other node', pods: [pod('web-1', 'a', '1', { nodeSelector: { disk: 'ssd' } }), ...PODS.slice(1)] },
  { name: 'its pod is spread', pods: [pod('web-1', 'a', '1', { topologySpreadConstraints: [SPREAD] }), ...PODS.slice(1)] },
  {
    name: 'its pod has a volume',
    pods: [pod('web-1', 'a', '1', { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] }), ...PODS.slice(1)],
  },
  {
    name: 'another pod keeps others away',
    pods: [PODS[0], pod('web-2', 'b', '1', { affinity: { podAntiAffinity: {} } })].filter((one) => one !== undefined),
  },
  {
    name: 'a budget counts its pod',
    budgets: [
      {
        metadata: { name: 'web', namespace: 'default' },
        spec: { maxUnavailable: 1, selector: { matchLabels: { [WORKLOAD_LABEL]: 'web' } } },
      },
    ],
  },
  {
    name: 'a user keeps it',
    nodes: [
      node('a', '2', {
        metadata: { name: 'a', labels: { [NODE_POOL_LABEL]: 'default' }, annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
      }),
      node('b', '4'),
    ],
  },
  {
    name: 'it is of another pool',
    nodes: [
      node('a', '2', { metadata: { name: 'a', labels: { [NODE_POOL_LABEL]: 'other' } } }),
      node('b', '4', { metadata: { name: 'b' } }),
    ],
  },
  { name: 'the other node is closed', nodes: [node('a', '2'), node('b', '4', { spec: { unschedulable: true } })] },
  {
    name: 'the other node is only taken if need be',
    nodes: [node('a', '2'), node('b', '4', { spec: { taints: [{ key: 'old', effect: 'PreferNoSchedule' }] } })],
  },
  {
    name: 'the other node is not initialized yet',
    nodes: [
      node('a', '2'),
      node('b', '4', { metadata: { name: 'b', labels: { [NODE_POOL_LABEL]: 'default', 'karpenter.sh/registered': 'true' } } }),
    ],
  },
]) {
  test(`a node stays if ${name}`, async () => {
    expect(await underused(pods, nodes, budgets)).toEqual([]);
  });
}

/** Waits while looks show these, one after the other, each for 10 s; the last one stays. */
async function wait(...shown: readonly Underuse[]): Promise<Partial<Convergence> & { readonly tookS: number }> {
  const timeline = createVirtualTimeline({ startMs: 0, random: createRandom(1) });
  const clock = timeline.scope('harness');
  const look = (): Promise<Underuse> => {
    const now = shown[Math.min(shown.length - 1, Math.floor(clock.nowMs() / 10_000))];
    return now === undefined ? Promise.reject(new Error('nothing is shown')) : Promise.resolve(now);
  };
  const end = await timeline.run(untilConsolidated({ clock, limitMs: 25_000, quietMs: 5_000, look }));
  return { ...end, tookS: clock.nowMs() / 1_000 };
}

const IDLE = { nodes: [], isBusy: false, total: 1 };
const BUSY = { nodes: [], isBusy: true, total: 3 };
const LEFT = [{ object: 'nodes/a', why: 'all pods that keep it fit on node b' }];
const left = (total: number): Underuse => ({ nodes: LEFT, isBusy: false, total });

test('nothing is waited for if no node could go, or things are on the move at once', async () => {
  expect(await wait(IDLE)).toEqual({ waiting: [], sinceMs: 0, tookS: 0 });
  expect(await wait(BUSY)).toEqual({ tookS: 0 });
});

test('nodes may go one after the other, and all must be quiet in the end', async () => {
  expect(await wait(left(3), BUSY, left(2), IDLE)).toEqual({ waiting: [], sinceMs: 30_000, tookS: 35 });
});

test('a node that stays for too long is told, counted from when the last one had gone', async () => {
  expect(await wait(left(2))).toEqual({ waiting: LEFT, tookS: 25 });
  expect(await wait(left(3), left(2))).toEqual({ waiting: LEFT, tookS: 35 });
});

test('nothing is said of nodes if things are on the move to the end', async () => {
  expect(await wait(left(3), BUSY)).toEqual({ tookS: 50 });
  expect(await wait(left(3), BUSY, BUSY, left(3))).toEqual({ waiting: LEFT, tookS: 30 });
});

test('pools that keep such nodes, expire them or have a fixed size are left out', () => {
  const disruption = { consolidation: 'when-empty-or-underutilized' } as const;
  const later = pool('later', { disruption: { ...disruption, consolidateAfterMs: 1_000 } });
  const never = pool('never', { disruption: { ...disruption, consolidateAfterMs: 'never' } });
  const frozen = pool('frozen', { disruption: { ...disruption, budgets: [{ nodes: '0', reasons: ['underutilized'] }] } });
  const emptyOnly = pool('empty-only', { disruption: { consolidation: 'when-empty' } });
  const expiring = pool('expiring', { disruption, expireAfterMs: 3_600_000 });
  const fixed = pool('fixed', { disruption, replicas: 1 });
  expect(consolidatingPools([never, frozen, emptyOnly, expiring, fixed, later, REMOVING], [REMOVING], { fromMs: 0, toMs: 1 })).toEqual([
    REMOVING,
  ]);
});
