import { conditionOf } from '../../model/conditions.ts';
import type { Pod } from '../../model/kube.ts';
import { parseTime } from '../../model/time.ts';
import { isReady } from './pods.ts';

const PHASE_RANK: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

/**
 * Pods in the order in which a ReplicaSet deletes them (`ActivePodsWithRanks` of `k8s.io/kubernetes/pkg/controller`):
 * unassigned, pending, not ready, low deletion cost by annotation, on a node with most related pods, ready for the shortest
 * time, youngest. Times are compared by powers of two of their nanoseconds, then by uid. Container restarts are not counted.
 * @param related the pods that count as neighbours on a node; by default `pods`
 */
export function rankForDeletion(pods: readonly Pod[], related: readonly Pod[], nowMs: number): Pod[] {
  const neighbours = new Map<string, number>();
  for (const { spec } of related) {
    if (spec.nodeName !== undefined) neighbours.set(spec.nodeName, (neighbours.get(spec.nodeName) ?? 0) + 1);
  }
  const keys = new Map(
    pods.map((pod) => [
      pod,
      [
        (pod.spec.nodeName ?? '') === '' ? 0 : 1,
        PHASE_RANK[pod.status?.phase ?? 'Pending'] ?? 0,
        isReady(pod) ? 1 : 0,
        Number(pod.metadata.annotations?.[DELETION_COST] ?? 0),
        -(neighbours.get(pod.spec.nodeName ?? '') ?? 0),
      ],
    ]),
  );
  const readyAt = (pod: Pod): string | undefined => (isReady(pod) ? conditionOf(pod, 'Ready')?.lastTransitionTime : undefined);
  return [...pods].sort((a, b) => {
    return (
      compare(keys.get(a) ?? [], keys.get(b) ?? []) ||
      compareAges(a, b, readyAt, nowMs) ||
      compareAges(a, b, ({ metadata }) => metadata.creationTimestamp, nowMs) ||
      compareText(a.metadata.name, b.metadata.name)
    );
  });
}

/** Younger first; ages of the same order of magnitude by uid. */
function compareAges(a: Pod, b: Pod, timeOf: (pod: Pod) => string | undefined, nowMs: number): number {
  const [first, second] = [timeOf(a), timeOf(b)];
  if (first === second) return 0;
  return magnitude(first, nowMs) - magnitude(second, nowMs) || compareText(a.metadata.uid, b.metadata.uid);
}

function magnitude(time: string | undefined, nowMs: number): number {
  const ageMs = time === undefined ? 0 : nowMs - parseTime(time);
  return ageMs > 0 ? Math.trunc(Math.log2(ageMs * 1e6)) : -1;
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
