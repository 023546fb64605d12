import { LABEL } from '../model/kube.ts';
import type { KubeObject } from '../model/kube.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../model/storage.ts';
import type { Manifest } from './documents.ts';
import { CLAIM, STORAGE_CLASS, VOLUME, typeOf } from './kinds.ts';

/** What controllers write on claims and volumes: they refer to objects of the user's cluster. */
const OF_CONTROLLERS = /^(?:pv|volume|volume\.beta)\.kubernetes\.io\//;
/** The EBS driver's own name for the zone of a node, which nodes have beside the usual one. */
const EBS_ZONE = 'topology.ebs.csi.aws.com/zone';

/**
 * Storage as it can be applied to another cluster: without what controllers have written on it, as in the output of `kubectl get -o
 * yaml`, without volumes that are not among the manifests, and with the usual label for zones.
 */
export function portableStorage(manifests: readonly Manifest[]): {
  readonly manifests: readonly Manifest[];
  readonly notes: readonly string[];
} {
  const volumes = new Set(manifests.filter((manifest) => typeOf(manifest) === VOLUME).map(({ object }) => object.metadata.name));
  const notes: string[] = [];
  const portable = manifests.map((manifest): Manifest => {
    const type = typeOf(manifest);
    if (type !== CLAIM && type !== VOLUME && type !== STORAGE_CLASS) return manifest;
    const object = withUsualZones(withoutControllers(manifest.object));
    if (type === VOLUME) return { ...manifest, object: withoutIdentity(object as PersistentVolume) };
    if (type !== CLAIM) return { ...manifest, object };
    const { volumeName, ...spec } = (object as PersistentVolumeClaim).spec;
    if (volumeName === undefined || volumes.has(volumeName)) return { ...manifest, object };
    notes.push(`${manifest.where}: its volume ${volumeName} is not among the manifests, so a new one is created`);
    return { ...manifest, object: { ...object, spec } as KubeObject };
  });
  return { manifests: portable, notes };
}

function withoutControllers<T extends KubeObject>(object: T): T {
  const { annotations, ...metadata } = object.metadata;
  if (annotations === undefined) return object;
  const kept = Object.fromEntries(Object.entries(annotations).filter(([key]) => !OF_CONTROLLERS.test(key)));
  return { ...object, metadata: { ...metadata, annotations: kept } };
}

/** Without the identity of the claim that it is reserved for: the claim gets another one here. */
function withoutIdentity(volume: PersistentVolume): PersistentVolume {
  const { claimRef } = volume.spec;
  if (claimRef === undefined) return volume;
  const { apiVersion, kind, namespace, name } = claimRef;
  return { ...volume, spec: { ...volume.spec, claimRef: { apiVersion, kind, namespace, name } } };
}

function withUsualZones<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (key, inner: unknown) => (key === 'key' && inner === EBS_ZONE ? LABEL.zone : inner))) as T;
}
