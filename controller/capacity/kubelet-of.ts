import type { KubeletSettings } from '../../model/node-settings.ts';
import type { EC2NodeClass, NodeClaim } from '../api.ts';

/** The kubelet settings of the nodes of a class; undefined if it has none, or isn't known. */
export function kubeletOf(
  classes: { get(name: string): EC2NodeClass | undefined },
  { name }: NodeClaim['spec']['nodeClassRef'],
): KubeletSettings | undefined {
  return classes.get(name)?.spec.kubelet;
}
