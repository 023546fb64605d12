import { conditionOf } from '../../model/conditions.ts';
import type { Pod } from '../../model/kube.ts';
import { parseTime } from '../../model/time.ts';

const PHASE_RANK: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

/** How many pods count as neighbours on each node, by the node's name. */
export type Neighbours = ReadonlyMap<string, number>;

/**
 * Pods in the order in which a ReplicaSet deletes them (`ActivePodsWithRanks` of `k8s.io/kubernetes/pkg/controller`):
 * unassigned, pending, not ready, low deletion cost by annotation, on a node with most related pods, ready for the shortest
 * time, youngest. Times are compared by powers of two of their nanoseconds, then by uid. Container restarts are not counted.
 */
export function rankForDeletion(pods: readonly Pod[], neighbours: Neighbours, nowMs: number): Pod[] {
  const ages = new Map<string | undefined, Age>();
  const ageOf = (since: string | undefined): Age => {
    const known = ages.get(since);
    if (known !== undefined) return known;
    const age = { magnitude: magnitude(since, nowMs) };
    ages.set(since, age);
    return age;
  };
  return pods
    .map((pod) => rankOf(pod, neighbours, ageOf))
    .sort(compareRanks)
    .map(({ pod }) => pod);
}

/** How many of some pods are on each node. */
export function countByNode(pods: readonly Pod[]): Neighbours {
  const counts = new Map<string, number>();
  for (const { spec } of pods) {
    if (spec.nodeName !== undefined) counts.set(spec.nodeName, (counts.get(spec.nodeName) ?? 0) + 1);
  }
  return counts;
}

/** The order of magnitude of the time since something; one object for each time. */
interface Age {
  readonly magnitude: number;
}

/** What decides about a pod, read once: each pod is compared many times. */
interface Rank {
  readonly pod: Pod;
  readonly isAssigned: 0 | 1;
  readonly phase: number;
  readonly isReady: 0 | 1;
  readonly cost: number;
  readonly neighbours: number;
  readonly ready: Age;
  readonly created: Age;
  readonly name: string | undefined;
  readonly uid: string | undefined;
}

function rankOf(pod: Pod, neighbours: Neighbours, ageOf: (since: string | undefined) => Age): Rank {
  const { metadata, spec, status } = pod;
  const { name, uid, annotations, creationTimestamp } = metadata;
  const { nodeName = '' } = spec;
  const ready = conditionOf(pod, 'Ready');
  const isReady = ready?.status === 'True';
  return {
    pod,
    isAssigned: nodeName === '' ? 0 : 1,
    phase: PHASE_RANK[status?.phase ?? 'Pending'] ?? 0,
    isReady: isReady ? 1 : 0,
    cost: Number(annotations?.[DELETION_COST] ?? 0),
    neighbours: neighbours.get(nodeName) ?? 0,
    ready: ageOf(isReady ? ready.lastTransitionTime : undefined),
    created: ageOf(creationTimestamp),
    name,
    uid,
  };
}

function compareRanks(a: Rank, b: Rank): number {
  return (
    a.isAssigned - b.isAssigned ||
    a.phase - b.phase ||
    a.isReady - b.isReady ||
    a.cost - b.cost ||
    b.neighbours - a.neighbours ||
    compareAges(a, b, a.ready, b.ready) ||
    compareAges(a, b, a.created, b.created) ||
    compareText(a.name, b.name)
  );
}

/** Younger first; ages of the same order of magnitude by uid. */
function compareAges(a: Rank, b: Rank, first: Age, second: Age): number {
  if (first === second) return 0;
  return first.magnitude - second.magnitude || compareText(a.uid, b.uid);
}

function magnitude(time: string | undefined, nowMs: number): number {
  const ageMs = time === undefined ? 0 : nowMs - parseTime(time);
  return ageMs > 0 ? Math.trunc(Math.log2(ageMs * 1e6)) : -1;
}

function compareText(a = '', b = ''): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
