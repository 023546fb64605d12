import type { KubeObject, LabelSelector, PodDisruptionBudget } from '../../model/kube.ts';
import type { Labels } from '../../model/selector.ts';
import type { CSINode, PersistentVolume, PersistentVolumeClaim, StorageClass, VolumeAttachment } from '../../model/storage.ts';
import type { NodeInfo } from './node-info.ts';
import type { PodAffinities, PodInfo } from './pod-info.ts';

/** Pods on nodes that are equivalent for the spread and the affinity of others. */
export interface PodGroup {
  readonly namespace: string;
  readonly labels: Labels;
  readonly affinity: PodAffinities;
  readonly hasAffinity: boolean;
  /** How many of them each node has, by node name. */
  readonly counts: ReadonlyMap<string, GroupCount>;
}

export interface GroupCount {
  readonly total: number;
  /** The terminating ones among them. */
  readonly terminating: number;
}

/** A Service, ReplicationController, ReplicaSet or StatefulSet, as far as its selector is concerned. */
export interface Selecting extends KubeObject {
  spec?: { selector?: LabelSelector | Record<string, string> };
}

/** An image on nodes. */
export interface NodeImage {
  /** Its size on the first of them: also for the others, although it differs between architectures (`addNodeImageStates`). */
  readonly sizeBytes: number;
  readonly nodes: number;
}

/** The input of a decision besides the pod. Read-only. */
export interface Cluster {
  /** Round robin over the zones, within each by name. */
  nodes(): readonly NodeInfo[];
  /** By place in `nodes()`: 1 for a node that is known to refuse the pods of a kind by itself. Whoever asks a node completes it. */
  full(kind: number): Uint8Array;
  node(name: string): NodeInfo | undefined;
  groups(): Iterable<PodGroup>;
  /** How many pods of a group are not terminating, in each domain of a topology key. */
  sums(group: PodGroup, topologyKey: string): ReadonlyMap<string, number>;
  /** Pods without a node that preempted others there, in the order in which they were nominated. */
  nominated(nodeName: string): readonly PodInfo[];
  /** An image that nodes have. */
  image(name: string): NodeImage | undefined;
  /** Where the next search for nodes starts, in clusters in which it stops early. */
  readonly searchFrom: number;
  readonly objects: ClusterObjects;
}

/** The objects other than nodes and pods that decisions depend on. */
export interface ClusterObjects {
  namespaceLabels(name: string): Labels | undefined;
  claim(namespace: string, name: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  volumes(): Iterable<PersistentVolume>;
  storageClass(name: string): StorageClass | undefined;
  csiNode(name: string): CSINode | undefined;
  attachments(): Iterable<VolumeAttachment>;
  services(namespace: string): readonly Selecting[];
  /** An owner of pods, of one of the kinds with default spreading. */
  owner(kind: string, namespace: string, name: string): Selecting | undefined;
  budgets(): readonly PodDisruptionBudget[];
}
