import { expect, test } from '@playwright/test';
import { withEmbedded } from '../../controller/testing/embedded.ts';
import type { Pool } from '../../model/catalogue.ts';
import { GROUP_POOL_LABEL, LABEL } from '../../model/kube.ts';
import type { KubeObject, Node } from '../../model/kube.ts';
import { createAutoScalingClient } from '../../clients/auto-scaling.ts';
import { createKubeClient } from '../../clients/kube.ts';
import type { Manifest } from '../command/apply.ts';
import { groupOperations } from './groups.ts';

const POOL: Pool = {
  name: 'default',
  requirements: [
    { key: LABEL.instanceType, operator: 'In', values: ['m6i.large'] },
    { key: LABEL.capacityType, operator: 'In', values: ['on-demand'] },
  ],
  labels: { tier: 'web' },
  taints: [],
  startupTaints: [{ key: 'example.com/agent-not-ready', effect: 'NoSchedule' }],
  weight: 0,
};
const MINUTE_MS = 60_000;
const QUOTAS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'capacityquotas.autoscaling.x-k8s.io' },
  spec: {
    group: 'autoscaling.x-k8s.io',
    scope: 'Cluster',
    names: { plural: 'capacityquotas', singular: 'capacityquota', kind: 'CapacityQuota', listKind: 'CapacityQuotaList' },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
} as Manifest;

test("a pool's groups grow to nodes of the pool, and go with it", async () => {
  await withEmbedded(1, [], async ({ site, port, until, world }) => {
    const operations = groupOperations(() => []);
    await operations.install(site);
    await operations.applyPools(site, [POOL]);
    const { runtime, cluster } = site;
    const client = createAutoScalingClient({ wire: site.aws, clock: runtime.clock, random: runtime.random, region: cluster.region });
    const groups = await client.groupsWith({ [GROUP_POOL_LABEL]: 'default' });
    expect(groups.map(({ AvailabilityZones }) => AvailabilityZones).flat()).toEqual(['us-east-1a', 'us-east-1b', 'us-east-1c']);
    const [first] = groups;
    await client.updateGroup({ AutoScalingGroupName: first?.AutoScalingGroupName, DesiredCapacity: 2 });
    await until('two nodes are ready', 3 * MINUTE_MS, async () => {
      const nodes = await port.list<Node>('nodes');
      return (
        nodes.filter(({ status }) => status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True')).length === 2
      );
    });
    const [node] = await port.list<Node>('nodes');
    expect(node?.metadata.labels).toMatchObject({ tier: 'web', [GROUP_POOL_LABEL]: 'default', [LABEL.zone]: 'us-east-1a' });
    await until('agents have removed the startup taints', MINUTE_MS, async () => {
      return (await port.list<Node>('nodes')).every(({ spec }) => (spec?.taints ?? []).length === 0);
    });
    // The same again changes nothing.
    await operations.applyPools(site, [POOL]);
    expect(await client.groupsWith({ [GROUP_POOL_LABEL]: 'default' })).toHaveLength(3);
    await operations.removePools(site, [POOL], []);
    await until('its instances and groups are gone', 3 * MINUTE_MS, async () => {
      const isOver = world.ports.instances.list().every(({ state }) => state === 'terminated');
      return isOver && (await client.groupsWith({ [GROUP_POOL_LABEL]: 'default' })).length === 0;
    });
  });
});

test('a pool applied again has neither its former launch templates nor its former limits, and comes back after it was removed', async () => {
  await withEmbedded(1, [], async ({ site, until, world }) => {
    const operations = groupOperations(() => [QUOTAS]);
    await operations.install(site);
    const { runtime, cluster } = site;
    const client = createAutoScalingClient({ wire: site.aws, clock: runtime.clock, random: runtime.random, region: cluster.region });
    const groups = (): ReturnType<typeof client.groupsWith> => client.groupsWith({ [GROUP_POOL_LABEL]: 'default' });
    const templates = (): string[] => world.ports.templates.list().map(({ name }) => name);
    const kube = createKubeClient({ wire: site.kube, clock: runtime.clock });
    const type = { group: 'autoscaling.x-k8s.io', version: 'v1alpha1', plural: 'capacityquotas', kind: 'CapacityQuota', namespaced: false };
    const quota = (): Promise<KubeObject | undefined> => kube.get<KubeObject>({ type, name: 'default' });
    await operations.applyPools(site, [{ ...POOL, limits: { nodes: 4 } }]);
    expect(await quota()).toBeDefined();
    const before = templates();
    await operations.applyPools(site, [{ ...POOL, labels: { tier: 'api' } }]);
    expect(await quota()).toBeUndefined();
    expect(templates()).toHaveLength(before.length);
    expect(templates().filter((name) => before.includes(name))).toEqual([]);
    const [first] = await groups();
    await client.updateGroup({ AutoScalingGroupName: first?.AutoScalingGroupName, DesiredCapacity: 1 });
    await until('its instance runs', 3 * MINUTE_MS, async () => world.ports.instances.list().some(({ state }) => state === 'running'));
    await operations.removePools(site, [POOL], []);
    expect((await groups()).map(({ Status }) => Status)).toEqual(['Delete in progress']);
    await operations.removePools(site, [POOL], []);
    await operations.applyPools(site, [POOL]);
    expect((await groups()).map(({ Status, DesiredCapacity }) => [Status, DesiredCapacity])).toEqual(Array(3).fill([undefined, 0]));
  });
});

test('priorities of groups have numbers as keys, which releases before 1.35 require', async () => {
  await withEmbedded(1, [], async ({ site, port }) => {
    const operations = groupOperations(() => []);
    await operations.install(site);
    await operations.applyPools(site, [POOL, { ...POOL, name: 'preferred', weight: 10 }]);
    const configs = await port.list<KubeObject & { data?: Record<string, string> }>('configmaps');
    const { data } = configs.find(({ metadata }) => metadata.name === 'cluster-autoscaler-priority-expander') ?? {};
    expect(data?.['priorities']?.split('\n').filter((line) => !line.startsWith('  - '))).toEqual([
      expect.stringMatching(/^[0-9]+:$/),
      expect.stringMatching(/^[0-9]+:$/),
      '',
    ]);
  });
});
