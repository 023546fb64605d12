import { expect, test } from '@playwright/test';
import type { PodSpec } from '../../model/kube.ts';
import { addNode, addPod, conditionIn, makePod, withParts } from '../testing/world-parts.ts';
import { POD_GC_PERIOD_MS, POD_GC_QUARANTINE_MS, PodGarbageCollector } from './pod-garbage-collector.ts';

test('pods of a deleted node are force-deleted after the quarantine', async () => {
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

test('terminating pods that nothing else would finish are force-deleted', async () => {
  await withParts(
    ({ port, clock }) => [new PodGarbageCollector({ port: port('workloads'), clock })],
    async ({ port, clock, pod, pods }) => {
      await addNode(port, 'broken', { taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] });
      await port.patch({ resource: 'nodes', name: 'broken' }, { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } }, 'status');
      await addNode(port, 'well');
      for (const [name, node] of Object.entries({ lost: 'broken', running: 'broken', ending: 'well' })) {
        await addPod(port, name, { nodeName: node } satisfies Partial<PodSpec>);
      }
      // Without a node a pod is deleted at once, unless it has a finalizer.
      const held = makePod('held');
      await port.create('pods', { ...held, metadata: { ...held.metadata, finalizers: ['x/hold'] } });
      for (const name of ['lost', 'ending', 'held']) await port.delete({ resource: 'pods', namespace: 'default', name });
      await clock.sleep(POD_GC_PERIOD_MS + 1_000);
      expect((await pods()).map(({ metadata }) => metadata.name)).toEqual(['ending', 'held', 'running']);
      expect((await pod('held'))?.status?.phase).toBe('Failed');
      expect(conditionIn(await pod('held'), 'DisruptionTarget')).toBeUndefined();
    },
  );
});
