import type { InstanceType } from '../../model/catalogue.ts';
import { defined } from '../../model/defined.ts';
import type { Instance } from '../ports.ts';
import type { NodeConfig } from './node-config.ts';
import { nodeResources } from './node-resources.ts';
import type { NodeResources } from './node-resources.ts';

/** The resources of an instance's node, by its type, launch and user data. @throws QuantityError for an invalid quantity */
export function machineResources(
  { rootVolumeGiB }: Pick<Instance, 'rootVolumeGiB'>,
  type: InstanceType,
  { settings, localDisks }: Pick<NodeConfig, 'settings' | 'localDisks'>,
): NodeResources {
  return nodeResources(type, settings, defined({ rootVolumeGiB, localDisks }));
}
