import type { LabelSelector, NodeSelectorTerm, Volume } from '../../model/kube.ts';
import { toWhole } from '../../model/quantity.ts';
import { matchesLabels, parseRequirements } from '../../model/requirements.ts';
import { matchesSelector } from '../../model/selector.ts';
import type { Labels } from '../../model/selector.ts';
import { BIND_COMPLETED, SELECTED_NODE } from '../../model/storage.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../model/storage.ts';
import type { ClusterObjects } from './cluster.ts';
import type { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';
import { unresolvable } from './rejection.ts';
import type { Rejection } from './rejection.ts';

/** What binding a pod's claims on a node requires: existing volumes, and claims that need a new one. */
export interface VolumePlan {
  readonly bindings: readonly { readonly claim: PersistentVolumeClaim; readonly volume: PersistentVolume }[];
  readonly provisions: readonly PersistentVolumeClaim[];
}

const NOTHING: VolumePlan = { bindings: [], provisions: [] };
const NO_PROVISIONER = 'kubernetes.io/no-provisioner';
const NODE_CONFLICT = "node(s) didn't match PersistentVolume's node affinity";
const BIND_CONFLICT = "node(s) didn't find available persistent volumes to bind";
const VOLUME_MISSING = 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)';

/** The claims of a pod. */
export interface ClaimsOfPod {
  readonly bound: readonly PersistentVolumeClaim[];
  /** Of a class with WaitForFirstConsumer. */
  readonly unbound: readonly PersistentVolumeClaim[];
}

