import type { Instance } from '@aws-sdk/client-ec2';
import { expect, test } from '@playwright/test';
import { LABEL } from '../../model/kube.ts';
import type { Node } from '../../model/kube.ts';
import { KARPENTER } from '../api.ts';
import type { NodeClaim } from '../api.ts';
import type { Context } from '../context.ts';
import { ANY_POOL, asking, withEmbedded } from '../testing/embedded.ts';
import { findAdoptedNode } from './adoption.ts';

const MINUTE_MS = 60_000;
const LAUNCHED = '2026-01-01T00:10:00Z';
const NAME = 'ip-10-0-0-1.ec2.internal';

test('a Node created by another component without a provider id is recognised, and its instance kept', async () => {
  await withEmbedded(1, [ANY_POOL], async (embedded) => {
    const { world, port, until, deploy } = embedded;
    const problem = { kind: 'foreign-node', labels: {}, taints: [], providerId: false } as const;
    world.ports.nodes.arm({ selector: {}, count: 1, problem, fired: () => undefined });
    await deploy('web', 1, asking('500m'));
    await until('the Node is registered', 3 * MINUTE_MS, async () =>
      (await port.list<Node>('nodes')).some(({ metadata }) => metadata.labels?.[KARPENTER.initialized] === 'true'),
    );
    const [node, ...others] = await port.list<Node>('nodes');
    const [claim] = await port.list<NodeClaim>('nodeclaims');
    expect(others).toEqual([]);
    expect(node?.spec?.providerID).toBe(claim?.status?.providerID);
    expect(node?.metadata.labels).toMatchObject({ [KARPENTER.nodePool]: 'default', [LABEL.capacityType]: 'spot' });
    expect(world.ports.instances.list()).toHaveLength(1);
  });
});

