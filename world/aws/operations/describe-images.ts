import type { DescribeImagesRequest, DescribeImagesResult, Image } from '@aws-sdk/client-ec2';
import { defined } from '../../../model/defined.ts';
import { ROOT_VOLUME } from '../../../model/root-volume.ts';
import { Ec2Refusal } from '../../../protocols/ec2/refusal.ts';
import { matchFilters, tagAttributes } from '../filters.ts';
import type { Attributes } from '../filters.ts';
import { IMAGE_DATES, nodeImages, snapshotOf } from '../images.ts';
import type { NodeImage } from '../images.ts';
import type { Account } from '../operation.ts';
import { cutPage } from '../pages.ts';

const PAGE = { min: 1, max: 1_000 };
/** Amazon's account that publishes EKS images. */
const OWNER_ID = '602401143452';
const OWNER_ALIAS = 'amazon';

/** The tags of others' images are not visible. */
const tagsOf = (): Readonly<Record<string, string>> => ({});

/** Source of the names: DescribeImages in the API reference. */
const ATTRIBUTES: Attributes<NodeImage> = {
  ...tagAttributes(tagsOf),
  'block-device-mapping.delete-on-termination': ({ volumes }) => volumes.map(() => 'true'),
  'block-device-mapping.device-name': ({ volumes }) => volumes.map(({ device }) => device),
  'block-device-mapping.encrypted': ({ volumes }) => volumes.map(() => 'false'),
  'block-device-mapping.snapshot-id': ({ id, volumes }) => volumes.map(({ device }) => snapshotOf(id, device)),
  'block-device-mapping.volume-size': ({ volumes }) => volumes.map(({ sizeGiB }) => String(sizeGiB)),
  'block-device-mapping.volume-type': ({ volumes }) => volumes.map(({ type }) => type),
  architecture: ({ architecture }) => [architecture],
  'creation-date': () => [IMAGE_DATES.created],
  description: ({ name }) => [name],
  'ena-support': () => ['true'],
  hypervisor: () => ['xen'],
  'image-id': ({ id }) => [id],
  'image-type': () => ['machine'],
  'image-allowed': () => [],
  'is-public': () => ['true'],
  name: ({ name }) => [name],
  'owner-alias': () => [OWNER_ALIAS],
  'owner-id': () => [OWNER_ID],
  platform: () => [],
  'product-code': () => [],
  'root-device-name': () => [ROOT_VOLUME.device],
  'root-device-type': () => ['ebs'],
  state: () => ['available'],
  'virtualization-type': () => ['hvm'],
};

/** Lists Amazon's node images in the order of their ids. The account has no images of its own. */
export function describeImages({ cluster }: Account, request: DescribeImagesRequest): DescribeImagesResult {
  const { ImageIds: ids = [], Owners: owners = [], Filters, MaxResults, NextToken } = request;
  const images = [...nodeImages(cluster)].sort((a, b) => (a.id < b.id ? -1 : 1));
  const missing = ids.find((id) => !images.some((image) => image.id === id));
  if (missing !== undefined) throw new Ec2Refusal('InvalidAMIID.NotFound', `The image id '[${missing}]' does not exist`);
  const isOwned = owners.length === 0 || owners.some((owner) => owner === OWNER_ALIAS || owner === OWNER_ID);
  const matches = matchFilters(Filters, ATTRIBUTES, tagsOf);
  const found = images.filter((image) => isOwned && (ids.length === 0 || ids.includes(image.id)) && matches(image));
  const { items, nextToken } = cutPage(found, ({ id }) => id, { MaxResults, NextToken }, PAGE);
  return { Images: items.map(write), ...defined({ NextToken: nextToken }) };
}

function write({ id, name, architecture, volumes }: NodeImage): Image {
  return {
    ImageId: id,
    Name: name,
    Architecture: architecture,
    CreationDate: IMAGE_DATES.created,
    DeprecationTime: IMAGE_DATES.deprecated,
    BlockDeviceMappings: volumes.map(({ device, sizeGiB, type }) => ({
      DeviceName: device,
      Ebs: { DeleteOnTermination: true, Encrypted: false, SnapshotId: snapshotOf(id, device), VolumeSize: sizeGiB, VolumeType: type },
    })),
    BootMode: architecture === 'arm64' ? 'uefi' : 'uefi-preferred',
    Description: name,
    FreeTierEligible: false,
    ImdsSupport: 'v2.0',
    ProductCodes: [],
    SriovNetSupport: 'simple',
    ImageOwnerAlias: OWNER_ALIAS,
    ImageLocation: `${OWNER_ALIAS}/${name}`,
    OwnerId: OWNER_ID,
    ImageType: 'machine',
    PlatformDetails: 'Linux/UNIX',
    UsageOperation: 'RunInstances',
    Public: true,
    State: 'available',
    RootDeviceName: ROOT_VOLUME.device,
    RootDeviceType: 'ebs',
    EnaSupport: true,
    Hypervisor: 'xen',
    VirtualizationType: 'hvm',
  };
}
