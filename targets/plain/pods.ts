import type { Node, Pod } from '../../model/kube.ts';
import { conditionOf } from '../../model/conditions.ts';

/** A pod this long past its grace period, more than clocks differ, is only held by a dead kubelet. */
const STUCK_AFTER_MS = 600_000;

/** Whether the scheduler has found no node for a pod (except DaemonSet pods). */
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

/** Whether a pod belongs to its node: of a DaemonSet, or a mirror pod of the kubelet. */
export function isDaemon({ metadata }: Pod): boolean {
  return metadata.ownerReferences?.some(({ kind }) => kind === 'DaemonSet' || kind === 'Node') === true;
}

/** Whether a pod on a node uses resources there. */
export function isActive({ status }: Pod): boolean {
  return status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}

/** The pods that make a node count as non-empty. */
export function occupantsOf(node: Node, pods: readonly Pod[], nowMs: number): Pod[] {
  return pods.filter((pod) => {
    if (pod.spec.nodeName !== node.metadata.name || isDaemon(pod) || !isActive(pod)) return false;
    const { deletionTimestamp } = pod.metadata;
    return deletionTimestamp === undefined || nowMs - Date.parse(deletionTimestamp) < STUCK_AFTER_MS;
  });
}
