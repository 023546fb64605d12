import type { CreateFleetCommandInput } from '@aws-sdk/client-ec2';
import { Ec2Error } from '../../clients/ec2-client.ts';
import type { Ec2Client } from '../../clients/ec2-client.ts';
import type { ClusterConfig } from '../../model/cluster.ts';
import { architectureOf } from './groups.ts';
import type { Group } from './groups.ts';

/** Which group an instance belongs to: the only record of it. */
export const GROUP_TAG = 'plain-autoscaler/group';
/** The same on its node. */
const GROUP_LABEL = 'plain-autoscaler/group';

/** Creates the group's launch template unless it is there. */
export async function ensureLaunchTemplate(ec2: Ec2Client, group: Group, cluster: ClusterConfig): Promise<void> {
  const name = templateName(group);
  try {
    await ec2.createLaunchTemplate({
      LaunchTemplateName: name,
      ClientToken: name.slice(0, 64),
      LaunchTemplateData: {
        ImageId: cluster.imageIds[architectureOf(group.instanceType) === 'arm64' ? 'arm64' : 'x86_64'],
        UserData: Buffer.from(nodeConfig(group, cluster)).toString('base64'),
        NetworkInterfaces: [{ DeviceIndex: 0, Groups: [cluster.securityGroupId] }],
      },
    });
  } catch (error) {
    if (!(error instanceof Ec2Error && error.code === 'InvalidLaunchTemplateName.AlreadyExistsException')) throw error;
  }
}

/** Deletes the group's launch template if it is there. */
export async function deleteLaunchTemplate(ec2: Ec2Client, group: Group): Promise<void> {
  await ec2.deleteLaunchTemplate(templateName(group)).catch((error: unknown) => {
    if (!(error instanceof Ec2Error && error.code === 'InvalidLaunchTemplateName.NotFoundException')) throw error;
  });
}

/** Launches instances of the group. Returns EC2's reasons for those that could not be had. */
export async function launch(
  ec2: Ec2Client,
  options: { readonly group: Group; readonly count: number; readonly cluster: ClusterConfig; readonly token: string },
): Promise<string[]> {
  const { group, count, cluster, token } = options;
  const input: CreateFleetCommandInput & { ClientToken: string } = {
    Type: 'instant',
    ClientToken: token,
    LaunchTemplateConfigs: [
      {
        LaunchTemplateSpecification: { LaunchTemplateName: templateName(group), Version: '$Latest' },
        Overrides: [{ InstanceType: group.instanceType as never, SubnetId: cluster.subnets[group.zone] ?? '' }],
      },
    ],
    TargetCapacitySpecification: { TotalTargetCapacity: count, DefaultTargetCapacityType: 'on-demand' },
    OnDemandOptions: { AllocationStrategy: 'lowest-price' },
    TagSpecifications: [
      {
        ResourceType: 'instance',
        Tags: [
          { Key: GROUP_TAG, Value: group.name },
          { Key: `kubernetes.io/cluster/${cluster.name}`, Value: 'owned' },
        ],
      },
    ],
  };
  const { Errors = [] } = await ec2.createFleet(input);
  return Errors.map(({ ErrorCode, ErrorMessage }) => `${ErrorCode ?? 'unknown'}: ${ErrorMessage ?? ''}`);
}

function templateName(group: Group): string {
  return `plain-${group.name}`;
}

/** AL2023's configuration of a node. */
function nodeConfig(group: Group, cluster: ClusterConfig): string {
  const labels = Object.entries({ ...group.labels, [GROUP_LABEL]: group.name }).map(([key, value]) => `${key}=${value}`);
  return JSON.stringify({
    apiVersion: 'node.eks.aws/v1alpha1',
    kind: 'NodeConfig',
    spec: {
      cluster: { name: cluster.name },
      kubelet: { config: { registerWithTaints: group.taints }, flags: [`--node-labels=${labels.join(',')}`] },
    },
  });
}
