import { expect, test } from '@playwright/test';
import type { KubeObject } from '../../model/kube.ts';
import type { ClusterPort } from '../ports.ts';
import { Kubelets } from './kubelets.ts';
import { NODE, NODE_AT, REGISTERED_MS } from './testing/kubelets.ts';
import { NodeLeases, renewed } from './node-leases.ts';
import { M6I_LARGE, addNode, withParts } from '../testing/world-parts.ts';
import type { Bench } from '../testing/world-parts.ts';

type Lease = KubeObject & { spec?: { holderIdentity?: string; leaseDurationSeconds?: number; renewTime?: string } };

/** The garbage collector needs less. */
const COLLECTED_MS = 2_000;
const RENEW_MS = 10_000;

function find(port: ClusterPort): Promise<Lease | undefined> {
  return port.get<Lease>({ resource: 'leases', namespace: 'kube-node-lease', name: NODE });
}

/** Runs `work` with one machine and its lease. @param work gets a function that returns the lease's last renewal as clients see it */
async function withLease(
  work: (bench: Bench, renewedMs: () => Promise<number>) => Promise<void>,
  before: (bench: Bench) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  let kubelets: Kubelets | undefined;
  await withParts(
    ({ port, clock, random, instances }) => {
      kubelets = new Kubelets({
        port: port('node'),
        instances,
        clock,
        random,
        onNeverRegisters: () => undefined,
        clusterName: 'test',
        securityGroupId: 'sg-test',
        instanceType: () => M6I_LARGE,
      });
      return [kubelets, new NodeLeases({ port: port('node'), clock, kubelets })];
    },
    async (bench) => {
      await before(bench);
      bench.instances.set('i-1', {});
      await bench.until('the lease is there', async () => (await find(bench.port)) !== undefined, REGISTERED_MS);
      await work(bench, async () => {
        const lease = await find(bench.port);
        if (lease === undefined || kubelets === undefined) throw new Error('there is no lease');
        return Date.parse(renewed(lease, kubelets).spec?.renewTime ?? '');
      });
    },
  );
}

test('a registered node has a lease, which is renewed without writes and deleted with the node', async () => {
  await withLease(async (bench, renewedMs) => {
    const lease = await find(bench.port);
    const node = await bench.node(NODE);
    expect(lease?.spec).toMatchObject({ holderIdentity: NODE, leaseDurationSeconds: 40 });
    expect(lease?.spec?.renewTime).toMatch(/\.\d{6}Z$/);
    expect(lease?.metadata.ownerReferences).toEqual([{ apiVersion: 'v1', kind: 'Node', name: NODE, uid: node?.metadata.uid }]);
    for (let look = 0; look < 3; look += 1) {
      await bench.clock.sleep(60_000);
      expect(bench.clock.nowMs() - (await renewedMs())).toBeLessThan(RENEW_MS);
    }
    expect((await find(bench.port))?.metadata.resourceVersion).toBe(lease?.metadata.resourceVersion);
    await bench.port.delete(NODE_AT);
    await bench.until('the lease goes', async () => (await find(bench.port)) === undefined, COLLECTED_MS);
    await bench.clock.sleep(60_000);
    expect(await find(bench.port), 'a kubelet creates none without its node').toBeUndefined();
  });
});

test('the lease of a dead kubelet is not renewed', async () => {
  await withLease(async (bench, renewedMs) => {
    bench.instances.set('i-1', { state: 'terminated' });
    const diedMs = bench.clock.nowMs();
    await bench.clock.sleep(120_000);
    expect(await renewedMs()).toBeLessThanOrEqual(diedMs);
  });
});

test('while the lease of a predecessor exists, the node waits, and gets its own once that is collected', async () => {
  const elder = { resource: 'nodes', name: 'elder' };
  const inherit = async ({ port }: Bench): Promise<void> => {
    await addNode(port, elder.name);
    const uid = (await port.get(elder))?.metadata.uid ?? '';
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: elder.name, uid }];
    await port.create('leases', { metadata: { name: NODE, namespace: 'kube-node-lease', ownerReferences } });
  };
  await withLease(async (bench) => {
    await bench.until('the node registers', async () => (await bench.node(NODE)) !== undefined, REGISTERED_MS);
    const owner = (await bench.node(NODE))?.metadata.uid;
    await bench.clock.sleep(3 * RENEW_MS);
    expect((await find(bench.port))?.metadata.ownerReferences?.[0]?.uid).not.toBe(owner);
    await bench.port.delete(elder);
    const isIts = async (): Promise<boolean> => (await find(bench.port))?.metadata.ownerReferences?.[0]?.uid === owner;
    await bench.until('it has its own lease', isIts, COLLECTED_MS + RENEW_MS);
  }, inherit);
});

test('other leases are not changed', () => {
  const heartbeats = { lastHeartbeatMs: () => 1 };
  for (const lease of [
    { metadata: { namespace: 'kube-system', name: NODE }, spec: { holderIdentity: NODE, renewTime: 'then' } },
    { metadata: { namespace: 'kube-node-lease', name: NODE }, spec: { holderIdentity: 'somebody', renewTime: 'then' } },
  ]) {
    expect(renewed(lease, heartbeats)).toBe(lease);
  }
});
