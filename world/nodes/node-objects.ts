import type { Node, Taint, TaintEffect } from '../../model/kube.ts';
import type { ClusterPort } from '../ports.ts';

/** The taints that the world's parts set and remove. */
export const TAINT = {
  notReady: 'node.kubernetes.io/not-ready',
  unreachable: 'node.kubernetes.io/unreachable',
  unschedulable: 'node.kubernetes.io/unschedulable',
  uninitialized: 'node.cloudprovider.kubernetes.io/uninitialized',
  shutdown: 'node.cloudprovider.kubernetes.io/shutdown',
} as const;

export function hasTaint(node: Node, key: string, effect: TaintEffect): boolean {
  return node.spec?.taints?.some((taint) => taint.key === key && taint.effect === effect) ?? false;
}

/**
 * Changes a node's taints as the controllers do: based on the current node, refused after a concurrent change.
 * @param change the taints to have, or the same array to leave them
 * @throws ClusterError 409 when the node changed in between
 */
export async function updateTaints(port: ClusterPort, name: string, change: (node: Node) => readonly Taint[]): Promise<void> {
  const node = await port.get<Node>({ resource: 'nodes', name });
  if (node === undefined) return;
  const before = node.spec?.taints ?? [];
  const taints = change(node);
  if (taints.length === before.length && taints.every((taint, index) => taint === before[index])) return;
  const { resourceVersion } = node.metadata;
  await port.patch({ resource: 'nodes', name }, { metadata: { resourceVersion }, spec: { taints: taints.length === 0 ? null : taints } });
}
