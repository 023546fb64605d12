import type { KubeObject, LabelSelector, NodeSelectorTerm, ResourceList } from './kube.ts';

/** The Kubernetes objects of storage, as plain JSON: only the fields that are used here (core/v1, storage.k8s.io/v1). */
export interface PersistentVolumeClaim extends KubeObject {
  spec: {
    accessModes?: string[];
    resources?: { requests?: ResourceList };
    selector?: LabelSelector;
    storageClassName?: string;
    volumeMode?: 'Filesystem' | 'Block';
    volumeName?: string;
  };
  status?: { phase?: 'Pending' | 'Bound' | 'Lost'; accessModes?: string[]; capacity?: ResourceList };
}

export interface PersistentVolume extends KubeObject {
  spec: {
    accessModes?: string[];
    capacity?: ResourceList;
    claimRef?: { apiVersion?: string; kind?: string; namespace?: string; name?: string; uid?: string };
    csi?: { driver: string; volumeHandle: string };
    nodeAffinity?: { required?: { nodeSelectorTerms: NodeSelectorTerm[] } };
    persistentVolumeReclaimPolicy?: 'Delete' | 'Retain';
    storageClassName?: string;
    volumeMode?: 'Filesystem' | 'Block';
  };
  status?: { phase?: 'Pending' | 'Available' | 'Bound' | 'Released' | 'Failed' };
}

export interface StorageClass extends KubeObject {
  provisioner: string;
  volumeBindingMode?: 'Immediate' | 'WaitForFirstConsumer';
  allowedTopologies?: { matchLabelExpressions?: { key: string; values: string[] }[] }[];
}

/** The capabilities of a node's CSI drivers. */
export interface CSINode extends KubeObject {
  spec: { drivers: { name: string; nodeID?: string; allocatable?: { count?: number } }[] };
}

/** A volume that is, or should be, attached to a node. */
export interface VolumeAttachment extends KubeObject {
  spec: { attacher: string; nodeName: string; source: { persistentVolumeName?: string } };
}

/** The annotation with which the scheduler tells a provisioner where a volume will first be used. */
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';

/** The annotation of a completed binding between a claim and its volume. */
export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
