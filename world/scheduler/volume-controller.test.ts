import { expect, test } from '@playwright/test';
import { LABEL } from '../../model/kube.ts';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../model/storage.ts';
import { addNode, addPod, conditionIn, withParts } from '../testing/world-parts.ts';
import type { Bench, PartSite } from '../testing/world-parts.ts';
import { Scheduler } from './scheduler.ts';
import { VolumeController } from './volume-controller.ts';

const parts = ({ port, clock, random }: PartSite): [Scheduler, VolumeController] => [
  new Scheduler({ port: port('scheduler'), clock, random }),
  new VolumeController({ port: port('workloads'), clock, random: random.fork('volumes') }),
];
const CLAIM = { resource: 'persistentvolumeclaims', namespace: 'default', name: 'data' } as const;
const LONG_MS = 60_000;

async function addClaim(bench: Bench, volumeBindingMode: StorageClass['volumeBindingMode']): Promise<void> {
  await bench.port.create<StorageClass>('storageclasses', { metadata: { name: 'gp3' }, provisioner: 'ebs.csi.aws.com', volumeBindingMode });
  await bench.port.create<PersistentVolumeClaim>('persistentvolumeclaims', {
    metadata: { name: 'data', namespace: 'default' },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'gp3', resources: { requests: { storage: '10Gi' } } },
  });
}
const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
const nodeOf = async (bench: Bench, name: string): Promise<string | undefined> => (await bench.pod(name))?.spec.nodeName;

test('a claim that waits for its first consumer is bound in the zone of the chosen node, and keeps pods there', async () => {
  await withParts(parts, async (bench) => {
    await addNode(bench.port, 'n1', { zone: 'a', cpu: '1' });
    await addNode(bench.port, 'n2', { zone: 'b', cpu: '4' });
    await addClaim(bench, 'WaitForFirstConsumer');
    await bench.clock.sleep(LONG_MS);
    expect((await bench.port.get<PersistentVolumeClaim>(CLAIM))?.status?.phase).toBe('Pending');
    await addPod(bench.port, 'first', { cpu: '2', volumes });
    await bench.until('first is bound', async () => (await nodeOf(bench, 'first')) === 'n2', LONG_MS);
    const claim = await bench.port.get<PersistentVolumeClaim>(CLAIM);
    expect(claim?.status?.phase).toBe('Bound');
    const volume = await bench.port.get<PersistentVolume>({ resource: 'persistentvolumes', name: claim?.spec.volumeName ?? '' });
    expect(volume?.spec.nodeAffinity?.required?.nodeSelectorTerms).toEqual([
      { matchExpressions: [{ key: LABEL.zone, operator: 'In', values: ['b'] }] },
    ]);
    await bench.port.delete({ resource: 'pods', namespace: 'default', name: 'first' }, { gracePeriodSeconds: 0 });
    await bench.port.patch({ resource: 'nodes', name: 'n2' }, { spec: { unschedulable: true } });
    await bench.clock.sleep(100);
    await addPod(bench.port, 'second', { cpu: '100m', volumes });
    await bench.until('second waits', async () => conditionIn(await bench.pod('second'), 'PodScheduled')?.status === 'False', LONG_MS);
    expect(conditionIn(await bench.pod('second'), 'PodScheduled')?.message).toContain(
      "0/2 nodes are available: 1 node(s) didn't match PersistentVolume's node affinity, 1 node(s) were unschedulable.",
    );
  });
});

test('a pod waits until its claim exists and an immediate class has bound it', async () => {
  await withParts(parts, async (bench) => {
    await addNode(bench.port, 'n1', { zone: 'a' });
    await addPod(bench.port, 'p', { volumes });
    await bench.until('p waits', async () => conditionIn(await bench.pod('p'), 'PodScheduled')?.status === 'False', LONG_MS);
    expect(conditionIn(await bench.pod('p'), 'PodScheduled')?.message).toBe(
      '0/1 nodes are available: persistentvolumeclaim "data" not found. not found',
    );
    await addClaim(bench, 'Immediate');
    await bench.until('p is bound', async () => (await nodeOf(bench, 'p')) === 'n1', LONG_MS);
  });
});

test('a claim in use stays until its pod is gone, and its volume is deleted with it', async () => {
  await withParts(parts, async (bench) => {
    await addNode(bench.port, 'n1', { zone: 'a' });
    await addClaim(bench, 'WaitForFirstConsumer');
    await addPod(bench.port, 'p', { volumes });
    await bench.until('p is bound', async () => (await nodeOf(bench, 'p')) === 'n1', LONG_MS);
    await bench.port.delete(CLAIM);
    await bench.clock.sleep(LONG_MS);
    expect(await bench.port.get(CLAIM)).toBeDefined();
    await bench.port.delete({ resource: 'pods', namespace: 'default', name: 'p' }, { gracePeriodSeconds: 0 });
    await bench.until('the claim is gone', async () => (await bench.port.get(CLAIM)) === undefined, LONG_MS);
    await bench.until('the volume is gone', async () => (await bench.port.list('persistentvolumes')).length === 0, LONG_MS);
  });
});

test('a volume without a claim is available, and is gone once it is deleted', async () => {
  await withParts(parts, async (bench) => {
    await bench.port.create<PersistentVolume>('persistentvolumes', {
      metadata: { name: 'disk' },
      spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, csi: { driver: 'ebs.csi.aws.com', volumeHandle: 'vol-1' } },
    });
    const ref = { resource: 'persistentvolumes', name: 'disk' } as const;
    await bench.until('it is available', async () => (await bench.port.get<PersistentVolume>(ref))?.status?.phase === 'Available', LONG_MS);
    await bench.port.delete(ref);
    await bench.until('it is gone', async () => (await bench.port.get(ref)) === undefined, LONG_MS);
  });
});
