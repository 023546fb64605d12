import { expect, test } from '@playwright/test';
import type { Node } from '../model/kube.ts';
import {
  NODE_MONITOR_GRACE_MS,
  NODE_MONITOR_PERIOD_MS,
  NODE_STARTUP_GRACE_MS,
  NODE_TAINT_REACTION,
  NodeLifecycle,
} from './node-lifecycle.ts';
import { POD_GC_PERIOD_MS, POD_GC_QUARANTINE_MS, PodGarbageCollector } from './pod-garbage-collector.ts';
import { addNode, addPod, conditionIn, withParts } from './world-parts.test.support.ts';
import type { Bench } from './world-parts.test.support.ts';

const REACTION_MS = NODE_TAINT_REACTION.maxMs + 100;

/** Runs the controller; the node's last heartbeat is set by the test. */
async function withLifecycle(work: (bench: Bench, beat: (atMs: number | undefined) => void) => Promise<void>): Promise<void> {
  let lastMs: number | undefined;
  const heartbeats = { lastHeartbeatMs: () => lastMs };
  await withParts(
    ({ port, clock, random }) => [new NodeLifecycle({ port: port('workloads'), clock, random, heartbeats })],
    (bench) => work(bench, (atMs) => (lastMs = atMs)),
  );
}

async function setReady(bench: Bench, status: string): Promise<void> {
  await bench.port.patch({ resource: 'nodes', name: 'n1' }, { status: { conditions: [{ type: 'Ready', status }] } }, 'status');
}

async function taints(bench: Bench): Promise<string> {
  return ((await bench.node('n1'))?.spec?.taints ?? [])
    .map(({ key, effect }) => `${key.split('/')[1]}:${effect}`)
    .sort()
    .join(' ');
}

async function tainted(bench: Bench, expected: string): Promise<void> {
  await bench.until(`taints '${expected}'`, async () => (await taints(bench)) === expected, REACTION_MS);
}

test('taints follow the Ready condition and the cordon, others stay', async () => {
  await withLifecycle(async (bench, beat) => {
    beat(bench.clock.nowMs() + 3_600_000);
    await bench.port.create<Node>('nodes', { metadata: { name: 'n1' }, spec: { taints: [{ key: 'x/mine', effect: 'NoSchedule' }] } });
    await setReady(bench, 'False');
    await tainted(bench, 'mine:NoSchedule not-ready:NoExecute not-ready:NoSchedule');
    await setReady(bench, 'True');
    await tainted(bench, 'mine:NoSchedule');
    await bench.port.patch({ resource: 'nodes', name: 'n1' }, { spec: { unschedulable: true } });
    await tainted(bench, 'mine:NoSchedule unschedulable:NoSchedule');
    await bench.port.patch({ resource: 'nodes', name: 'n1' }, { spec: { unschedulable: null } });
    await tainted(bench, 'mine:NoSchedule');
    await setReady(bench, 'Unknown');
    await tainted(bench, 'mine:NoSchedule unreachable:NoExecute unreachable:NoSchedule');
  });
});

test('a node that falls silent turns Unknown after the grace period, not before', async () => {
  await withLifecycle(async (bench, beat) => {
    await addNode(bench.port, 'n1');
    await bench.clock.sleep(1_000);
    beat(bench.clock.nowMs());
    await bench.clock.sleep(NODE_MONITOR_GRACE_MS);
    expect(conditionIn(await bench.node('n1'), 'Ready')?.status).toBe('True');
    await bench.until('Unknown', async () => conditionIn(await bench.node('n1'), 'Ready')?.status === 'Unknown', NODE_MONITOR_PERIOD_MS);
    expect(conditionIn(await bench.node('n1'), 'Ready')?.reason).toBe('NodeStatusUnknown');
    await tainted(bench, 'unreachable:NoExecute unreachable:NoSchedule');
    expect(await bench.eventsAbout('n1')).toEqual(['NodeNotReady: Node n1 status is now: NodeNotReady']);
  });
});

test('a node that never had a kubelet turns Unknown after the start-up grace period', async () => {
  await withLifecycle(async (bench) => {
    await bench.port.create<Node>('nodes', { metadata: { name: 'n1' } });
    await bench.clock.sleep(NODE_STARTUP_GRACE_MS - 1_000);
    expect(conditionIn(await bench.node('n1'), 'Ready')).toBeUndefined();
    await bench.clock.sleep(NODE_MONITOR_PERIOD_MS + 2_000);
    expect(conditionIn(await bench.node('n1'), 'Ready')).toMatchObject({ status: 'Unknown', reason: 'NodeStatusNeverUpdated' });
  });
});

test('pods of a node that is gone are deleted by force after the quarantine', async () => {
  await withParts(
    ({ port, clock }) => [new PodGarbageCollector({ port: port('workloads'), clock })],
    async (bench) => {
      await addNode(bench.port, 'n1');
      await addNode(bench.port, 'n2');
      for (const [pod, node] of Object.entries({ lost: 'n1', kept: 'n2' })) {
        await addPod(bench.port, pod);
        await bench.port.bind({ resource: 'pods', namespace: 'default', name: pod }, node);
      }
      await bench.clock.sleep(60_000);
      await bench.port.delete({ resource: 'nodes', name: 'n1' });
      await bench.clock.sleep(POD_GC_QUARANTINE_MS - 1_000);
      expect(await bench.pod('lost')).toBeDefined();
      await bench.until('lost is gone', async () => (await bench.pod('lost')) === undefined, 2 * POD_GC_PERIOD_MS + 1_000);
      expect(await bench.pod('kept')).toBeDefined();
    },
  );
});
