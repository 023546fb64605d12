import type { InstanceType } from '../../model/catalogue.ts';
import type { ClusterConfig } from '../../model/cluster.ts';
import { Ec2Refusal } from '../../protocols/ec2/refusal.ts';

/** Why a type can't run an image: it needs one that exists, of its own architecture. */
export function imageProblem({ imageIds }: ClusterConfig, imageId: string | undefined, type: InstanceType): Ec2Refusal | undefined {
  const architecture = (['x86_64', 'arm64'] as const).find((one) => imageIds[one] === imageId);
  if (architecture === type.architecture) return undefined;
  if (architecture === undefined) return new Ec2Refusal('InvalidAMIID.NotFound', `The image id '[${imageId ?? ''}]' does not exist`);
  return new Ec2Refusal(
    'InvalidParameterValue',
    `The architecture '${type.architecture}' of the specified instance type does not match the architecture '${architecture}' of the specified AMI. Specify an instance type and an AMI that have matching architectures, and try again.`,
  );
}
