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
  return pods
    .map((pod) => rankOf(pod, neighbours.get(pod.spec.nodeName ?? '') ?? 0, nowMs))
    .sort((a, b) => {
      for (const [index, value] of a.first.entries()) {
        const difference = value - (b.first[index] ?? 0);
        if (difference !== 0) return difference;
      }
      return compareAges(a, b, a.ready, b.ready) || compareAges(a, b, a.created, b.created) || compareText(a.name, b.name);
    })
    .map(({ pod }) => pod);
}

/** A time, and the order of magnitude of the age. */
interface Age {
  readonly since: string | undefined;
  readonly magnitude: number;
}

/** What decides about a pod, read once: each pod is compared many times. */
interface Rank {
  readonly pod: Pod;
  readonly first: readonly number[];
  readonly ready: Age;
  readonly created: Age;
  readonly name: string | undefined;
  readonly uid: string | undefined;
}

function rankOf(pod: Pod, neighbours: number, nowMs: number): Rank {
  const { metadata, spec, status } = pod;
  const { name, uid, annotations, creationTimestamp } = metadata;
  const ready = isReady(pod);
  const phase = PHASE_RANK[status?.phase ?? 'Pending'] ?? 0;
  return {
    pod,
    first: [(spec.nodeName ?? '') === '' ? 0 : 1, phase, ready ? 1 : 0, Number(annotations?.[DELETION_COST] ?? 0), -neighbours],
    ready: ageOf(ready ? conditionOf(pod, 'Ready')?.lastTransitionTime : undefined, nowMs),
    created: ageOf(creationTimestamp, nowMs),
    name,
    uid,
  };
}

/** Younger first; ages of the same order of magnitude by uid. */
function compareAges(a: Rank, b: Rank, first: Age, second: Age): number {
  if (first.since === second.since) return 0;
  return first.magnitude - second.magnitude || compareText(a.uid, b.uid);
}

function ageOf(since: string | undefined, nowMs: number): Age {
  return { since, magnitude: magnitude(since, nowMs) };
}

function magnitude(time: string | undefined, nowMs: number): number {
  const ageMs = time === undefined ? 0 : nowMs - parseTime(time);
  return ageMs > 0 ? Math.trunc(Math.log2(ageMs * 1e6)) : -1;
}

function compareText(a = '', b = ''): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
