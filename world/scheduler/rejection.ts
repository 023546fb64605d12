/** The plugins of the default profile that may reject a pod, in the order in which they run. */
export const PLUGINS = [
  'NodeUnschedulable',
  'NodeName',
  'TaintToleration',
  'NodeAffinity',
  'NodePorts',
  'NodeResourcesFit',
  'VolumeRestrictions',
  'NodeVolumeLimits',
  'VolumeBinding',
  'VolumeZone',
  'PodTopologySpread',
  'InterPodAffinity',
] as const;
export type Plugin = (typeof PLUGINS)[number];

/** Why a pod can't go to a node, or to any. */
export interface Rejection {
  readonly plugin: Plugin;
  readonly reasons: readonly string[];
  /** Whether it would persist even if all other pods were removed from the node. */
  readonly unresolvable: boolean;
}

export function unresolvable(plugin: Plugin, ...reasons: string[]): Rejection {
  return { plugin, reasons, unresolvable: true };
}

export function resolvable(plugin: Plugin, ...reasons: string[]): Rejection {
  return { plugin, reasons, unresolvable: false };
}
