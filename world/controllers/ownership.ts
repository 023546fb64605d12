import type { KubeObject, LabelSelector, ObjectMeta, OwnerReference } from '../../model/kube.ts';
import { controllerOf } from '../../model/owners.ts';
import { matchesSelector } from '../../model/selector.ts';
import { ClusterError } from '../ports.ts';
import type { ClusterPort, ManagedFilter, ObjectRef } from '../ports.ts';

/** The kind of a controller's objects, which identifies its owner references. */
export interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
  /** Plural. */
  readonly resource: string;
}

export const REPLICA_SET: Kind = { apiVersion: 'apps/v1', kind: 'ReplicaSet', resource: 'replicasets' };
export const DEPLOYMENT: Kind = { apiVersion: 'apps/v1', kind: 'Deployment', resource: 'deployments' };
export const DAEMON_SET: Kind = { apiVersion: 'apps/v1', kind: 'DaemonSet', resource: 'daemonsets' };
export const STATEFUL_SET: Kind = { apiVersion: 'apps/v1', kind: 'StatefulSet', resource: 'statefulsets' };
export const JOB: Kind = { apiVersion: 'batch/v1', kind: 'Job', resource: 'jobs' };

export function isControlledBy(object: KubeObject, owner: KubeObject): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid;
}

/** The key under which an object's owner is queued; undefined if no object of that kind manages it. */
export function ownerKey(object: KubeObject, { kind }: Kind): string | undefined {
  const owner = controllerOf(object);
  return owner?.kind === kind ? `${object.metadata.namespace}/${owner.name}` : undefined;
}

/** The filter for what an owner manages, and for what it may adopt. */
export function podsFor({ metadata: { namespace = '', uid = '' } }: KubeObject): ManagedFilter {
  return { namespace, managedBy: uid };
}

export function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** The reference for a key of `keyOf`. */
export function refOfKey({ resource }: Kind, key: string): ObjectRef {
  const [namespace = '', name = ''] = key.split('/');
  return { resource, namespace, name };
}

/** The reference of an object of a namespaced resource. */
export function refOf(resource: string, { metadata: { namespace = 'default', name = '' } }: KubeObject): ObjectRef {
  return { resource, namespace, name };
}

export function controllerRef({ apiVersion, kind }: Kind, { name = '', uid = '' }: ObjectMeta): OwnerReference {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/**
 * The objects that an owner manages, after it adopted the orphans that its selector matches and released objects that it no
 * longer matches (`ControllerRefManager` of `k8s.io/kubernetes/pkg/controller`). An owner that is being deleted does
 * neither, and orphans that are being deleted are left alone.
 */
export async function claim<T extends KubeObject>(
  port: ClusterPort,
  options: {
    readonly owner: KubeObject;
    readonly kind: Kind;
    readonly selector: LabelSelector;
    /** Plural name of the objects' resource. */
    readonly resource: string;
    readonly objects: readonly T[];
    /** Finalizers that adopted objects get and released ones lose. */
    readonly finalizers?: readonly string[];
  },
): Promise<T[]> {
  const { owner, kind, selector, resource, objects, finalizers = [] } = options;
  const dying = owner.metadata.deletionTimestamp !== undefined;
  const claimed: T[] = [];
  for (const object of objects) {
    const { metadata } = object;
    const manager = controllerOf(object);
    const matches = matchesSelector(selector, metadata.labels);
    if (manager !== undefined && manager.uid !== owner.metadata.uid) continue;
    if (manager !== undefined && matches) {
      claimed.push(object);
    } else if (manager !== undefined) {
      if (!dying) {
        const ownerReferences = (metadata.ownerReferences ?? []).filter(({ uid }) => uid !== owner.metadata.uid);
        const kept = (metadata.finalizers ?? []).filter((one) => !finalizers.includes(one));
        await repoint(port, refOf(resource, object), metadata, ownerReferences, kept);
      }
    } else if (matches && !dying && metadata.deletionTimestamp === undefined) {
      const ownerReferences = [...(metadata.ownerReferences ?? []), controllerRef(kind, owner.metadata)];
      const added = finalizers.filter((one) => metadata.finalizers?.includes(one) !== true);
      const adopted = await repoint<T>(port, refOf(resource, object), metadata, ownerReferences, [
        ...(metadata.finalizers ?? []),
        ...added,
      ]);
      if (adopted !== undefined) claimed.push(adopted);
    }
  }
  return claimed;
}

/** @returns undefined if the object is gone */
async function repoint<T extends KubeObject>(
  port: ClusterPort,
  at: ObjectRef,
  { uid, resourceVersion }: ObjectMeta,
  ownerReferences: readonly OwnerReference[],
  finalizers: readonly string[],
): Promise<T | undefined> {
  try {
    return await port.patch<T>(at, {
      metadata: {
        uid,
        resourceVersion,
        ownerReferences: ownerReferences.length === 0 ? null : ownerReferences,
        finalizers: finalizers.length === 0 ? null : finalizers,
      },
    });
  } catch (error) {
    if (error instanceof ClusterError && error.status === 404) return undefined;
    throw error;
  }
}
