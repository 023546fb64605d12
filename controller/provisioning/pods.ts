import type { Node, Pod } from '../../model/kube.ts';
import { KARPENTER, isDeleting } from '../api.ts';

/** Classifies pods for an autoscaler. Source: Karpenter, `pkg/utils/pod/scheduling.go`, v1.8. */

export function isDaemonPod(pod: Pod): boolean {
  return isOwnedBy(pod, 'DaemonSet');
}

/** The mirror of a static pod, which only its kubelet can end. */
export function isStaticPod(pod: Pod): boolean {
  return isOwnedBy(pod, 'Node');
}

/** Whether a pod belongs to a DaemonSet or to its node: such pods exist with their node. */
export function isNodePod(pod: Pod): boolean {
  return isDaemonPod(pod) || isStaticPod(pod);
}

/** Whether a pod has ended. */
export function isTerminal(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

/**
 * Pods that only wait for a node.
 * @param nodeOf finds a Node by its name: a pod that preempts others on an existing node waits for that one
 */
export function isProvisionable(pod: Pod, nodeOf: (name: string) => Node | undefined): boolean {
  const { spec, status } = pod;
  if (isDeleting(pod) || (spec.nodeName ?? '') !== '' || isNodePod(pod)) return false;
  if ((spec.schedulerName ?? 'default-scheduler') !== 'default-scheduler') return false;
  const nominated = nodeOf(status?.nominatedNodeName ?? '');
  if (nominated !== undefined && !isDeleting(nominated)) return false;
  return (
    status?.conditions?.some(
      ({ type, status: value, reason }) => type === 'PodScheduled' && value === 'False' && reason === 'Unschedulable',
    ) ?? false
  );
}

/**
 * Pods that are recreated when their node is removed, and not before. A bare pod never comes back, so nothing is launched for it. A
 * StatefulSet recreates a pod once the old one is gone: one that was evicted and is still stopping needs a place later. Karpenter counts
 * all of a StatefulSet's pods that are stopping, also those that are scaled in.
 */
export function isReschedulable(pod: Pod): boolean {
  const hasController = pod.metadata.ownerReferences?.some(({ controller }) => controller === true) ?? false;
  const isLeaving = isDeleting(pod) && !(isOwnedBy(pod, 'StatefulSet') && wasEvicted(pod));
  return hasController && !isLeaving && !isTerminal(pod) && !isNodePod(pod);
}

function wasEvicted({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'DisruptionTarget' && value === 'True') ?? false;
}

/** Whether the pod has opted out of disruption; includes DaemonSet pods. */
export function hasOptedOut(pod: Pod): boolean {
  return !isTerminal(pod) && pod.metadata.annotations?.[KARPENTER.doNotDisrupt] === 'true';
}

/**
 * Pods that leave a node which is being removed, and are recreated. When a pod that opted out will leave is not known, so a node for it
 * would wait in vain. Source: Karpenter, `IsCurrentlyReschedulable` in `pkg/utils/pdb/pdb.go`, v1.14.
 */
export function willMove(pod: Pod): boolean {
  return isReschedulable(pod) && !hasOptedOut(pod);
}

function isOwnedBy(pod: Pod, kind: string): boolean {
  return pod.metadata.ownerReferences?.some((owner) => owner.kind === kind) ?? false;
}
