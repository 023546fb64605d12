import type { KubeObject, PodDisruptionBudget } from '../../model/kube.ts';
import type { Labels } from '../../model/selector.ts';
import type { CSINode, PersistentVolume, PersistentVolumeClaim, StorageClass, VolumeAttachment } from '../../model/storage.ts';
import type { ClusterObjects, Selecting } from './cluster.ts';

/** The resources other than nodes and pods that decisions depend on. A cluster need not serve all of them. */
export const FOLLOWED = [
  'namespaces',
  'persistentvolumeclaims',
  'persistentvolumes',
  'storageclasses',
  'csinodes',
  'volumeattachments',
  'services',
  'replicationcontrollers',
  'replicasets',
  'statefulsets',
  'poddisruptionbudgets',
] as const;
export type Followed = (typeof FOLLOWED)[number];

/** Resources whose changes may make a pod with volumes schedulable. */
export const OF_STORAGE: readonly Followed[] = [
  'persistentvolumeclaims',
  'persistentvolumes',
  'storageclasses',
  'csinodes',
  'volumeattachments',
];

/** Resources that only decide which of several nodes is best. */
const OF_SCORES: readonly Followed[] = ['services', 'replicationcontrollers', 'replicasets', 'statefulsets'];

/** The objects delivered by watches. */
export class ObjectCache implements ClusterObjects {
  readonly #onChange: () => void;
  readonly #objects = new Map<string, Map<string, KubeObject>>();
  readonly #servicesOf = new Map<string, readonly Selecting[]>();
  #budgets: readonly PodDisruptionBudget[] | undefined;

  /** @param onChange called when whether a pod finds a node may have changed */
  constructor(onChange: () => void = () => undefined) {
    this.#onChange = onChange;
  }

  set(resource: Followed, object: KubeObject): void {
    let objects = this.#objects.get(resource);
    if (objects === undefined) this.#objects.set(resource, (objects = new Map<string, KubeObject>()));
    objects.set(keyOf(object.metadata.namespace, object.metadata.name), object);
    this.#forget(resource);
  }

  remove(resource: Followed, object: KubeObject): void {
    this.#objects.get(resource)?.delete(keyOf(object.metadata.namespace, object.metadata.name));
    this.#forget(resource);
  }

  namespaceLabels(name: string): Labels | undefined {
    const found = this.#get('namespaces', undefined, name);
    return found === undefined ? undefined : (found.metadata.labels ?? {});
  }

  claim(namespace: string, name: string): PersistentVolumeClaim | undefined {
    return this.#get<PersistentVolumeClaim>('persistentvolumeclaims', namespace, name);
  }

  volume(name: string): PersistentVolume | undefined {
    return this.#get<PersistentVolume>('persistentvolumes', undefined, name);
  }

  volumes(): Iterable<PersistentVolume> {
    return this.#all<PersistentVolume>('persistentvolumes');
  }

  storageClass(name: string): StorageClass | undefined {
    return this.#get<StorageClass>('storageclasses', undefined, name);
  }

  csiNode(name: string): CSINode | undefined {
    return this.#get<CSINode>('csinodes', undefined, name);
  }

  attachments(): Iterable<VolumeAttachment> {
    return this.#all<VolumeAttachment>('volumeattachments');
  }

  services(namespace: string): readonly Selecting[] {
    let services = this.#servicesOf.get(namespace);
    if (services === undefined) {
      services = [...this.#all<Selecting>('services')].filter(({ metadata }) => metadata.namespace === namespace);
      this.#servicesOf.set(namespace, services);
    }
    return services;
  }

  owner(kind: string, namespace: string, name: string): Selecting | undefined {
    return this.#get<Selecting>(kind, namespace, name);
  }

  budgets(): readonly PodDisruptionBudget[] {
    this.#budgets ??= [...this.#all<PodDisruptionBudget>('poddisruptionbudgets')];
    return this.#budgets;
  }

  #forget(resource: Followed): void {
    if (!OF_SCORES.includes(resource)) this.#onChange();
    if (resource === 'services') this.#servicesOf.clear();
    if (resource === 'poddisruptionbudgets') this.#budgets = undefined;
  }

  #get<T extends KubeObject>(resource: string, namespace: string | undefined, name: string): T | undefined {
    return this.#objects.get(resource)?.get(keyOf(namespace, name)) as T | undefined;
  }

  #all<T extends KubeObject>(resource: Followed): Iterable<T> {
    return (this.#objects.get(resource)?.values() ?? []) as Iterable<T>;
  }
}

function keyOf(namespace: string | undefined, name: string | undefined): string {
  return `${namespace ?? ''}/${name ?? ''}`;
}
