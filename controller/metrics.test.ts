import { readFile } from 'node:fs/promises';
import { expect, test } from '@playwright/test';
import { exposeMetrics } from './gauges.ts';
import { createPendingPod, withBench } from './testing/bench.ts';

const MINUTE_MS = 60_000;

/** Lines of a metric without its buckets. */
function seriesOf(text: string, name: string): string[] {
  return text.split('\n').filter((line) => line.startsWith(name) && !line.includes('_bucket'));
}

test('metrics show what the autoscaler does, with Karpenter’s names and labels', async () => {
  await withBench(1, async (bench) => {
    bench.start();
    const { port, clock } = bench;
    await createPendingPod(port, 'web');
    await clock.sleep(30_000);
    const waiting = exposeMetrics(bench.context());
    for (const line of [
      'karpenter_nodeclaims_created_total{min_values_relaxed="false",nodepool="default",reason="provisioned"} 1',
      'karpenter_cluster_state_synced 1',
      'karpenter_cluster_state_node_count 0',
      'karpenter_nodepools_usage{nodepool="default",resource_type="cpu"} 2',
      'karpenter_nodepools_usage{nodepool="default",resource_type="nodes"} 1',
      'karpenter_nodepools_allowed_disruptions{nodepool="default",reason="Empty"} 0',
      'karpenter_scheduler_unschedulable_pods_count{controller="provisioner"} 0',
      'karpenter_scheduler_ignored_pods_count 0',
      'karpenter_cloudprovider_instance_type_cpu_cores{instance_type="m5.large"} 2',
      'karpenter_pods_scheduling_decision_duration_seconds_count 1',
    ]) {
      expect(waiting.split('\n')).toContain(line);
    }
    expect(seriesOf(waiting, 'karpenter_pods_unbound_time_seconds{')).toEqual([
      expect.stringMatching(/name="web",namespace="default"} (29|30)/),
    ]);
    expect(seriesOf(waiting, 'karpenter_pods_provisioning_unbound_time_seconds{')).toHaveLength(1);
    expect(seriesOf(waiting, 'karpenter_pods_state{')).toEqual([expect.stringContaining('phase="Pending",scheduled="false"')]);

    const [claim] = await bench.claims();
    await port.delete({ resource: 'nodeclaims', name: claim?.metadata.name ?? '' });
    await port.delete({ resource: 'pods', namespace: 'default', name: 'web' });
    await clock.sleep(MINUTE_MS);
    const ended = exposeMetrics(bench.context());
    expect(ended.split('\n')).toEqual(
      expect.arrayContaining([
        'karpenter_nodeclaims_terminated_total{capacity_type="spot",nodepool="default"} 1',
        'karpenter_nodeclaims_termination_duration_seconds_count{nodepool="default"} 1',
        'karpenter_nodeclaims_instance_termination_duration_seconds_count{nodepool="default"} 1',
        'karpenter_cloudprovider_batcher_batch_size_count{batcher="terminate_instances"} 1',
      ]),
    );
    expect(seriesOf(ended, 'karpenter_pods_unbound_time_seconds{')).toEqual([]);
  });
});

test('docs/controller.md names every metric, and no other as ours', async () => {
  await withBench(2, async (bench) => {
    bench.start();
    const names = [...exposeMetrics(bench.context()).matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name).sort();
    const page = await readFile(new URL('../docs/controller.md', import.meta.url), 'utf8');
    const section = /## Metrics\n([\s\S]*?)Only Karpenter has/.exec(page)?.[1] ?? '';
    const listed = new Set([...section.matchAll(/`(karpenter_[a-z_]+)`/g)].map(([, name = '']) => name));
    expect([...listed].sort()).toEqual(names);
  });
});
