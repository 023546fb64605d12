/**
 * The Kubernetes objects that an autoscaler's world is made of, as plain JSON: only the fields that something here
 * reads. Names and meanings are the API's own (Kubernetes 1.34); times are RFC 3339 strings.
 */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  finalizers?: string[];
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
}

export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
  lastHeartbeatTime?: string;
}

export interface LabelSelectorRequirement {
  key: string;
  operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  values?: string[];
}

/** Null or absent matches nothing, empty matches everything. */
export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: LabelSelectorRequirement[];
}

export type TaintEffect = 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';

export interface Taint {
  key: string;
  value?: string;
  effect: TaintEffect;
  timeAdded?: string;
}

export interface Toleration {
  key?: string;
  operator?: 'Exists' | 'Equal';
  value?: string;
  effect?: TaintEffect;
  tolerationSeconds?: number;
}

export interface TopologySpreadConstraint {
  maxSkew: number;
  topologyKey: string;
  whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway';
  labelSelector?: LabelSelector;
  minDomains?: number;
  nodeAffinityPolicy?: 'Honor' | 'Ignore';
  nodeTaintsPolicy?: 'Honor' | 'Ignore';
  matchLabelKeys?: string[];
}

/** A requirement on node labels: a selector's or affinity term's, or a pool's. */
export interface NodeSelectorRequirement {
  key: string;
  operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';
  values?: string[];
}

export interface NodeSelectorTerm {
  matchExpressions?: NodeSelectorRequirement[];
  matchFields?: NodeSelectorRequirement[];
}

/** Quantities by resource name, e.g. `{cpu: '500m', memory: '1Gi'}`. */
export type ResourceList = Record<string, string>;

export interface Container {
  name: string;
  image?: string;
  resources?: { requests?: ResourceList; limits?: ResourceList };
}

export interface PodSpec {
  containers: Container[];
  initContainers?: (Container & { restartPolicy?: 'Always' })[];
  overhead?: ResourceList;
  nodeName?: string;
  nodeSelector?: Record<string, string>;
  affinity?: {
    nodeAffinity?: {
      requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms: NodeSelectorTerm[] };
    };
  };
  tolerations?: Toleration[];
  topologySpreadConstraints?: TopologySpreadConstraint[];
  terminationGracePeriodSeconds?: number;
  schedulerName?: string;
  schedulingGates?: { name: string }[];
  priority?: number;
}

export interface Pod extends KubeObject {
  spec: PodSpec;
  status?: {
    phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
    conditions?: Condition[];
    nominatedNodeName?: string;
    startTime?: string;
    reason?: string;
    message?: string;
  };
}

export interface Node extends KubeObject {
  spec?: { providerID?: string; taints?: Taint[]; unschedulable?: boolean };
  status?: {
    capacity?: ResourceList;
    allocatable?: ResourceList;
    conditions?: Condition[];
    addresses?: { type: string; address: string }[];
    nodeInfo?: Record<string, string>;
  };
}

export interface ReplicaSet extends KubeObject {
  spec: {
    replicas?: number;
    selector: LabelSelector;
    template: { metadata?: ObjectMeta; spec: PodSpec };
  };
  status?: { replicas: number; readyReplicas?: number; observedGeneration?: number };
}

/** A core/v1 Event. */
export interface KubeEvent extends KubeObject {
  involvedObject: { apiVersion?: string; kind?: string; name?: string; namespace?: string; uid?: string };
  reason?: string;
  message?: string;
  type?: 'Normal' | 'Warning';
  count?: number;
  source?: { component?: string };
  reportingComponent?: string;
  firstTimestamp?: string;
  lastTimestamp?: string;
}

/** The label by which a scenario's pods name their workload. */
export const WORKLOAD_LABEL = 'scaleproof.dev/workload';

/** The well-known labels of nodes. */
export const LABEL = {
  hostname: 'kubernetes.io/hostname',
  zone: 'topology.kubernetes.io/zone',
  region: 'topology.kubernetes.io/region',
  instanceType: 'node.kubernetes.io/instance-type',
  arch: 'kubernetes.io/arch',
  os: 'kubernetes.io/os',
  capacityType: 'karpenter.sh/capacity-type',
} as const;
