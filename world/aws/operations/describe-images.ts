import type { DescribeImagesRequest, DescribeImagesResult, Image } from '@aws-sdk/client-ec2';
import { Ec2Refusal } from '../../../protocols/ec2/refusal.ts';
import { matchFilters } from '../filters.ts';
import type { Attributes } from '../filters.ts';
import type { Account } from '../operation.ts';

/** When the images were made: what picks the newest needs a date. */
const CREATION_DATE = '2026-01-05T00:00:00.000Z';
const OWNER_ID = '602401143452';

interface Listed {
  readonly id: string;
  readonly architecture: 'x86_64' | 'arm64';
}

const ATTRIBUTES: Attributes<Listed> = {
  architecture: ({ architecture }) => [architecture],
  'image-id': ({ id }) => [id],
  name: (image) => [nameOf(image)],
  'owner-alias': () => ['amazon'],
  'owner-id': () => [OWNER_ID],
  state: () => ['available'],
};

/** Lists the cluster's images, one an architecture, in the order of their ids. Whoever may ask: `Owners` is not looked at. */
export function describeImages({ cluster }: Account, { ImageIds: ids = [], Filters }: DescribeImagesRequest): DescribeImagesResult {
  const images = (['arm64', 'x86_64'] as const)
    .map((architecture) => ({ id: cluster.imageIds[architecture], architecture }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const missing = ids.find((id) => !images.some((image) => image.id === id));
  if (missing !== undefined) throw new Ec2Refusal('InvalidAMIID.NotFound', `The image id '[${missing}]' does not exist`);
  const matches = matchFilters(Filters, ATTRIBUTES);
  return { Images: images.filter((image) => (ids.length === 0 || ids.includes(image.id)) && matches(image)).map(write) };
}

function nameOf({ architecture }: Listed): string {
  return `amazon-eks-node-al2023-${architecture}-standard-1.34-v20260105`;
}

function write(image: Listed): Image {
  return {
    ImageId: image.id,
    Name: nameOf(image),
    Architecture: image.architecture,
    CreationDate: CREATION_DATE,
    ImageOwnerAlias: 'amazon',
    OwnerId: OWNER_ID,
    ImageType: 'machine',
    Public: true,
    State: 'available',
    RootDeviceName: '/dev/xvda',
    RootDeviceType: 'ebs',
    EnaSupport: true,
    Hypervisor: 'xen',
    VirtualizationType: 'hvm',
  };
}
