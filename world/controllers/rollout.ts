import type { Deployment, ReplicaSet } from '../../model/kube.ts';
import { scaledValue } from './int-or-percent.ts';

/**
 * The arithmetic of rollouts, from `k8s.io/kubernetes/pkg/controller/deployment/util`: pure functions of a Deployment and its
 * ReplicaSets.
 */
const DEFAULT_SHARE = '25%';
export const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';
export const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas';

export function replicasOf({ spec }: Deployment | ReplicaSet): number {
  return spec.replicas ?? 1;
}

export function sumOf(sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number): number {
  return sets.reduce((total, set) => total + count(set), 0);
}

export function availableOf({ status }: ReplicaSet): number {
  return status?.availableReplicas ?? 0;
}

export function isRollingUpdate({ spec }: Deployment): boolean {
  return (spec.strategy?.type ?? 'RollingUpdate') === 'RollingUpdate';
}

/** Most pods above and below the wanted number (`ResolveFenceposts`): if both round to zero, one may be unavailable. */
function fenceposts(deployment: Deployment): { readonly surge: number; readonly unavailable: number } {
  const { maxSurge = DEFAULT_SHARE, maxUnavailable = DEFAULT_SHARE } = deployment.spec.strategy?.rollingUpdate ?? {};
  const surge = scaledValue(maxSurge, replicasOf(deployment), 'up');
  const unavailable = scaledValue(maxUnavailable, replicasOf(deployment), 'down');
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

export function maxSurgeOf(deployment: Deployment): number {
  return isRollingUpdate(deployment) ? fenceposts(deployment).surge : 0;
}

export function maxUnavailableOf(deployment: Deployment): number {
  if (!isRollingUpdate(deployment) || replicasOf(deployment) === 0) return 0;
  return Math.min(fenceposts(deployment).unavailable, replicasOf(deployment));
}

/**
 * How many replicas the new ReplicaSet should have in a rollout (`NewRSNewReplicas`).
 * @param all all ReplicaSets, including the new one if it exists
 * @param present its current number
 */
export function newReplicas(deployment: Deployment, all: readonly ReplicaSet[], present: number): number {
  const wanted = replicasOf(deployment);
  if (!isRollingUpdate(deployment)) return wanted;
  const room = wanted + maxSurgeOf(deployment) - sumOf(all, replicasOf);
  return room <= 0 ? present : present + Math.min(room, wanted - present);
}

/** The number of replicas that scaling during a rollout gives each ReplicaSet (`scale` of `sync.go`). */
export function proportionalSizes(deployment: Deployment, active: readonly ReplicaSet[]): readonly (readonly [ReplicaSet, number])[] {
  const wanted = replicasOf(deployment);
  const allowed = wanted > 0 ? wanted + maxSurgeOf(deployment) : 0;
  const toAdd = allowed - sumOf(active, replicasOf);
  const sorted = [...active].sort((a, b) => {
    return replicasOf(b) - replicasOf(a) || (toAdd > 0 ? compareAges(b, a) : compareAges(a, b));
  });
  let added = 0;
  const sizes = sorted.map((set): [ReplicaSet, number] => {
    const left = toAdd - added;
    const fraction = left === 0 ? 0 : fractionOf(deployment, set);
    const proportion = toAdd > 0 ? Math.min(fraction, left) : Math.max(fraction, left);
    added += proportion;
    return [set, replicasOf(set) + proportion];
  });
  const largest = sizes[0];
  if (largest !== undefined) largest[1] = Math.max(0, largest[1] + toAdd - added);
  return sizes;
}

function fractionOf(deployment: Deployment, set: ReplicaSet): number {
  const size = replicasOf(set);
  if (size === 0) return 0;
  if (replicasOf(deployment) === 0) return -size;
  const before = annotatedNumber(set, MAX_REPLICAS) ?? 0;
  const base = before === 0 ? (deployment.status?.replicas ?? 0) : before;
  if (base === 0) return 0;
  return Math.round((size * (replicasOf(deployment) + maxSurgeOf(deployment))) / base) - size;
}

/** Older first. Creation times are in whole seconds, so names break ties. */
export function compareAges(a: ReplicaSet, b: ReplicaSet): number {
  const [first, second] = [`${a.metadata.creationTimestamp} ${a.metadata.name}`, `${b.metadata.creationTimestamp} ${b.metadata.name}`];
  return first < second ? -1 : first > second ? 1 : 0;
}

/** The wanted number of replicas that a ReplicaSet was last scaled for. */
export function desiredReplicas(set: ReplicaSet): number | undefined {
  return annotatedNumber(set, DESIRED_REPLICAS);
}

function annotatedNumber({ metadata }: ReplicaSet, annotation: string): number | undefined {
  const text = metadata.annotations?.[annotation] ?? '';
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

/** The annotations that record a ReplicaSet's Deployment. */
export function replicasAnnotations(deployment: Deployment): Readonly<Record<string, string>> {
  const wanted = replicasOf(deployment);
  return { [DESIRED_REPLICAS]: String(wanted), [MAX_REPLICAS]: String(wanted + maxSurgeOf(deployment)) };
}

/** Whether a ReplicaSet has all the replicas of its Deployment, and all are available. */
export function isSaturated(deployment: Deployment, set: ReplicaSet): boolean {
  const wanted = replicasOf(deployment);
  return replicasOf(set) === wanted && desiredReplicas(set) === wanted && availableOf(set) === wanted;
}
