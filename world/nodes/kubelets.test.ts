import { expect, test } from '@playwright/test';
import { LABEL } from '../../model/kube.ts';
import type { Node } from '../../model/kube.ts';
import { addPod, conditionIn, userData } from '../testing/world-parts.ts';
import type { Bench } from '../testing/world-parts.ts';
import type { PartSite } from '../testing/world-parts.ts';
import type { WorldPart } from '../tasks.ts';
import { HEARTBEAT_PERIOD_MS, KUBELET_DELAYS, STATUS_REPORT_PERIOD_MS } from './kubelet.ts';
import type { Kubelets } from './kubelets.ts';
import { LeaseHeartbeats } from './lease-heartbeats.ts';
import { NODE, NODE_AT, READY_MS, REGISTERED_MS, podRef, withKubelets } from './testing/kubelets.ts';

test('a running instance becomes a node with the labels and taints of its user data', async () => {
  await withKubelets(async (bench) => {
    const taints = [{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' as const }];
    bench.instances.set('i-1', { state: 'pending', userData: userData({ flags: ['--node-labels=pool=default'], taints }) });
    await bench.clock.sleep(60_000);
    expect(await bench.node(NODE)).toBeUndefined();
    bench.instances.set('i-1', { state: 'running' });
    await bench.until('the node registers', async () => (await bench.node(NODE)) !== undefined, REGISTERED_MS);
    const node = await bench.node(NODE);
    expect(node?.spec?.providerID).toBe('aws:///us-east-1a/i-1');
    expect(node?.metadata.labels).toMatchObject({ pool: 'default', [LABEL.hostname]: NODE, [LABEL.os]: 'linux', [LABEL.arch]: 'amd64' });
    expect(node?.metadata.labels?.[LABEL.zone]).toBeUndefined();
    expect(node?.spec?.taints?.map(({ key, effect }) => `${key}:${effect}`).sort()).toEqual([
      'karpenter.sh/unregistered:NoExecute',
      'node.cloudprovider.kubernetes.io/uninitialized:NoSchedule',
      'node.kubernetes.io/not-ready:NoSchedule',
    ]);
    expect(node?.status?.allocatable).toMatchObject({ cpu: '1930m', pods: '29' });
    expect(conditionIn(node, 'Ready')?.status).toBe('False');
    await bench.ready();
  });
});

test("a node's capacity follows its user data and the root volume of its launch", async () => {
  await withKubelets(async (bench) => {
    const config = {
      apiVersion: 'node.eks.aws/v1alpha1',
      kind: 'NodeConfig',
      spec: { cluster: { name: 'test' }, kubelet: { config: { maxPods: 8 } } },
    };
    bench.instances.set('i-1', { userData: JSON.stringify(config), rootVolumeGiB: 100 });
    await bench.until('the node registers', async () => (await bench.node(NODE)) !== undefined, REGISTERED_MS);
    const { capacity, allocatable } = (await bench.node(NODE))?.status ?? {};
    expect(capacity).toMatchObject({ pods: '8', 'ephemeral-storage': '100Gi' });
    expect(allocatable).toMatchObject({ pods: '8', 'ephemeral-storage': '89Gi' });
  });
});

test('pods run once the network is ready, and end when they are deleted', async () => {
  await withKubelets(async (bench) => {
    bench.instances.set('i-1', {});
    await addPod(bench.port, 'p', { terminationGracePeriodSeconds: 30 });
    const at = podRef('p');
    await bench.port.bind(at, NODE);
    await bench.until('the node registers', async () => (await bench.node(NODE)) !== undefined, REGISTERED_MS);
    await bench.clock.sleep(KUBELET_DELAYS.ready.minMs - 100);
    expect((await bench.pod('p'))?.status?.phase).toBe('Pending');
    await bench.ready();
    await bench.until('p runs', async () => (await bench.pod('p'))?.status?.phase === 'Running', KUBELET_DELAYS.podStart.maxMs);
    expect(conditionIn(await bench.pod('p'), 'Ready')?.status).toBe('True');
    expect(conditionIn(await bench.pod('p'), 'PodScheduled')?.status).toBe('True');
    await bench.port.delete(at);
    expect(await bench.pod('p')).toBeDefined();
    await bench.until('p is gone', async () => (await bench.pod('p')) === undefined, KUBELET_DELAYS.podEnd.maxMs + 100);
  });
});

test('the kubelet of a terminated instance does nothing', async () => {
  await withKubelets(async (bench) => {
    bench.instances.set('i-1', {});
    for (const name of ['old', 'new']) await addPod(bench.port, name);
    await bench.ready();
    await bench.port.bind(podRef('old'), NODE);
    await bench.until('old runs', async () => (await bench.pod('old'))?.status?.phase === 'Running', KUBELET_DELAYS.podStart.maxMs + 100);
    await bench.port.delete(podRef('old'));
    await bench.port.bind(podRef('new'), NODE);
    const diedMs = bench.clock.nowMs();
    bench.instances.set('i-1', { state: 'terminated' });
    await bench.clock.sleep(600_000);
    expect((await bench.pod('old'))?.metadata.deletionTimestamp).toBeDefined();
    expect((await bench.pod('new'))?.status?.phase).toBe('Pending');
    const lastMs = bench.kubelets.lastHeartbeatMs(NODE) ?? 0;
    expect(lastMs).toBeLessThanOrEqual(diedMs);
    expect(lastMs).toBeGreaterThan(diedMs - 10_000);
  });
});

test('a node of that name is adopted: no taints, no provider id, no labels of the user data', async () => {
  await withKubelets(async (bench) => {
    const taken: Node = { metadata: { name: NODE, labels: { mine: 'yes' } }, spec: { providerID: 'aws:///us-east-1a/i-0' } };
    await bench.port.create<Node>('nodes', taken);
    expect(bench.kubelets.lastHeartbeatMs(NODE)).toBeUndefined();
    bench.instances.set('i-1', {
      userData: userData({ flags: ['--node-labels=pool=default'], taints: [{ key: 'x', effect: 'NoExecute' }] }),
    });
    await bench.ready();
    const node = await bench.node(NODE);
    expect(node?.spec?.providerID).toBe('aws:///us-east-1a/i-0');
    expect(node?.spec?.taints?.map(({ key }) => key)).toEqual(['node.kubernetes.io/not-ready']);
    expect(node?.metadata.labels).toMatchObject({ mine: 'yes', [LABEL.hostname]: NODE });
    expect(node?.metadata.labels?.['pool']).toBeUndefined();
    expect(node?.status?.allocatable?.['cpu']).toBe('1930m');
    expect(bench.kubelets.lastHeartbeatMs(NODE)).toBeDefined();
  });
});

test('a deleted node is not created again', async () => {
  await withKubelets(async (bench) => {
    bench.instances.set('i-1', {});
    await bench.until('the node registers', async () => (await bench.node(NODE)) !== undefined, REGISTERED_MS);
    await bench.port.delete(NODE_AT);
    await bench.clock.sleep(300_000);
    expect(await bench.node(NODE)).toBeUndefined();
  });
});

test('a reused address brings back the node name', async () => {
  await withKubelets(async (bench) => {
    bench.instances.set('i-1', {});
    await bench.ready();
    bench.instances.set('i-1', { state: 'terminated' });
    bench.instances.set('i-2', {});
    await bench.clock.sleep(REGISTERED_MS + READY_MS);
    expect((await bench.node(NODE))?.spec?.providerID).toBe('aws:///us-east-1a/i-1');
    expect(conditionIn(await bench.node(NODE), 'Ready')?.status).toBe('True');
  });
});

const NEVER: readonly (readonly [string, Parameters<Bench['instances']['set']>[1], string])[] = [
  ['unreadable user data', { userData: '#!/bin/bash' }, 'no NodeConfig'],
  ['another cluster', { userData: userData({ cluster: 'other' }) }, 'names the cluster other'],
  ['the default security group', { securityGroupIds: [] }, 'default security group'],
  ['another security group', { securityGroupIds: ['sg-other'] }, 'sg-other, and only members of sg-test'],
  ['an unknown type', { instanceType: 'x9.large' }, 'x9.large is not in the catalogue'],
];

for (const [name, change, why] of NEVER) {
  test(`never registers: ${name}`, async () => {
    await withKubelets(async (bench) => {
      bench.instances.set('i-1', change);
      await bench.clock.sleep(300_000);
      expect(await bench.port.list('nodes')).toEqual([]);
      expect(bench.lines).toEqual([expect.stringContaining(why)]);
    });
  });
}

test('every delay stays within its allowance, whatever the seed', async () => {
  for (let seed = 0; seed < 20; seed += 1) {
    await withKubelets(
      async (bench) => {
        bench.instances.set('i-1', {});
        await bench.until('the node registers', async () => (await bench.node(NODE)) !== undefined, REGISTERED_MS);
        await bench.until('ready', async () => conditionIn(await bench.node(NODE), 'Ready')?.status === 'True', READY_MS);
      },
      { seed },
    );
  }
});

test('resource names are never reused', async () => {
  await withKubelets(async (bench) => {
    bench.instances.set('i-1', { privateDnsName: 'i-1.ec2.internal' });
    await bench.until('it registers', async () => (await bench.node('i-1.ec2.internal')) !== undefined, REGISTERED_MS);
    expect((await bench.node('i-1.ec2.internal'))?.metadata.labels?.[LABEL.hostname]).toBe('i-1.ec2.internal');
  });
});

test('a stopped instance takes its node down, and brings it back when it starts', async () => {
  await withKubelets(async (bench) => {
    bench.instances.set('i-1', {});
    await bench.ready();
    bench.instances.set('i-1', { state: 'stopping' });
    await bench.clock.sleep(1_000);
    expect(conditionIn(await bench.node(NODE), 'Ready')).toMatchObject({ status: 'False', message: 'node is shutting down' });
    bench.instances.set('i-1', { state: 'stopped' });
    await bench.clock.sleep(300_000);
    expect(bench.clock.nowMs() - (bench.kubelets.lastHeartbeatMs(NODE) ?? 0)).toBeGreaterThan(300_000);
    bench.instances.set('i-1', { state: 'running' });
    await bench.ready();
    expect((await bench.node(NODE))?.spec?.providerID).toBe('aws:///us-east-1a/i-1');
  });
});

test('a rebooted instance ends its pods, and its node comes back; one that ends meanwhile does not', async () => {
  await withKubelets(async (bench) => {
    bench.instances.set('i-1', {});
    await addPod(bench.port, 'p');
    await bench.ready();
    await bench.port.bind(podRef('p'), NODE);
    await bench.until('p runs', async () => (await bench.phase('p')) === 'Running', KUBELET_DELAYS.podStart.maxMs + 100);
    bench.reboot('i-1');
    await bench.until('p is ended', async () => (await bench.phase('p')) === 'Failed', 10_000);
    expect(await bench.readiness()).toBe('False');
    await bench.ready();

    bench.reboot('i-1');
    await bench.until('the node goes down', async () => (await bench.readiness()) === 'False', 10_000);
    bench.instances.set('i-1', { state: 'terminated' });
    await bench.clock.sleep(REGISTERED_MS + READY_MS);
    expect(await bench.readiness()).toBe('False');
  });
});

test('what somebody else overwrites in a status is written again within ten seconds; what others add stays', async () => {
  const more = ({ port, clock, kubelets }: PartSite & { readonly kubelets: Kubelets }): WorldPart[] => [
    new LeaseHeartbeats({ port: port('node'), clock, kubelets }),
  ];
  await withKubelets(
    async (bench) => {
      bench.instances.set('i-1', {});
      await bench.ready();
      const before = await bench.node(NODE);
      await bench.clock.sleep(60_000);
      expect((await bench.node(NODE))?.metadata.resourceVersion, 'nothing is written when nothing changed').toBe(
        before?.metadata.resourceVersion,
      );
      for (const wrong of [
        { conditions: [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }] },
        { allocatable: { ...before?.status?.allocatable, cpu: '0' } },
      ]) {
        const conditions = [...(wrong.conditions ?? before?.status?.conditions ?? []), { type: 'KernelDeadlock', status: 'False' }];
        await bench.port.patch(NODE_AT, { status: { ...wrong, conditions } }, 'status');
        await bench.clock.sleep(HEARTBEAT_PERIOD_MS + 100);
        const after = await bench.node(NODE);
        expect(conditionIn(after, 'Ready')).toMatchObject({ status: 'True', reason: 'KubeletReady' });
        expect(conditionIn(after, 'KernelDeadlock')?.status).toBe('False');
        expect(after?.status?.allocatable).toEqual(before?.status?.allocatable);
      }
    },
    { more },
  );
});

test('a status is written every five minutes, if that is asked for, and not while the kubelet is dead', async () => {
  await withKubelets(
    async (bench) => {
      bench.instances.set('i-1', {});
      await bench.ready();
      const reportedMs = async (): Promise<number> => Date.parse(conditionIn(await bench.node(NODE), 'Ready')?.lastHeartbeatTime ?? '');
      await bench.clock.sleep(4 * STATUS_REPORT_PERIOD_MS);
      expect(bench.clock.nowMs() - (await reportedMs())).toBeLessThanOrEqual(STATUS_REPORT_PERIOD_MS + 1_000);
      bench.faults.arm({ selector: {}, problem: { kind: 'dead-kubelet', afterMs: 0 }, fired: () => undefined });
      const diedMs = bench.clock.nowMs();
      await bench.clock.sleep(2 * STATUS_REPORT_PERIOD_MS);
      expect(await reportedMs()).toBeLessThanOrEqual(diedMs);
    },
    { statusReportPeriodMs: STATUS_REPORT_PERIOD_MS },
  );
});