/** The name of a volume's claim: a separate one for a generic ephemeral volume. */
export function claimName(podName: string, { name, persistentVolumeClaim, ephemeral }: Volume): string | undefined {
  return persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${podName}-${name}`);
}

/**
 * The pod's claims, or why no node is suitable: the checks in the PreFilters of VolumeRestrictions, VolumeBinding and
 * VolumeZone.
 */
export function claimsOfPod({ pod, namespace, volumes }: PodInfo, objects: ClusterObjects): ClaimsOfPod | Rejection {
  const bound: PersistentVolumeClaim[] = [];
  const unbound: PersistentVolumeClaim[] = [];
  let waitsForBinding = false;
  for (const volume of volumes) {
    const name = claimName(pod.metadata.name ?? '', volume);
    if (name === undefined) continue;
    const claim = objects.claim(namespace, name);
    if (claim === undefined) {
      if (volume.persistentVolumeClaim !== undefined)
        return unresolvable('VolumeRestrictions', `persistentvolumeclaim "${name}" not found`);
      return unresolvable('VolumeBinding', `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`);
    }
    const problem = claimProblem(claim);
    if (problem !== undefined) return unresolvable('VolumeBinding', problem);
    if (isBound(claim)) bound.push(claim);
    else if (waitsForConsumer(claim, objects)) unbound.push(claim);
    else waitsForBinding = true;
  }
  if (waitsForBinding) return unresolvable('VolumeBinding', 'pod has unbound immediate PersistentVolumeClaims');
  const lost = bound.find(({ spec }) => objects.volume(spec.volumeName ?? '') === undefined);
  if (lost !== undefined) return unresolvable('VolumeZone', `persistentvolume "${lost.spec.volumeName}" not found`);
  return { bound, unbound };
}

function claimProblem({ metadata, spec, status }: PersistentVolumeClaim): string | undefined {
  const claim = `persistentvolumeclaim "${metadata.name}"`;
  if (status?.phase === 'Lost') return `${claim} bound to non-existent persistentvolume "${spec.volumeName ?? ''}"`;
  return metadata.deletionTimestamp === undefined ? undefined : `${claim} is being deleted`;
}

/** Whether claim and volume refer to each other. */
export function isBound({ metadata, spec }: PersistentVolumeClaim): boolean {
  return (spec.volumeName ?? '') !== '' && metadata.annotations?.[BIND_COMPLETED] !== undefined;
}

function waitsForConsumer({ spec }: PersistentVolumeClaim, objects: ClusterObjects): boolean {
  if ((spec.volumeName ?? '') !== '') return false;
  return objects.storageClass(spec.storageClassName ?? '')?.volumeBindingMode === 'WaitForFirstConsumer';
}

/**
 * How the claims could be bound on a node, or why they can't, like `FindPodVolumes` of the VolumeBinding plugin. The
 * remaining capacity that a driver reports (CSIStorageCapacity) is not checked.
 */
export function planVolumes(claims: ClaimsOfPod, node: NodeInfo, objects: ClusterObjects): VolumePlan | Rejection {
  if (claims.bound.length + claims.unbound.length === 0) return NOTHING;
  const reasons: string[] = [];
  const volumes = claims.bound.map(({ spec }) => objects.volume(spec.volumeName ?? ''));
  if (volumes.some((volume) => volume !== undefined && !isReachable(volume, node.labels))) reasons.push(NODE_CONFLICT);
  const plan = planUnbound(claims.unbound, node, objects);
  if (plan === undefined) reasons.push(BIND_CONFLICT);
  if (volumes.includes(undefined)) reasons.push(VOLUME_MISSING);
  return reasons.length > 0 || plan === undefined ? unresolvable('VolumeBinding', ...reasons) : plan;
}

function planUnbound(claims: readonly PersistentVolumeClaim[], node: NodeInfo, objects: ClusterObjects): VolumePlan | undefined {
  const bindings: { claim: PersistentVolumeClaim; volume: PersistentVolume }[] = [];
  const provisions: PersistentVolumeClaim[] = [];
  for (const claim of [...claims].sort((a, b) => sizeOf(a.spec.resources?.requests) - sizeOf(b.spec.resources?.requests))) {
    const selected = claim.metadata.annotations?.[SELECTED_NODE];
    if (selected !== undefined && selected !== node.name) return undefined;
    const taken = bindings.map(({ volume }) => volume);
    const volume = selected === undefined ? findVolume(claim, node, { objects, taken }) : undefined;
    if (volume !== undefined) bindings.push({ claim, volume });
    else if (canProvision(claim, node, objects)) provisions.push(claim);
    else return undefined;
  }
  return { bindings, provisions };
}

/** The smallest volume that a claim can use on a node, or the one reserved for it. */
function findVolume(
  claim: PersistentVolumeClaim,
  { labels }: NodeInfo,
  { objects, taken }: { readonly objects: ClusterObjects; readonly taken: readonly PersistentVolume[] },
): PersistentVolume | undefined {
  const { accessModes = [], selector, storageClassName = '', volumeMode = 'Filesystem', resources } = claim.spec;
  let smallest: PersistentVolume | undefined;
  for (const volume of objects.volumes()) {
    const { spec, metadata, status } = volume;
    if (taken.includes(volume) || metadata.deletionTimestamp !== undefined) continue;
    if (sizeOf(spec.capacity) < sizeOf(resources?.requests) || (spec.volumeMode ?? 'Filesystem') !== volumeMode) continue;
    if (spec.claimRef !== undefined) {
      if (spec.claimRef.name !== claim.metadata.name || spec.claimRef.namespace !== claim.metadata.namespace) continue;
      return isReachable(volume, labels) ? volume : undefined;
    }
    if (status?.phase !== 'Available' || (spec.storageClassName ?? '') !== storageClassName) continue;
    if (!selects(selector, metadata.labels) || !isReachable(volume, labels)) continue;
    if (!accessModes.every((mode) => spec.accessModes?.includes(mode))) continue;
    if (smallest === undefined || sizeOf(spec.capacity) < sizeOf(smallest.spec.capacity)) smallest = volume;
  }
  return smallest;
}

function selects(selector: LabelSelector | undefined, labels: Labels | undefined): boolean {
  return selector === undefined || matchesSelector(selector, labels ?? {});
}

function canProvision({ spec }: PersistentVolumeClaim, { labels }: NodeInfo, objects: ClusterObjects): boolean {
  const found = objects.storageClass(spec.storageClassName ?? '');
  if (found === undefined || found.provisioner === '' || found.provisioner === NO_PROVISIONER) return false;
  const { allowedTopologies = [] } = found;
  return (
    allowedTopologies.length === 0 ||
    allowedTopologies.some(
      ({ matchLabelExpressions = [] }) =>
        matchLabelExpressions.length > 0 && matchLabelExpressions.every(({ key, values }) => values.includes(labels[key] ?? '')),
    )
  );
}

function sizeOf(list: Readonly<Record<string, string>> | undefined): number {
  return list?.storage === undefined ? 0 : toWhole(list.storage);
}

/** Whether a node with these labels can reach a volume, by the volume's node affinity. */
function isReachable({ spec }: PersistentVolume, labels: Labels): boolean {
  const required = spec.nodeAffinity?.required;
  if (required === undefined) return true;
  return required.nodeSelectorTerms.some((term) => meetsTerm(term, labels));
}

/** The term's fields are ignored: a volume's affinity only looks at node labels. */
function meetsTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, labels: Labels): boolean {
  return matchExpressions.length + matchFields.length > 0 && matchesLabels(parseRequirements(matchExpressions), labels);
}
