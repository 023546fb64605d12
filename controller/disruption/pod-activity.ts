import type { Pod } from '../../model/kube.ts';
import { isDeleting, uidOf } from '../api.ts';
import type { Context } from '../context.ts';
import { isNodePod, isTerminal } from '../provisioning/pods.ts';

/** When a node's pods last changed: in the middle of a roll-out, its current pods are not representative. */
export interface PodActivity {
  /** In ms since the epoch; the start of this process if nothing has happened since. */
  lastMs(nodeName: string): number;
}

/** Whether a pod is on its node to stay, after a change of it. */
export function isStaying(type: 'ADDED' | 'MODIFIED' | 'DELETED', pod: Pod): boolean {
  return type !== 'DELETED' && !isDeleting(pod) && !isTerminal(pod);
}

/** Bounded by the cluster's pods and nodes. Source: Karpenter, `pkg/controllers/nodeclaim/podevents`, v1.8. */
export function createPodActivity({ state, runtime: { clock } }: Context): PodActivity {
  const startedMs = clock.nowMs();
  const lastMs = new Map<string, number>();
  const bound = new Set<string>();
  state.nodes.onChange((type, { metadata }) => {
    if (type === 'DELETED') lastMs.delete(metadata.name ?? '');
  });
  state.pods.onChange((type, pod) => {
    const node = pod.spec.nodeName ?? '';
    if (node === '' || isNodePod(pod)) return;
    const isThere = isStaying(type, pod);
    if (isThere === bound.has(uidOf(pod))) return;
    if (isThere) bound.add(uidOf(pod));
    else bound.delete(uidOf(pod));
    lastMs.set(node, clock.nowMs());
  });
  return { lastMs: (nodeName) => lastMs.get(nodeName) ?? startedMs };
}
