import { CreateSubnetCommand, CreateVpcCommand, DeleteSubnetCommand, DeleteVpcCommand } from '@aws-sdk/client-ec2';
import type { Ec2Commands } from '../../../clients/aws-commands.ts';
import type { Subnet } from '../../aws/network.ts';
import { LocalStackError } from './endpoint.ts';

/** Contains all subnets of a cluster (`subnetsOf`). */
const VPC_CIDR = '10.0.0.0/16';

/** The network of an account. */
export interface CreatedNetwork {
  readonly vpcId: string;
  /** The account's subnet ids, by the cluster's subnet ids. */
  readonly subnets: ReadonlyMap<string, string>;
}

/** Creates a VPC with a subnet for each of the cluster's, in the same zone and with the same addresses. */
export async function createNetwork(ec2: Ec2Commands, subnets: readonly Subnet[]): Promise<CreatedNetwork> {
  const { Vpc } = await ec2.send(new CreateVpcCommand({ CidrBlock: VPC_CIDR }));
  const vpcId = Vpc?.VpcId;
  if (vpcId === undefined) throw new LocalStackError('CreateVpc: no VPC in the answer');
  const made = new Map<string, string>();
  for (const { id, zone, cidr } of subnets) {
    const { Subnet: own } = await ec2.send(new CreateSubnetCommand({ VpcId: vpcId, AvailabilityZone: zone, CidrBlock: cidr }));
    if (own?.SubnetId === undefined) throw new LocalStackError(`CreateSubnet in ${zone}: no subnet in the answer`);
    made.set(id, own.SubnetId);
  }
  return { vpcId, subnets: made };
}

/** Removes an empty network. */
export async function removeNetwork(ec2: Ec2Commands, { vpcId, subnets }: CreatedNetwork): Promise<void> {
  for (const id of subnets.values()) await ec2.send(new DeleteSubnetCommand({ SubnetId: id }));
  await ec2.send(new DeleteVpcCommand({ VpcId: vpcId }));
}
