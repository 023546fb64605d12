import { expect, test } from '@playwright/test';
import type { Node } from '../../model/kube.ts';
import {
  NODE_MONITOR_GRACE_MS,
  NODE_MONITOR_PERIOD_MS,
  NODE_STARTUP_GRACE_MS,
  NODE_TAINT_REACTION,
  NodeLifecycle,
} from './node-lifecycle.ts';
import { addNode, addPod, conditionIn, withParts } from '../testing/world-parts.ts';
import type { Bench } from '../testing/world-parts.ts';

const REACTION_MS = NODE_TAINT_REACTION.maxMs + 100;
/** Until the monitor has noticed a change, and a zone's first NoExecute taint is set. */
const MONITORED_MS = NODE_MONITOR_PERIOD_MS + REACTION_MS;
const LATER_MS = 3_600_000;

/** Runs the controller; the test sets the last heartbeats of nodes, and `other`'s heartbeat is always recent. */
async function withLifecycle(work: (bench: Bench, beat: (atMs: number, name?: string) => void) => Promise<void>): Promise<void> {
  const lastMs = new Map<string, number>();
  await withParts(
    ({ port, clock, random }) => {
      const heartbeats = { lastHeartbeatMs: (name: string) => (name === 'other' ? clock.nowMs() : lastMs.get(name)) };
      return [new NodeLifecycle({ port: port('workloads'), clock, random, heartbeats })];
    },
    async (bench) => {
      // Nothing is evicted in a cluster without Ready nodes.
      await addNode(bench.port, 'other', { zone: 'elsewhere' });
      await work(bench, (atMs, name = 'n1') => lastMs.set(name, atMs));
    },
  );
}

async function setReady(bench: Bench, status: string, name = 'n1'): Promise<void> {
  await bench.port.patch({ resource: 'nodes', name }, { status: { conditions: [{ type: 'Ready', status }] } }, 'status');
}

async function taints(bench: Bench, name = 'n1'): Promise<string> {
  return ((await bench.node(name))?.spec?.taints ?? [])
    .map(({ key, effect }) => `${key.split('/')[1]}:${effect}`)
    .sort()
    .join(' ');
}

async function tainted(bench: Bench, expected: string, withinMs = REACTION_MS): Promise<void> {
  await bench.until(`taints '${expected}'`, async () => (await taints(bench)) === expected, withinMs);
}

/** How many of these nodes have a NoExecute taint. */
async function evicting(bench: Bench, names: readonly string[]): Promise<number> {
  const all = await Promise.all(names.map((name) => taints(bench, name)));
  return all.filter((one) => one.includes('NoExecute')).length;
}

/** Nodes of one zone, of which the first `silent` stop sending heartbeats. */
async function addZone(bench: Bench, beat: (atMs: number, name: string) => void, count: number, silent: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, index) => `z${String(index).padStart(2, '0')}`);
  for (const name of names) await addNode(bench.port, name, { zone: 'broken' });
  for (const name of names.slice(silent)) beat(bench.clock.nowMs() + LATER_MS, name);
  return names;
}

