import { leases, nodes, poddisruptionbudgets, priorityclasses } from './kinds/cluster.ts';
import { configmaps, secrets, serviceaccounts, services } from './kinds/config.ts';
import { gadgets } from './kinds/gadgets.ts';
import type { Kind } from './kinds/kind.ts';
import { pods } from './kinds/pods.ts';
import { WORKLOADS } from './kinds/workloads.ts';

export type { Kind } from './kinds/kind.ts';

/** The kinds that random scripts are about. */
export const KINDS: readonly Kind[] = [
  configmaps,
  secrets,
  serviceaccounts,
  pods,
  nodes,
  leases,
  poddisruptionbudgets,
  ...WORKLOADS,
  services,
  priorityclasses,
  gadgets,
];

/** The collection path of a kind. */
export function collectionOf({ apiVersion, plural, namespaced }: Kind, namespace: string): string {
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return namespaced ? `${group}/namespaces/${namespace}/${plural}` : `${group}/${plural}`;
}
