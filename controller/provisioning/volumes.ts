import type { NodeSelectorRequirement, NodeSelectorTerm, Pod, Volume } from '../../model/kube.ts';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../model/storage.ts';
import type { PodToPlace } from '../scheduling/types.ts';

/** Storage objects by name, as far as known. */
export interface Storage {
  claim(namespace: string, name: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  storageClass(name: string): StorageClass | undefined;
}

/** A pod with its volumes' topology, or what makes its volumes unusable. */
export type Placed = { readonly pod: PodToPlace } | { readonly problem: string };

/**
 * Adds where a pod's volumes are, or can be created. A missing object is a problem of this pod only. Limits of volumes per node are
 * not supported.
 * Source: Karpenter, `pkg/controllers/provisioning/scheduling/volumetopology.go`, v1.8; it puts them into the pod's node affinity.
 */
export function withVolumeTopology(pod: Pod, storage: Storage): Placed {
  const sets: NodeSelectorTerm[][] = [];
  for (const [index, volume] of (pod.spec.volumes ?? []).entries()) {
    const found = termsOf(pod, volume, storage);
    if (typeof found === 'string') return { problem: `spec.volumes[${index}]: ${found}` };
    if (found.length > 0) sets.push(found);
  }
  if (sets.length === 0) return { pod };
  // Terms are alternatives: all of one volume have to be combined with all of the next.
  const volumeTerms = sets.reduce((terms, set) => terms.flatMap((one) => set.map((other) => both(one, other))));
  return { pod: { ...pod, volumeTerms } };
}

/** The topology of one volume; empty for a volume that can be anywhere; a string describes a problem. */
function termsOf(pod: Pod, volume: Volume, storage: Storage): NodeSelectorTerm[] | string {
  const namespace = pod.metadata.namespace ?? '';
  const generated = volume.ephemeral === undefined ? undefined : `${pod.metadata.name ?? ''}-${volume.name}`;
  const name = volume.persistentVolumeClaim?.claimName ?? generated;
  if (name === undefined) return [];
  const claim = storage.claim(namespace, name);
  if (claim === undefined) {
    // The controller of ephemeral volumes will create it in a moment.
    return generated === undefined ? `persistentVolumeClaim ${name} does not exist` : [];
  }
  if (claim.metadata.deletionTimestamp !== undefined) return `persistentVolumeClaim ${name} is being deleted`;
  if (claim.status?.phase === 'Lost') return `persistentVolumeClaim ${name} has lost its volume`;
  const { volumeName = '', storageClassName = '' } = claim.spec;
  if (volumeName !== '') {
    const bound = storage.volume(volumeName);
    if (bound === undefined) return `persistentVolume ${volumeName} of claim ${name} does not exist`;
    return bound.spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  }
  if (storageClassName === '') return `persistentVolumeClaim ${name} is not bound and names no storage class`;
  const storageClass = storage.storageClass(storageClassName);
  if (storageClass === undefined) return `storageClass ${storageClassName} of claim ${name} does not exist`;
  if (storageClass.volumeBindingMode !== 'WaitForFirstConsumer') return `persistentVolumeClaim ${name} is not bound yet`;
  return (storageClass.allowedTopologies ?? []).map(({ matchLabelExpressions = [] }) => ({
    matchExpressions: matchLabelExpressions.map(({ key, values }): NodeSelectorRequirement => ({ key, operator: 'In', values })),
  }));
}

function both(a: NodeSelectorTerm, b: NodeSelectorTerm): NodeSelectorTerm {
  return {
    matchExpressions: [...(a.matchExpressions ?? []), ...(b.matchExpressions ?? [])],
    matchFields: [...(a.matchFields ?? []), ...(b.matchFields ?? [])],
  };
}