test('taints follow the Ready condition and the cordon; others stay', async () => {
  await withLifecycle(async (bench, beat) => {
    beat(bench.clock.nowMs() + LATER_MS);
    await bench.port.create<Node>('nodes', { metadata: { name: 'n1' }, spec: { taints: [{ key: 'x/mine', effect: 'NoSchedule' }] } });
    await setReady(bench, 'False');
    await tainted(bench, 'mine:NoSchedule not-ready:NoSchedule');
    await tainted(bench, 'mine:NoSchedule not-ready:NoExecute not-ready:NoSchedule', MONITORED_MS);
    await setReady(bench, 'Unknown');
    await tainted(bench, 'mine:NoSchedule unreachable:NoExecute unreachable:NoSchedule', MONITORED_MS);
    await setReady(bench, 'True');
    await tainted(bench, 'mine:NoSchedule', MONITORED_MS);
    await bench.port.patch({ resource: 'nodes', name: 'n1' }, { spec: { unschedulable: true } });
    await tainted(bench, 'mine:NoSchedule unschedulable:NoSchedule');
    await bench.port.patch({ resource: 'nodes', name: 'n1' }, { spec: { unschedulable: null } });
    await tainted(bench, 'mine:NoSchedule');
    const conditions = ['MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({ type, status: 'True' }));
    await bench.port.patch({ resource: 'nodes', name: 'n1' }, { status: { conditions } }, 'status');
    await tainted(bench, 'disk-pressure:NoSchedule memory-pressure:NoSchedule mine:NoSchedule pid-pressure:NoSchedule');
  });
});

test('a silent node becomes Unknown after the grace period, not before, and its pods become unready', async () => {
  await withLifecycle(async (bench, beat) => {
    await addNode(bench.port, 'n1');
    await addPod(bench.port, 'p1');
    const at = { resource: 'pods', namespace: 'default', name: 'p1' };
    await bench.port.bind(at, 'n1');
    await bench.port.patch(at, { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } }, 'status');
    await bench.clock.sleep(1_000);
    beat(bench.clock.nowMs());
    await bench.clock.sleep(NODE_MONITOR_GRACE_MS);
    expect(conditionIn(await bench.node('n1'), 'Ready')?.status).toBe('True');
    await bench.until('Unknown', async () => conditionIn(await bench.node('n1'), 'Ready')?.status === 'Unknown', NODE_MONITOR_PERIOD_MS);
    expect(conditionIn(await bench.node('n1'), 'Ready')?.reason).toBe('NodeStatusUnknown');
    await tainted(bench, 'unreachable:NoExecute unreachable:NoSchedule');
    expect(await bench.eventsAbout('n1')).toEqual([
      'RegisteredNode: Node n1 event: Registered Node n1 in Controller',
      'NodeNotReady: Node n1 status is now: NodeNotReady',
    ]);
    expect(conditionIn(await bench.pod('p1'), 'Ready')?.status).toBe('False');
    expect(await bench.eventsAbout('p1')).toEqual(['NodeNotReady: Node is not ready']);
  });
});

test('in each zone, one node gets its NoExecute taint every ten seconds', async () => {
  await withLifecycle(async (bench, beat) => {
    const names = await addZone(bench, beat, 10, 5);
    await bench.until('the first', async () => (await evicting(bench, names)) === 1, NODE_MONITOR_GRACE_MS + 2 * NODE_MONITOR_PERIOD_MS);
    for (const count of [2, 3, 4, 5]) {
      await bench.clock.sleep(count === 2 ? 9_000 : 8_500);
      expect(await evicting(bench, names)).toBe(count - 1);
      await bench.clock.sleep(1_500);
      expect(await evicting(bench, names)).toBe(count);
    }
  });
});

test('no NoExecute taints in a small zone with many failed nodes', async () => {
  await withLifecycle(async (bench, beat) => {
    const names = await addZone(bench, beat, 10, 6);
    await bench.clock.sleep(200_000);
    expect(await Promise.all(names.map((name) => taints(bench, name)))).toEqual([
      ...Array.from({ length: 6 }, () => 'unreachable:NoSchedule'),
      ...Array.from({ length: 4 }, () => ''),
    ]);
  });
});

test('while no node of the cluster is Ready there are no NoExecute taints; afterwards the grace period starts again', async () => {
  await withLifecycle(async (bench, beat) => {
    for (const name of ['n1', 'n2']) await addNode(bench.port, name);
    await bench.until('n1 is evicting', async () => (await evicting(bench, ['n1', 'n2'])) > 0, 80_000);
    await setReady(bench, 'False', 'other');
    await bench.clock.sleep(MONITORED_MS);
    expect(await evicting(bench, ['n1', 'n2', 'other'])).toBe(0);
    beat(bench.clock.nowMs() + LATER_MS, 'n2');
    await setReady(bench, 'True', 'other');
    await bench.until('n1 is evicting again', async () => (await evicting(bench, ['n1'])) > 0, 30_000);
  });
});

test('a node that never had a kubelet becomes Unknown after the start-up grace period', async () => {
  await withLifecycle(async (bench) => {
    await bench.port.create<Node>('nodes', { metadata: { name: 'n1' } });
    await bench.clock.sleep(NODE_STARTUP_GRACE_MS - 1_000);
    expect(conditionIn(await bench.node('n1'), 'Ready')).toBeUndefined();
    await bench.clock.sleep(NODE_MONITOR_PERIOD_MS + 2_000);
    expect(conditionIn(await bench.node('n1'), 'Ready')).toMatchObject({ status: 'Unknown', reason: 'NodeStatusNeverUpdated' });
  });
});
