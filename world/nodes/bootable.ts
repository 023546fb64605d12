import type { InstanceType } from '../../model/catalogue.ts';
import type { Instance } from '../ports.ts';
import { NodeConfigError, readNodeConfig } from './node-config.ts';
import type { NodeConfig } from './node-config.ts';
import type { NodesSite } from './nodes-site.ts';

/** What an instance boots with. */
export interface Boot {
  readonly instanceType: InstanceType;
  readonly config: NodeConfig;
}

/**
 * What an instance needs to become a node of this cluster; undefined if it never will, and `onNeverRegisters` gets the reason. The private
 * endpoint of the cluster is enabled, so whatever is in the VPC reaches the API server through it, whose security group lets in only
 * its own members. Source: "Cluster API server endpoint" and "Security group requirements" of the EKS user guide.
 */
export function bootable(
  instance: Instance,
  site: Pick<NodesSite, 'instanceType' | 'clusterName' | 'securityGroupId' | 'onNeverRegisters'>,
): Boot | undefined {
  const { instanceType: lookUp, clusterName, securityGroupId, onNeverRegisters } = site;
  const never = (why: string): undefined => {
    onNeverRegisters(instance.id, why);
  };
  const instanceType = lookUp(instance.instanceType);
  if (instanceType === undefined) return never(`its type ${instance.instanceType} is not in the catalogue`);
  const { securityGroupIds: groups } = instance;
  if (groups?.includes(securityGroupId) === false) {
    const own = groups.length === 0 ? "only in the VPC's default security group" : `in the security groups ${groups.join(', ')}`;
    return never(`it is ${own}, and only members of ${securityGroupId} reach the API server`);
  }
  try {
    const config = readNodeConfig(instance.userData);
    if (config.clusterName === clusterName) return { instanceType, config };
    return never(`its user data names the cluster ${config.clusterName}, but this is ${clusterName}`);
  } catch (error) {
    if (!(error instanceof NodeConfigError)) throw error;
    return never(error.message);
  }
}