test('a Node whose provider id the cloud controller sets later is recognised then', async () => {
  await withEmbedded(2, [ANY_POOL], async (embedded) => {
    const { world, port, until, deploy, log } = embedded;
    const taints = [{ key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' as const }];
    world.ports.nodes.arm({
      selector: {},
      count: 1,
      problem: { kind: 'foreign-node', labels: {}, taints, providerId: false },
      fired: () => undefined,
    });
    await deploy('web', 1, asking('500m'));
    await until('the Node is registered', 3 * MINUTE_MS, async () =>
      (await port.list<Node>('nodes')).some(({ metadata }) => metadata.labels?.[KARPENTER.initialized] === 'true'),
    );
    expect(world.ports.instances.list()).toHaveLength(1);
    expect(log.filter((line) => line.includes('no provider id'))).toEqual([]);
  });
});

const FOREIGN = { key: 'example.com/foreign', effect: 'NoSchedule' as const };

test('a Node that another component tainted is registered once the taint has gone, and nothing is launched in its place', async () => {
  await withEmbedded(3, [ANY_POOL], async ({ world, port, until, deploy, clock }) => {
    const problem = { kind: 'foreign-node', labels: {}, taints: [FOREIGN], providerId: false } as const;
    world.ports.nodes.arm({ selector: {}, count: 1, problem, fired: () => undefined });
    await deploy('web', 1, asking('500m'));
    const nodes = (): Promise<Node[]> => port.list<Node>('nodes');
    await until('the Node is recognised', 3 * MINUTE_MS, async () => (await nodes()).some(({ spec }) => spec?.providerID !== undefined));
    await clock.sleep(MINUTE_MS);
    const [node] = await nodes();
    expect(node?.metadata.labels).not.toHaveProperty([KARPENTER.registered]);
    const [claim] = await port.list<NodeClaim>('nodeclaims');
    expect(claim?.status?.conditions?.find(({ type }) => type === 'Registered')).toMatchObject({ status: 'False', reason: 'ForeignTaint' });
    const taints = node?.spec?.taints?.filter(({ key }) => key !== FOREIGN.key);
    await port.patch({ resource: 'nodes', name: node?.metadata.name ?? '' }, { spec: { taints } });
    await until('the Node is initialized', MINUTE_MS, async () =>
      (await nodes()).some(({ metadata }) => metadata.labels?.[KARPENTER.initialized] === 'true'),
    );
    expect(world.ports.instances.list()).toHaveLength(1);
  });
});

for (const { what, taints, pool = ANY_POOL } of [
  { what: 'that only asks the scheduler to avoid it', taints: [{ ...FOREIGN, effect: 'PreferNoSchedule' as const }] },
  { what: 'of Kubernetes', taints: [{ key: 'node.kubernetes.io/network-unavailable', effect: 'NoSchedule' as const }] },
  { what: 'that its pool declares', taints: [FOREIGN], pool: { ...ANY_POOL, startupTaints: [FOREIGN] } },
]) {
  test(`a Node of another component is registered at once with a taint ${what}`, async () => {
    await withEmbedded(4, [pool], async ({ world, port, until, deploy }) => {
      world.ports.nodes.arm({
        selector: {},
        count: 1,
        problem: { kind: 'foreign-node', labels: {}, taints, providerId: false },
        fired: () => undefined,
      });
      await deploy('web', 1, asking('500m'));
      await until('the Node is registered', 3 * MINUTE_MS, async () =>
        (await port.list<Node>('nodes')).some(({ metadata }) => metadata.labels?.[KARPENTER.registered] === 'true'),
      );
    });
  });
}

/** A Node that another component created and the instance's kubelet adopted. */
function adopted(
  change: { spec?: Node['spec']; name?: string; address?: string; reported?: string; status?: 'True' | 'Unknown' } = {},
): Node {
  const { spec = {}, name = NAME, address = '10.0.0.1', reported = '2026-01-01T00:11:00Z', status = 'True' } = change;
  return {
    metadata: { name, uid: name },
    spec,
    status: { addresses: [{ type: 'InternalIP', address }], conditions: [{ type: 'Ready', status, lastHeartbeatTime: reported }] },
  };
}

async function found(nodes: readonly Node[], instance: Partial<Instance> = {}, recorded = LAUNCHED): Promise<string | undefined> {
  const described: Instance = {
    InstanceId: 'i-1',
    State: { Name: 'running' },
    LaunchTime: new Date(LAUNCHED),
    PrivateDnsName: NAME,
    PrivateIpAddress: '10.0.0.1',
    ...instance,
  };
  const nodesWithoutProviderId = (): Node[] => nodes.filter(({ spec }) => spec?.providerID === undefined);
  const context = { state: { nodesWithoutProviderId }, instances: { find: () => Promise.resolve(described) } } as unknown as Context;
  const conditions = [{ type: 'Launched', status: 'True', lastTransitionTime: recorded }];
  const claim = { metadata: { name: 'c' }, spec: {}, status: { providerID: 'aws:///us-east-1a/i-1', conditions } } as unknown as NodeClaim;
  return (await findAdoptedNode(context, claim))?.metadata.name;
}

test('a Node belongs to an instance by name, address and a report after the launch', async () => {
  expect(await found([adopted({ name: 'other', address: '10.0.0.2' }), adopted()])).toBe(NAME);
  // The time in the claim is from a clock that is four minutes ahead.
  expect(await found([adopted()], {}, '2026-01-01T00:14:00Z')).toBe(NAME);
});

for (const [what, nodes, instance] of [
  ["a predecessor's kubelet reported last", [adopted({ reported: '2026-01-01T00:09:59Z' })], {}],
  ['only the node lifecycle controller wrote', [adopted({ status: 'Unknown' })], {}],
  ["another's address", [adopted({ address: '10.0.0.2' })], {}],
  ["another's name", [adopted({ name: 'node-1' })], {}],
  ["another's provider id", [adopted({ spec: { providerID: 'aws:///us-east-1a/i-0' } })], {}],
  [
    'a cloud controller will set the provider id',
    [adopted({ spec: { taints: [{ key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoSchedule' }] } })],
    {},
  ],
  ['the instance does not run', [adopted()], { State: { Name: 'shutting-down' } }],
  ['EC2 knows of a later launch', [adopted()], { LaunchTime: new Date('2026-01-01T00:12:00Z') }],
] as [string, Node[], Partial<Instance>][]) {
  test(`not recognised: ${what}`, async () => {
    expect(await found(nodes, instance)).toBeUndefined();
  });
}
