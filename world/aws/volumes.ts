import type { EbsBlockDevice, InstanceBlockDeviceMapping, VolumeType } from '@aws-sdk/client-ec2';
import { derivedId } from './ids.ts';
import { imageVolumes, snapshotOf } from './images.ts';
import type { ImageVolume } from './images.ts';
import type { InstanceRecord } from './instances.ts';
import type { Account } from './operation.ts';
import { wholeSecond } from './times.ts';

/** A volume of an instance. */
export interface Volume {
  readonly id: string;
  readonly device: string;
  readonly sizeGiB: number;
  readonly type: VolumeType;
  readonly iops: number | undefined;
  readonly throughput: number | undefined;
  readonly isEncrypted: boolean;
  readonly kmsKeyId: string | undefined;
  readonly snapshotId: string | undefined;
  /** It is deleted when its instance is terminated. */
  readonly isTemporary: boolean;
}

/** Source: "General Purpose SSD volumes" of the EBS user guide. */
const GP3 = { iops: 3_000, throughput: 125 } as const;
const GP2 = { iopsPerGiB: 3, minIops: 100, maxIops: 16_000 } as const;
/** What EC2 creates for a device that is not the image's, unless the request says otherwise. Source: EbsBlockDevice. */
const DEFAULT_TYPE: VolumeType = 'gp2';

/**
 * The volumes that an instance was launched with: those of its image as its launch changes them, then those that only its launch
 * names. Their ids follow from the instance's. Instance store devices are none. Volumes that the image does not have stay when
 * the instance is terminated, unless the launch says otherwise. Source: "Preserve data when an instance is terminated".
 */
export function volumesOf({ cluster }: Pick<Account, 'cluster'>, { id, imageId, template }: InstanceRecord): readonly Volume[] {
  const ofImage = imageVolumes(cluster, imageId);
  const mappings = new Map<string, EbsBlockDevice | undefined>(ofImage.map(({ device }) => [device, {}]));
  for (const { DeviceName: device = '', NoDevice, Ebs } of template.BlockDeviceMappings ?? []) {
    if (NoDevice !== undefined) mappings.delete(device);
    else mappings.set(device, Ebs);
  }
  return [...mappings].flatMap(([device, ebs]) => {
    const own = ofImage.find((one) => one.device === device);
    return ebs === undefined ? [] : [volumeOf(`${id} ${device}`, device, ebs, own && { ...own, snapshotId: snapshotOf(imageId, device) })];
  });
}

function volumeOf(
  name: string,
  device: string,
  ebs: EbsBlockDevice,
  ofImage: (ImageVolume & { readonly snapshotId: string }) | undefined,
): Volume {
  const sizeGiB = ebs.VolumeSize ?? ofImage?.sizeGiB ?? 1;
  const type = ebs.VolumeType ?? ofImage?.type ?? DEFAULT_TYPE;
  return {
    id: derivedId('vol', name),
    device,
    sizeGiB,
    type,
    iops: ebs.Iops ?? iopsOf(type, sizeGiB),
    throughput: ebs.Throughput ?? (type === 'gp3' ? GP3.throughput : undefined),
    isEncrypted: ebs.Encrypted ?? false,
    kmsKeyId: ebs.KmsKeyId,
    snapshotId: ebs.SnapshotId ?? ofImage?.snapshotId,
    isTemporary: ebs.DeleteOnTermination ?? ofImage !== undefined,
  };
}

function iopsOf(type: VolumeType, sizeGiB: number): number | undefined {
  if (type === 'gp3') return GP3.iops;
  if (type === 'gp2') return Math.min(Math.max(GP2.iopsPerGiB * sizeGiB, GP2.minIops), GP2.maxIops);
  return undefined;
}

/** The volumes as descriptions of their instance show them. A terminated instance has none. */
export function writeMappings(account: Pick<Account, 'cluster'>, record: InstanceRecord): InstanceBlockDeviceMapping[] {
  if (record.state === 'terminated') return [];
  return volumesOf(account, record).map(({ id, device, isTemporary }) => ({
    DeviceName: device,
    Ebs: {
      AttachTime: wholeSecond(record.launchedAtMs),
      DeleteOnTermination: isTemporary,
      Status: record.state === 'pending' ? 'attaching' : 'attached',
      VolumeId: id,
    },
  }));
}
