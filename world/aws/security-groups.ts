import type { GroupIdentifier, IpPermission } from '@aws-sdk/client-ec2';
import { clusterTags } from './cluster-tags.ts';
import { derivedId } from './ids.ts';
import type { InstanceRecord } from './instances.ts';
import { namedGroupIds } from './named-groups.ts';
import { ACCOUNT_ID } from './operation.ts';
import type { Account } from './operation.ts';
import type { Tags } from './tags.ts';

/** One security group. Nothing here has ports: its rules only decide which instances become nodes (`world/nodes/bootable.ts`). */
export interface SecurityGroup {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: Tags;
}

/** The security groups of the VPC: that of the cluster, and the default one, which every VPC has. */
export function securityGroupsOf({ cluster, network }: Pick<Account, 'cluster' | 'network'>): readonly SecurityGroup[] {
  return [
    {
      id: cluster.securityGroupId,
      name: `${cluster.name}-nodes`,
      description: `nodes of ${cluster.name}`,
      tags: clusterTags(cluster),
    },
    { id: defaultGroupId(network.vpcId), name: 'default', description: 'default VPC security group', tags: {} },
  ];
}

/** The rules for incoming traffic, of both groups: everything from the group itself. */
export function ingressOf({ id }: SecurityGroup): IpPermission[] {
  const pair = { GroupId: id, UserId: ACCOUNT_ID };
  return [{ IpProtocol: '-1', IpRanges: [], Ipv6Ranges: [], PrefixListIds: [], UserIdGroupPairs: [pair] }];
}

/** The rules for outgoing traffic, of both groups: everything to everywhere. */
export function egressOf(): IpPermission[] {
  return [{ IpProtocol: '-1', IpRanges: [{ CidrIp: '0.0.0.0/0' }], Ipv6Ranges: [], PrefixListIds: [], UserIdGroupPairs: [] }];
}

/** The groups of an instance: those of its launch, else the VPC's default one. An id is not checked, so its name may be unknown. */
export function groupsOf(account: Pick<Account, 'cluster' | 'network'>, { template }: InstanceRecord): GroupIdentifier[] {
  const named = namedGroupIds(template);
  const ids = named.length === 0 ? [defaultGroupId(account.network.vpcId)] : named;
  const groups = securityGroupsOf(account);
  return ids.map((id) => {
    const name = groups.find((group) => group.id === id)?.name;
    return name === undefined ? { GroupId: id } : { GroupId: id, GroupName: name };
  });
}

function defaultGroupId(vpcId: string): string {
  return derivedId('sg', vpcId);
}
