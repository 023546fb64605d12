import type { Node, Pod } from '../../model/kube.ts';
import { conditionOf } from '../../model/conditions.ts';

/** A pod that is past its grace by so much, more than clocks differ, is held by nothing but a kubelet that is dead. */
const STUCK_AFTER_MS = 600_000;

/** Whether the scheduler has found no node for a pod that is nobody's but a node's to serve. */
export function isUnschedulable(pod: Pod): boolean {
  const scheduled = conditionOf(pod, 'PodScheduled');
  return (
    pod.spec.nodeName === undefined &&
    pod.metadata.deletionTimestamp === undefined &&
    !isDaemon(pod) &&
    scheduled?.status === 'False' &&
    scheduled.reason === 'Unschedulable'
  );
}

/** Whether a pod is its node's own: of a DaemonSet, or a mirror of the kubelet's. */
export function isDaemon({ metadata }: Pod): boolean {
  return metadata.ownerReferences?.some(({ kind }) => kind === 'DaemonSet' || kind === 'Node') === true;
}

/** Whether a pod on a node takes room there. */
export function isActive({ status }: Pod): boolean {
  return status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}

/** The pods that keep a node from being empty. */
export function occupantsOf(node: Node, pods: readonly Pod[], nowMs: number): Pod[] {
  return pods.filter((pod) => {
    if (pod.spec.nodeName !== node.metadata.name || isDaemon(pod) || !isActive(pod)) return false;
    const { deletionTimestamp } = pod.metadata;
    return deletionTimestamp === undefined || nowMs - Date.parse(deletionTimestamp) < STUCK_AFTER_MS;
  });
}
