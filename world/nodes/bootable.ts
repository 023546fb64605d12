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

/** What an instance needs to become a node of this cluster; undefined if it never will, and `onNeverRegisters` gets the reason. */
export function bootable(
  instance: Instance,
  { instanceType: lookUp, clusterName, onNeverRegisters }: Pick<NodesSite, 'instanceType' | 'clusterName' | 'onNeverRegisters'>,
): Boot | undefined {
  const never = (why: string): undefined => {
    onNeverRegisters(instance.id, why);
  };
  const instanceType = lookUp(instance.instanceType);
  if (instanceType === undefined) return never(`its type ${instance.instanceType} is not in the catalogue`);
  try {
    const config = readNodeConfig(instance.userData);
    if (config.clusterName === clusterName) return { instanceType, config };
    return never(`its user data names the cluster ${config.clusterName}, but this is ${clusterName}`);
  } catch (error) {
    if (!(error instanceof NodeConfigError)) throw error;
    return never(error.message);
  }
}
