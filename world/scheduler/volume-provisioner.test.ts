import { expect, test } from '@playwright/test';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../model/storage.ts';
import { addNode, addPod, withParts } from '../testing/world-parts.ts';
import type { Bench, PartSite } from '../testing/world-parts.ts';
import { Scheduler } from './scheduler.ts';
import { VolumeProvisioner } from './volume-provisioner.ts';

const parts = ({ port, clock, random }: PartSite): [Scheduler, VolumeProvisioner] => [
  new Scheduler({ port: port('scheduler'), clock, random }),
  new VolumeProvisioner({ port: port('workloads'), clock, random: random.fork('volumes') }),
];
const LONG_MS = 60_000;

const volumesOf = (bench: Bench): Promise<readonly PersistentVolume[]> => bench.port.list<PersistentVolume>('persistentvolumes');

async function addClaim(bench: Bench, name: string, provisioner: string): Promise<void> {
  await bench.port.create<StorageClass>('storageclasses', {
    metadata: { name: `class-of-${name}` },
    provisioner,
    volumeBindingMode: 'WaitForFirstConsumer',
  });
  await bench.port.create<PersistentVolumeClaim>('persistentvolumeclaims', {
    metadata: { name, namespace: 'default' },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: `class-of-${name}`, resources: { requests: { storage: '10Gi' } } },
  });
}

test('a volume is created once its claim has a node, is not bound, and goes when it is released', async () => {
  await withParts(parts, async (bench) => {
    await addNode(bench.port, 'n1', { zone: 'a' });
    await addClaim(bench, 'data', 'ebs.csi.aws.com');
    await bench.clock.sleep(LONG_MS);
    expect(await volumesOf(bench), 'nobody uses the claim').toEqual([]);
    await addPod(bench.port, 'p', { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] });
    await bench.until('the volume exists', async () => (await volumesOf(bench)).length === 1, LONG_MS);
    await bench.clock.sleep(LONG_MS);
    const [volume, ...more] = await volumesOf(bench);
    expect(more).toEqual([]);
    expect(volume).toMatchObject({ spec: { claimRef: { name: 'data' }, csi: { driver: 'ebs.csi.aws.com' } } });
    expect(volume?.status?.phase, 'binding is the work of a volume controller').not.toBe('Bound');
    const ref = { resource: 'persistentvolumes', name: volume?.metadata.name ?? '' };
    await bench.port.patch(ref, { status: { phase: 'Released' } }, 'status');
    await bench.until('it is gone', async () => (await volumesOf(bench)).every(({ metadata }) => metadata.deletionTimestamp), LONG_MS);
  });
});

test('claims of other drivers, and volumes that others created, are left alone', async () => {
  await withParts(parts, async (bench) => {
    await addNode(bench.port, 'n1', { zone: 'a' });
    await addClaim(bench, 'shared', 'efs.csi.aws.com');
    await addPod(bench.port, 'p', { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'shared' } }] });
    await bench.port.create<PersistentVolume>('persistentvolumes', {
      metadata: { name: 'by-hand' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        csi: { driver: 'ebs.csi.aws.com', volumeHandle: 'vol-1' },
        persistentVolumeReclaimPolicy: 'Delete',
      },
    });
    await bench.port.patch({ resource: 'persistentvolumes', name: 'by-hand' }, { status: { phase: 'Released' } }, 'status');
    await bench.clock.sleep(LONG_MS);
    expect((await volumesOf(bench)).map(({ metadata }) => metadata.name)).toEqual(['by-hand']);
  });
});
