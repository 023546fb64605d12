import type { Volume } from '../../model/kube.ts';
import { LABEL } from '../../model/kube.ts';
import type { PersistentVolumeClaim } from '../../model/storage.ts';
import type { Cluster, ClusterObjects } from './cluster.ts';
import type { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';
import { resolvable, unresolvable } from './rejection.ts';
import type { Rejection } from './rejection.ts';
import { claimName, planVolumes } from './volumes.ts';
import type { ClaimsOfPod } from './volumes.ts';

/** The labels for a volume's location, with the equivalent node labels. */
const ZONE_LABELS: readonly (readonly [string, string])[] = [
  ['failure-domain.beta.kubernetes.io/zone', LABEL.zone],
  ['failure-domain.beta.kubernetes.io/region', LABEL.region],
  [LABEL.zone, LABEL.zone],
  [LABEL.region, LABEL.region],
];

/**
 * The filters of a pod with volumes: VolumeRestrictions (EBS volumes named in the pod, and ReadWriteOncePod), CSI limits,
 * VolumeBinding and VolumeZone, in this order. In-tree volumes are not translated to CSI ones.
 */
export class VolumeFilters {
  readonly #pod: PodInfo;
  readonly #claims: ClaimsOfPod;
  readonly #objects: ClusterObjects;
  readonly #exclusive: ReadonlySet<string>;
  /** How many other pods use claims that allow only one pod. */
  #exclusiveUses = 0;

  constructor(pod: PodInfo, claims: ClaimsOfPod, cluster: Cluster) {
    this.#pod = pod;
    this.#claims = claims;
    this.#objects = cluster.objects;
    const exclusive = [...claims.bound, ...claims.unbound].filter(({ spec }) => spec.accessModes?.includes('ReadWriteOncePod'));
    this.#exclusive = new Set(exclusive.map(({ metadata }) => metadata.name ?? ''));
    if (this.#exclusive.size === 0) return;
    for (const { load } of cluster.nodes()) for (const other of load.pods.values()) this.adjust(other, 1);
  }

  rejection(node: NodeInfo): Rejection | undefined {
    return this.#restriction(node) ?? this.#limit(node) ?? this.#binding(node) ?? this.#zone(node);
  }

  /** Adds or removes a pod. */
  adjust(pod: PodInfo, delta: 1 | -1): void {
    if (this.#exclusive.size === 0 || pod.namespace !== this.#pod.namespace) return;
    for (const { persistentVolumeClaim } of pod.volumes) {
      if (persistentVolumeClaim !== undefined && this.#exclusive.has(persistentVolumeClaim.claimName)) this.#exclusiveUses += delta;
    }
  }

  #restriction({ load }: NodeInfo): Rejection | undefined {
    const disks = this.#pod.volumes.flatMap(diskOf);
    if (disks.length > 0) {
      for (const { volumes } of load.pods.values()) {
        if (volumes.flatMap(diskOf).some((disk) => disks.includes(disk))) {
          return resolvable('VolumeRestrictions', 'node(s) had no available disk');
        }
      }
    }
    if (this.#exclusiveUses <= 0) return undefined;
    return resolvable(
      'VolumeRestrictions',
      'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
    );
  }

  #limit({ name, load }: NodeInfo): Rejection | undefined {
    const drivers = this.#objects.csiNode(name)?.spec.drivers ?? [];
    const limits = new Map(
      drivers.flatMap(({ name, allocatable }) => (allocatable?.count === undefined ? [] : [[name, allocatable.count]])),
    );
    if (limits.size === 0) return undefined;
    const wanted = this.#attachable(this.#pod);
    const there = new Map<string, string>();
    for (const pod of load.pods.values()) for (const [volume, driver] of this.#attachable(pod)) there.set(volume, driver);
    for (const { spec } of this.#objects.attachments()) {
      const volume = spec.nodeName === name ? this.#objects.volume(spec.source.persistentVolumeName ?? '') : undefined;
      if (volume?.spec.csi !== undefined) there.set(`${spec.attacher}/${volume.spec.csi.volumeHandle}`, spec.attacher);
    }
    for (const [driver, limit] of limits) {
      const added = [...wanted].filter(([volume, of]) => of === driver && !there.has(volume)).length;
      const attached = [...there.values()].filter((of) => of === driver).length;
      if (added > 0 && attached + added > limit) return resolvable('NodeVolumeLimits', 'node(s) exceed max volume count');
    }
    return undefined;
  }

  /** Drivers by volume, for the CSI volumes of a pod, including those to be created. */
  #attachable({ pod, namespace, volumes }: PodInfo): Map<string, string> {
    const result = new Map<string, string>();
    for (const one of volumes) {
      const name = claimName(pod.metadata.name ?? '', one);
      const claim = name === undefined ? undefined : this.#objects.claim(namespace, name);
      const csi = claim === undefined ? undefined : this.#csiOf(claim);
      if (csi !== undefined) result.set(`${csi.driver}/${csi.volumeHandle}`, csi.driver);
    }
    return result;
  }

  #csiOf({ metadata, spec }: PersistentVolumeClaim): { readonly driver: string; readonly volumeHandle: string } | undefined {
    const volume = this.#objects.volume(spec.volumeName ?? '');
    if (volume !== undefined) return volume.spec.csi;
    const driver = this.#objects.storageClass(spec.storageClassName ?? '')?.provisioner;
    return driver === undefined ? undefined : { driver, volumeHandle: `claim ${metadata.namespace}/${metadata.name}` };
  }

  #binding(node: NodeInfo): Rejection | undefined {
    const plan = planVolumes(this.#claims, node, this.#objects);
    return 'plugin' in plan ? plan : undefined;
  }

  #zone({ labels }: NodeInfo): Rejection | undefined {
    if (!ZONE_LABELS.some(([key]) => labels[key] !== undefined)) return undefined;
    for (const { spec } of this.#claims.bound) {
      const volume = this.#objects.volume(spec.volumeName ?? '');
      for (const [key, alias] of ZONE_LABELS) {
        const zones = volume?.metadata.labels?.[key];
        if (zones !== undefined && !zones.split('__').includes(labels[key] ?? labels[alias] ?? '')) {
          return unresolvable('VolumeZone', 'node(s) had no available volume zone');
        }
      }
    }
    return undefined;
  }
}

/** EBS volumes that the pod itself names: two pods on a node can't share one. */
function diskOf({ awsElasticBlockStore }: Volume): string[] {
  return awsElasticBlockStore === undefined ? [] : [awsElasticBlockStore.volumeID];
}
