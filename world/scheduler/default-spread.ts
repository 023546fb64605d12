import { LABEL } from '../../model/kube.ts';
import type { LabelSelector, LabelSelectorRequirement } from '../../model/kube.ts';
import { controllerOf } from '../../model/owners.ts';
import type { ClusterObjects, Selecting } from './cluster.ts';
import type { PodInfo } from './pod-info.ts';

/** The scheduler's own soft constraints, for pods without any. */
export const DEFAULT_CONSTRAINTS = [
  { topologyKey: LABEL.hostname, maxSkew: 3, whenUnsatisfiable: 'ScheduleAnyway' },
  { topologyKey: LABEL.zone, maxSkew: 5, whenUnsatisfiable: 'ScheduleAnyway' },
] as const;

const OWNERS: Readonly<Record<string, string>> = {
  'v1/ReplicationController': 'replicationcontrollers',
  'apps/v1/ReplicaSet': 'replicasets',
  'apps/v1/StatefulSet': 'statefulsets',
};

/**
 * Which pods the default constraints count for a pod: those that its services and its controller all select
 * (`DefaultSelector` of `plugins/helper/spread.go`); undefined if none of them has a selector.
 */
export function defaultSelector({ pod, namespace, labels }: PodInfo, objects: ClusterObjects): LabelSelector | undefined {
  const matchLabels: Record<string, string> = {};
  for (const service of objects.services(namespace)) {
    const selector = labelsOf(service);
    const entries = Object.entries(selector);
    if (entries.length > 0 && entries.every(([key, value]) => labels[key] === value)) Object.assign(matchLabels, selector);
  }
  const owner = controllerOf(pod);
  const plural = owner === undefined ? undefined : OWNERS[`${owner.apiVersion}/${owner.kind}`];
  const found = plural === undefined || owner === undefined ? undefined : objects.owner(plural, namespace, owner.name);
  const matchExpressions = found === undefined ? [] : expressionsOf(found, plural === 'replicationcontrollers');
  if (Object.keys(matchLabels).length + matchExpressions.length === 0) return undefined;
  return { matchLabels, matchExpressions };
}

/** The selector of a kind that selects only by labels. */
function labelsOf({ spec }: Selecting): Readonly<Record<string, string>> {
  return (spec?.selector ?? {}) as Record<string, string>;
}

function expressionsOf(owner: Selecting, byLabels: boolean): LabelSelectorRequirement[] {
  const { matchLabels = {}, matchExpressions = [] } = byLabels
    ? { matchLabels: labelsOf(owner) }
    : ((owner.spec?.selector ?? {}) as LabelSelector);
  const equal = Object.entries(matchLabels).map(([key, value]) => ({ key, operator: 'In' as const, values: [value] }));
  return [...equal, ...matchExpressions];
}
