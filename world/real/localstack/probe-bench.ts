import {
  CreateLaunchTemplateCommand,
  CreateSecurityGroupCommand,
  DescribeInstancesCommand,
  RunInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import type { Instance, RunInstancesCommandInput } from '@aws-sdk/client-ec2';
import type { Ec2Commands } from '../../../clients/aws-commands.ts';
import { Ec2Error } from '../../../clients/ec2-client.ts';
import { createNetwork, removeNetwork } from './network.ts';
import type { CreatedNetwork } from './network.ts';

const IMAGE = 'ami-0123456789abcdef0';
const CIDR = '10.0.0.0/20';

/** An account for probes. */
export class ProbeBench {
  readonly ec2: Ec2Commands;
  readonly subnetId: string;
  readonly securityGroupId: string;
  readonly templateId: string;
  readonly #network: CreatedNetwork;

  private constructor(parts: { ec2: Ec2Commands; network: CreatedNetwork; subnetId: string; securityGroupId: string; templateId: string }) {
    this.ec2 = parts.ec2;
    this.subnetId = parts.subnetId;
    this.securityGroupId = parts.securityGroupId;
    this.templateId = parts.templateId;
    this.#network = parts.network;
  }

  static async open(ec2: Ec2Commands, region: string): Promise<ProbeBench> {
    const network = await createNetwork(ec2, [{ id: 'probe', zone: `${region}a`, cidr: CIDR, index: 0 }]);
    const subnetId = network.subnets.get('probe') ?? '';
    const group = new CreateSecurityGroupCommand({ GroupName: 'probe', Description: 'probe', VpcId: network.vpcId });
    const { GroupId: securityGroupId = '' } = await ec2.send(group);
    const data = { ImageId: IMAGE, SecurityGroupIds: [securityGroupId] };
    const { LaunchTemplate: template } = await ec2.send(
      new CreateLaunchTemplateCommand({ LaunchTemplateName: 'probe', LaunchTemplateData: data }),
    );
    return new ProbeBench({ ec2, network, subnetId, securityGroupId, templateId: template?.LaunchTemplateId ?? '' });
  }

  /** Launches with RunInstances, by default one m5.large. */
  async run(input: Partial<RunInstancesCommandInput> = {}): Promise<Instance[]> {
    const { Instances = [] } = await this.ec2.send(
      new RunInstancesCommand({
        ImageId: IMAGE,
        InstanceType: 'm5.large',
        MinCount: 1,
        MaxCount: 1,
        ...(input.LaunchTemplate === undefined && input.NetworkInterfaces === undefined ? { SubnetId: this.subnetId } : {}),
        ...input,
      }),
    );
    return Instances;
  }

  /** All instances ever launched, in no order. */
  async all(): Promise<Instance[]> {
    const { Reservations = [] } = await this.ec2.send(new DescribeInstancesCommand({}));
    return Reservations.flatMap(({ Instances = [] }) => Instances);
  }

  async living(): Promise<Instance[]> {
    return (await this.all()).filter(({ State }) => State?.Name !== 'terminated' && State?.Name !== 'shutting-down');
  }

  /** Terminates everything that runs. */
  async clear(): Promise<void> {
    const ids = (await this.living()).flatMap(({ InstanceId }) => InstanceId ?? []);
    if (ids.length > 0) await this.ec2.send(new TerminateInstancesCommand({ InstanceIds: ids }));
  }

  /** Removes everything that can be removed: what EC2 does not release yet stays. */
  async close(): Promise<void> {
    await this.clear();
    await codeOf(removeNetwork(this.ec2, this.#network));
  }
}

/** EC2's code and status of a refusal, e.g. `DryRunOperation 412`; undefined if it succeeded. */
export async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof Ec2Error) return `${error.code} ${error.status}`;
    throw error;
  }
}
