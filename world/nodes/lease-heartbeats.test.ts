import { expect, test } from '@playwright/test';
import type { KubeObject, Node } from '../../model/kube.ts';
import { withParts } from '../testing/world-parts.ts';
import type { Bench } from '../testing/world-parts.ts';
import { LeaseHeartbeats } from './lease-heartbeats.ts';

type Lease = KubeObject & { spec?: { holderIdentity?: string; leaseDurationSeconds?: number; renewTime?: string } };

const LEASES = 'kube-node-lease';
const PERIOD_MS = 10_000;

/** Runs `work` beside the part; a kubelet is alive while `silentSinceMs` has no time for it. */
async function withHeartbeats(work: (bench: Bench, silentSinceMs: Map<string, number>) => Promise<void>): Promise<void> {
  const silentSinceMs = new Map<string, number>();
  await withParts(
    ({ port, clock }) => {
      const lastHeartbeatMs = (name: string): number | undefined =>
        name.startsWith('ours-') ? (silentSinceMs.get(name) ?? clock.nowMs()) : undefined;
      return [new LeaseHeartbeats({ port: port('node'), clock, kubelets: { lastHeartbeatMs, observeNode: () => undefined } })];
    },
    (bench) => work(bench, silentSinceMs),
  );
}

async function renewals({ port }: Bench): Promise<Record<string, string>> {
  const leases = await port.list<Lease>('leases', { namespace: LEASES });
  return Object.fromEntries(leases.map(({ metadata, spec }) => [metadata.name ?? '', spec?.renewTime ?? ''] as const));
}

test('leases are renewed for live kubelets only', async () => {
  await withHeartbeats(async (bench, silentSinceMs) => {
    const { port, clock, until } = bench;
    for (const name of ['ours-living', 'ours-dying', 'others']) await port.create('nodes', { metadata: { name } });
    await until('both have leases', async () => Object.keys(await renewals(bench)).length === 2, 1_000);
    const living = await port.get<Lease>({ resource: 'leases', namespace: LEASES, name: 'ours-living' });
    const node = await port.get({ resource: 'nodes', name: 'ours-living' });
    expect(living?.metadata.ownerReferences).toEqual([
      { apiVersion: 'v1', kind: 'Node', name: 'ours-living', uid: node?.metadata.uid ?? '' },
    ]);
    expect(living?.spec).toMatchObject({ holderIdentity: 'ours-living', leaseDurationSeconds: 40 });
    expect(living?.spec?.renewTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);

    silentSinceMs.set('ours-dying', clock.nowMs());
    const before = await renewals(bench);
    await clock.sleep(3 * PERIOD_MS);
    const after = await renewals(bench);
    const ageMs = (name: string): number => clock.nowMs() - Date.parse(after[name] ?? '');
    expect(ageMs('ours-living')).toBeLessThanOrEqual(PERIOD_MS + 100);
    // At most the one renewal that was due while its last heartbeat was fresh.
    expect(Date.parse(after['ours-dying'] ?? '')).toBeLessThanOrEqual(silentSinceMs.get('ours-dying') ?? 0);
    expect(ageMs('ours-dying')).toBeGreaterThanOrEqual(3 * PERIOD_MS);
    expect(Object.keys(before)).not.toContain('others');

    silentSinceMs.delete('ours-dying');
    await clock.sleep(PERIOD_MS + 100);
    expect(clock.nowMs() - Date.parse((await renewals(bench))['ours-dying'] ?? '')).toBeLessThanOrEqual(PERIOD_MS + 100);
  });
});

test('a new node of the same name gets its own lease', async () => {
  await withHeartbeats(async (bench) => {
    const { port, clock, until } = bench;
    const [node, lease] = [
      { resource: 'nodes', name: 'ours-a' },
      { resource: 'leases', namespace: LEASES, name: 'ours-a' },
    ];
    await port.create('nodes', { metadata: { name: 'ours-a' } });
    await until('it has a lease', async () => (await port.get(lease)) !== undefined, 1_000);
    const first = await port.get<Node>(node);
    await port.delete(node);
    await until('the lease goes with its node', async () => (await port.get(lease)) === undefined, 60_000);
    await clock.sleep(PERIOD_MS);
    const { metadata } = await port.create<Node>('nodes', { metadata: { name: 'ours-a' } });
    expect(metadata.uid).not.toBe(first?.metadata.uid);
    await until('it has one again', async () => (await port.get(lease)) !== undefined, 1_000);
    const again = await port.get<Lease>(lease);
    expect(again?.metadata.ownerReferences?.[0]?.uid).toBe(metadata.uid);
  });
});
