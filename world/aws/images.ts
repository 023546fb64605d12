import type { VolumeType } from '@aws-sdk/client-ec2';
import type { InstanceType } from '../../model/catalogue.ts';
import type { ClusterConfig } from '../../model/cluster.ts';
import { ROOT_VOLUME } from '../../model/root-volume.ts';
import { Ec2Refusal } from '../../protocols/ec2/refusal.ts';
import { derivedId, digestOf } from './ids.ts';
import { KUBERNETES_MINOR } from './kubernetes-version.ts';

type Architecture = InstanceType['architecture'];

/** One of Amazon's public node images. */
export interface NodeImage {
  readonly id: string;
  readonly name: string;
  readonly architecture: Architecture;
  readonly volumes: readonly ImageVolume[];
  /** The public SSM parameters whose value it is. */
  readonly parameters: readonly string[];
}

/** A volume that an instance gets from its image. */
export interface ImageVolume {
  readonly device: string;
  readonly sizeGiB: number;
  readonly type: VolumeType;
}

/** Source: `template.json` of amazon-eks-ami. */
const AL2023_VOLUMES: readonly ImageVolume[] = [{ ...ROOT_VOLUME, type: 'gp3' }];
/** The second one holds images and pods. Source: "Bottlerocket's block devices" in its FAQ. */
const BOTTLEROCKET_VOLUMES: readonly ImageVolume[] = [
  { device: '/dev/xvda', sizeGiB: 2, type: 'gp2' },
  { device: '/dev/xvdb', sizeGiB: 20, type: 'gp2' },
];

/** Dates that all images share. */
export const IMAGE_DATES = { created: '2026-01-05T00:00:00.000Z', deprecated: '2028-01-05T00:00:00.000Z' } as const;
const AL2023_VERSION = 'v20260105';
const BOTTLEROCKET_VERSION = '1.52.0';
/** Length of an image id after `ami-`. */
const ID_LENGTH = 17;

/** The variants of each image family. Source: the parameters in the EKS user guide and in Bottlerocket's documentation. */
const AL2023 = [
  ['x86_64', 'standard'],
  ['x86_64', 'nvidia'],
  ['x86_64', 'neuron'],
  ['arm64', 'standard'],
  ['arm64', 'nvidia'],
] as const;
const BOTTLEROCKET = [
  ['x86_64', ''],
  ['x86_64', '-nvidia'],
  ['arm64', ''],
  ['arm64', '-nvidia'],
] as const;

/**
 * The images for the cluster's version of Kubernetes, of Amazon Linux 2023 and Bottlerocket: Amazon Linux 2 has none from 1.33 on.
 * The configured ones are Amazon Linux 2023's standard images; the ids of the others are derived from theirs.
 */
export function nodeImages({ imageIds }: Pick<ClusterConfig, 'imageIds'>): readonly NodeImage[] {
  const idOf = (architecture: Architecture, name: string): string =>
    `ami-${digestOf(`${imageIds[architecture]} ${name}`).slice(0, ID_LENGTH)}`;
  return [
    ...AL2023.map(([architecture, variant]): NodeImage => {
      const name = `amazon-eks-node-al2023-${architecture}-${variant}-${KUBERNETES_MINOR}-${AL2023_VERSION}`;
      const path = `/aws/service/eks/optimized-ami/${KUBERNETES_MINOR}/amazon-linux-2023/${architecture}/${variant}`;
      return {
        id: variant === 'standard' ? imageIds[architecture] : idOf(architecture, name),
        name,
        architecture,
        volumes: AL2023_VOLUMES,
        parameters: ['recommended', name].map((last) => `${path}/${last}/image_id`),
      };
    }),
    ...BOTTLEROCKET.map(([architecture, variant]): NodeImage => {
      const name = `bottlerocket-aws-k8s-${KUBERNETES_MINOR}${variant}-${architecture}-v${BOTTLEROCKET_VERSION}`;
      const path = `/aws/service/bottlerocket/aws-k8s-${KUBERNETES_MINOR}${variant}/${architecture}`;
      return {
        id: idOf(architecture, name),
        name,
        architecture,
        volumes: BOTTLEROCKET_VOLUMES,
        parameters: ['latest', BOTTLEROCKET_VERSION].map((version) => `${path}/${version}/image_id`),
      };
    }),
  ];
}

/** The volumes of an image; of an image that is not listed, those of Amazon Linux 2023. */
export function imageVolumes(cluster: Pick<ClusterConfig, 'imageIds'>, imageId: string): readonly ImageVolume[] {
  // Nearly all instances run a configured image: then the others need not be computed.
  if (Object.values(cluster.imageIds).includes(imageId)) return AL2023_VOLUMES;
  return nodeImages(cluster).find(({ id }) => id === imageId)?.volumes ?? AL2023_VOLUMES;
}

/** The snapshot of one of an image's volumes. */
export function snapshotOf(imageId: string, device: string): string {
  return derivedId('snap', `${imageId} ${device}`);
}

/** Why a type can't run an image: the image must exist and have the type's architecture. */
export function imageProblem(cluster: ClusterConfig, imageId: string | undefined, type: InstanceType): Ec2Refusal | undefined {
  // Most launches name a configured image: then the others need not be computed.
  const configured = (['x86_64', 'arm64'] as const).find((one) => cluster.imageIds[one] === imageId);
  const architecture = configured ?? nodeImages(cluster).find(({ id }) => id === imageId)?.architecture;
  if (architecture === type.architecture) return undefined;
  if (architecture === undefined) return new Ec2Refusal('InvalidAMIID.NotFound', `The image id '[${imageId ?? ''}]' does not exist`);
  return new Ec2Refusal(
    'InvalidParameterValue',
    `The architecture '${type.architecture}' of the specified instance type does not match the architecture '${architecture}' of the specified AMI. Specify an instance type and an AMI that have matching architectures, and try again.`,
  );
}
