import type { DescribeVolumesRequest, DescribeVolumesResult, Volume as SdkVolume } from '@aws-sdk/client-ec2';
import { defined } from '../../../model/defined.ts';
import { Ec2Refusal } from '../../../protocols/ec2/refusal.ts';
import type { Caller } from '../../../wire/backend.ts';
import { described, matchFilters, tagAttributes } from '../filters.ts';
import type { Attributes } from '../filters.ts';
import type { InstanceRecord } from '../instances.ts';
import type { Account } from '../operation.ts';
import { cutPage } from '../pages.ts';
import { writeTags } from '../tags.ts';
import type { Tags } from '../tags.ts';
import { volumesOf } from '../volumes.ts';
import type { Volume } from '../volumes.ts';
import { zoneIdOf } from '../zones.ts';
import { wholeSecond } from '../times.ts';

const PAGE = { min: 5, max: 1_000 };

const tagsOf = ({ Tags: tags = [] }: SdkVolume): Tags => Object.fromEntries(tags.map(({ Key = '', Value = '' }) => [Key, Value]));

/** Source of the names: DescribeVolumes in the API reference. */
const ATTRIBUTES: Attributes<SdkVolume> = {
  ...tagAttributes(tagsOf),
  ...described<SdkVolume, SdkVolume>(
    {
      'attachment.attach-time': ({ Attachments = [] }) => Attachments.map(({ AttachTime }) => AttachTime),
      'attachment.delete-on-termination': ({ Attachments = [] }) => Attachments.map((one) => one.DeleteOnTermination),
      'attachment.device': ({ Attachments = [] }) => Attachments.map(({ Device }) => Device),
      'attachment.instance-id': ({ Attachments = [] }) => Attachments.map(({ InstanceId }) => InstanceId),
      'attachment.status': ({ Attachments = [] }) => Attachments.map(({ State }) => State),
      'availability-zone': (one) => [one.AvailabilityZone],
      'availability-zone-id': (one) => [one.AvailabilityZoneId],
      'create-time': (one) => [one.CreateTime],
      encrypted: (one) => [one.Encrypted],
      'fast-restored': () => [],
      'multi-attach-enabled': (one) => [one.MultiAttachEnabled],
      'operator.managed': (one) => [one.Operator?.Managed],
      'operator.principal': () => [],
      size: (one) => [one.Size],
      'snapshot-id': (one) => [one.SnapshotId],
      status: (one) => [one.State],
      'volume-id': (one) => [one.VolumeId],
      'volume-type': (one) => [one.VolumeType],
    },
    (one) => one,
  ),
};

/** Lists the volumes of instances in the order of their ids. */
export function describeVolumes(account: Account, request: DescribeVolumesRequest, { span }: Caller): DescribeVolumesResult {
  const { VolumeIds: ids = [], Filters, MaxResults, NextToken } = request;
  if (ids.length > 0 && MaxResults !== undefined) {
    throw new Ec2Refusal('InvalidParameterCombination', 'The parameter volumeSet cannot be used with the parameter maxResults');
  }
  const malformed = ids.find((id) => !id.startsWith('vol-'));
  if (malformed !== undefined) {
    throw new Ec2Refusal('InvalidParameterValue', `Value (${malformed}) for parameter volumes is invalid. Expected: 'vol-...'.`);
  }
  const all = account.instances.readAll(span).flatMap((record) => volumesOf(account, record).flatMap((one) => write(record, one)));
  const missing = ids.find((id) => !all.some(({ VolumeId }) => VolumeId === id));
  if (missing !== undefined) throw new Ec2Refusal('InvalidVolume.NotFound', `The volume '${missing}' does not exist.`);
  const matches = matchFilters(Filters, ATTRIBUTES, tagsOf);
  const found = all.filter((one) => (ids.length === 0 || ids.includes(idOf(one))) && matches(one));
  const sorted = found.sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
  const { items, nextToken } = cutPage(sorted, idOf, { MaxResults, NextToken }, PAGE);
  return { Volumes: [...items], ...defined({ NextToken: nextToken }) };
}

function idOf({ VolumeId: id = '' }: SdkVolume): string {
  return id;
}

/** One that is not deleted with its instance is available as long as that is still listed. */
function write(record: InstanceRecord, volume: Volume): SdkVolume[] {
  const isOver = record.state === 'terminated';
  if (isOver && volume.isTemporary) return [];
  const attachment = {
    VolumeId: volume.id,
    InstanceId: record.id,
    Device: volume.device,
    State: record.state === 'pending' ? ('attaching' as const) : ('attached' as const),
    AttachTime: wholeSecond(record.launchedAtMs),
    DeleteOnTermination: volume.isTemporary,
  };
  return [
    {
      VolumeId: volume.id,
      Size: volume.sizeGiB,
      SnapshotId: volume.snapshotId ?? '',
      AvailabilityZone: record.zone,
      AvailabilityZoneId: zoneIdOf(record.zone),
      State: isOver ? 'available' : 'in-use',
      CreateTime: new Date(record.launchedAtMs),
      Attachments: isOver ? [] : [attachment],
      Encrypted: volume.isEncrypted,
      ...defined({ KmsKeyId: volume.kmsKeyId, Iops: volume.iops, Throughput: volume.throughput }),
      Tags: writeTags(record.partTags.volume ?? {}),
      VolumeType: volume.type,
      MultiAttachEnabled: false,
      Operator: { Managed: false },
    },
  ];
}
