import type { Pod } from '../../model/kube.ts';
import { parseTime } from '../../model/time.ts';
import { conditionOf } from '../../model/conditions.ts';

/** Whether a pod still counts: neither over nor being deleted. */
export function isActive({ metadata, status }: Pod): boolean {
  return status?.phase !== 'Succeeded' && status?.phase !== 'Failed' && metadata.deletionTimestamp === undefined;
}

export function isReady(pod: Pod): boolean {
  return conditionOf(pod, 'Ready')?.status === 'True';
}

const PHASE_RANK: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

/**
 * Pods in the order in which a ReplicaSet gives them up (`ActivePodsWithRanks` of `k8s.io/kubernetes/pkg/controller`):
 * unassigned, pending, not ready, cheap by the deletion cost annotation, sharing their node with most siblings, ready
 * for the shortest time, youngest; then by name. The real one compares ages by powers of ten and counts restarts.
 */
export function rankForDeletion(pods: readonly Pod[]): Pod[] {
  const siblings = new Map<string, number>();
  for (const { spec } of pods) {
    if (spec.nodeName !== undefined) siblings.set(spec.nodeName, (siblings.get(spec.nodeName) ?? 0) + 1);
  }
  const keys = new Map(
    pods.map((pod) => [
      pod,
      [
        pod.spec.nodeName === undefined ? 0 : 1,
        PHASE_RANK[pod.status?.phase ?? 'Pending'] ?? 0,
        isReady(pod) ? 1 : 0,
        Number(pod.metadata.annotations?.[DELETION_COST] ?? 0),
        -(siblings.get(pod.spec.nodeName ?? '') ?? 0),
        -timeOf(conditionOf(pod, 'Ready')?.lastTransitionTime),
        -timeOf(pod.metadata.creationTimestamp),
      ],
    ]),
  );
  return [...pods].sort((a, b) => compare(keys.get(a) ?? [], keys.get(b) ?? []) || compareText(a.metadata.name, b.metadata.name));
}

function timeOf(text: string | undefined): number {
  return text === undefined ? 0 : parseTime(text);
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const difference = value - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function compareText(a = '', b = ''): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
