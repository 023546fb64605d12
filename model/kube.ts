/**
 * The Kubernetes objects of an autoscaler's world, as plain JSON: only the fields that are used here. Names and meanings are
 * the API's own (Kubernetes 1.34); times are RFC 3339 strings.
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
  lastUpdateTime?: string;
  lastProbeTime?: string;
  observedGeneration?: number;
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
  ports?: { containerPort: number; hostPort?: number; hostIP?: string; protocol?: 'TCP' | 'UDP' | 'SCTP' }[];
}

/** Only the kinds of volumes that affect where a pod can run. */
export interface Volume {
  name: string;
  persistentVolumeClaim?: { claimName: string; readOnly?: boolean };
  ephemeral?: object;
  awsElasticBlockStore?: { volumeID: string; readOnly?: boolean };
}

/** A term of affinity or anti-affinity to other pods, counted over the domains of a topology key. */
export interface PodAffinityTerm {
  topologyKey: string;
  labelSelector?: LabelSelector;
  namespaces?: string[];
  namespaceSelector?: LabelSelector;
  matchLabelKeys?: string[];
  mismatchLabelKeys?: string[];
}

/** Affinity or anti-affinity to other pods. */
export interface PodAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
  preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; podAffinityTerm: PodAffinityTerm }[];
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
      preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; preference: NodeSelectorTerm }[];
    };
    podAffinity?: PodAffinity;
    podAntiAffinity?: PodAffinity;
  };
  tolerations?: Toleration[];
  topologySpreadConstraints?: TopologySpreadConstraint[];
  terminationGracePeriodSeconds?: number;
  schedulerName?: string;
  schedulingGates?: { name: string }[];
  priority?: number;
  priorityClassName?: string;
  preemptionPolicy?: 'PreemptLowerPriority' | 'Never';
  hostNetwork?: boolean;
  runtimeClassName?: string;
  volumes?: Volume[];
  /** Requests of the pod as a whole. */
  resources?: { requests?: ResourceList; limits?: ResourceList };
  restartPolicy?: string;
  activeDeadlineSeconds?: number;
  hostname?: string;
  subdomain?: string;
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
    hostIP?: string;
    containerStatuses?: ContainerStatus[];
  };
}

/** The status of one container of a pod. */
export interface ContainerStatus {
  name: string;
  image: string;
  imageID: string;
  ready: boolean;
  started?: boolean;
  restartCount: number;
  state?: {
    running?: { startedAt: string };
    terminated?: { exitCode: number; reason: string; startedAt?: string; finishedAt: string };
  };
  resources?: { requests?: ResourceList; limits?: ResourceList };
  allocatedResources?: ResourceList;
}

export interface Node extends KubeObject {
  spec?: { providerID?: string; taints?: Taint[]; unschedulable?: boolean };
  status?: {
    capacity?: ResourceList;
    allocatable?: ResourceList;
    conditions?: Condition[];
    addresses?: { type: string; address: string }[];
    nodeInfo?: Record<string, string>;
    images?: { names: string[]; sizeBytes: number }[];
  };
}

/** What a workload's pods are made from. */
export interface PodTemplate {
  metadata?: ObjectMeta;
  spec: PodSpec;
}

/** A number, or a percentage such as `25%`. */
export type IntOrPercent = number | string;

export interface ReplicaSet extends KubeObject {
  spec: { replicas?: number; minReadySeconds?: number; selector: LabelSelector; template: PodTemplate };
  status?: {
    replicas: number;
    fullyLabeledReplicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
    observedGeneration?: number;
    conditions?: Condition[];
  };
}

/** An apps/v1 Deployment. */
export interface Deployment extends KubeObject {
  spec: {
    replicas?: number;
    selector: LabelSelector;
    template: PodTemplate;
    strategy?: { type?: 'RollingUpdate' | 'Recreate'; rollingUpdate?: { maxSurge?: IntOrPercent; maxUnavailable?: IntOrPercent } };
    minReadySeconds?: number;
    revisionHistoryLimit?: number;
    paused?: boolean;
    progressDeadlineSeconds?: number;
  };
  status?: {
    observedGeneration?: number;
    replicas?: number;
    updatedReplicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
    unavailableReplicas?: number;
    collisionCount?: number;
    conditions?: Condition[];
  };
}

/** An apps/v1 DaemonSet. */
export interface DaemonSet extends KubeObject {
  spec: {
    selector: LabelSelector;
    template: PodTemplate;
    minReadySeconds?: number;
    updateStrategy?: { type?: 'RollingUpdate' | 'OnDelete'; rollingUpdate?: { maxSurge?: IntOrPercent; maxUnavailable?: IntOrPercent } };
  };
  status?: {
    currentNumberScheduled: number;
    numberMisscheduled: number;
    desiredNumberScheduled: number;
    numberReady: number;
    observedGeneration?: number;
    updatedNumberScheduled?: number;
    numberAvailable?: number;
    numberUnavailable?: number;
  };
}

/** An apps/v1 StatefulSet. */
export interface StatefulSet extends KubeObject {
  spec: {
    replicas?: number;
    selector: LabelSelector;
    template: PodTemplate;
    serviceName?: string;
    podManagementPolicy?: 'OrderedReady' | 'Parallel';
    updateStrategy?: { type?: 'RollingUpdate' | 'OnDelete'; rollingUpdate?: { partition?: number } };
    minReadySeconds?: number;
    ordinals?: { start?: number };
    /** Claims that each pod gets for itself. */
    volumeClaimTemplates?: readonly (KubeObject & { spec?: object })[];
  };
  status?: {
    replicas: number;
    readyReplicas?: number;
    currentReplicas?: number;
    updatedReplicas?: number;
    availableReplicas?: number;
    currentRevision?: string;
    updateRevision?: string;
    observedGeneration?: number;
  };
}

/** A batch/v1 Job. */
export interface Job extends KubeObject {
  spec: {
    parallelism?: number;
    completions?: number;
    backoffLimit?: number;
    activeDeadlineSeconds?: number;
    ttlSecondsAfterFinished?: number;
    suspend?: boolean;
    manualSelector?: boolean;
    selector?: LabelSelector;
    template: PodTemplate;
  };
  status?: {
    active?: number;
    ready?: number;
    terminating?: number;
    succeeded?: number;
    failed?: number;
    startTime?: string;
    completionTime?: string;
    uncountedTerminatedPods?: { succeeded?: string[]; failed?: string[] };
    conditions?: Condition[];
  };
}

/** The priority classes that every cluster has, with their values. */
export const SYSTEM_PRIORITY_CLASSES: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};

/** A policy/v1 PodDisruptionBudget. */
export interface PodDisruptionBudget extends KubeObject {
  spec: {
    selector?: LabelSelector;
    minAvailable?: IntOrPercent;
    maxUnavailable?: IntOrPercent;
    unhealthyPodEvictionPolicy?: 'IfHealthyBudget' | 'AlwaysAllow';
  };
  status?: {
    observedGeneration?: number;
    disruptionsAllowed: number;
    currentHealthy: number;
    desiredHealthy: number;
    expectedPods: number;
    disruptedPods?: Record<string, string>;
    conditions?: Condition[];
  };
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

/** The label with which a scenario's pods name their workload. */
export const WORKLOAD_LABEL = 'scaleproof.dev/workload';

/** Annotation of a pod: its containers exit 0 this many seconds after they started. Without it they run forever. */
export const RUN_SECONDS_ANNOTATION = 'scaleproof.dev/run-seconds';

/** Annotation of a pod: its containers stop this many seconds after they were told to. Without it they stop within moments. */
export const STOP_SECONDS_ANNOTATION = 'scaleproof.dev/stop-seconds';

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

/** Karpenter's label for the pool of a node. */
export const NODE_POOL_LABEL = 'karpenter.sh/nodepool';

/** The same on nodes of groups, whose own labels name no pool. */
export const GROUP_POOL_LABEL = 'scaleproof.dev/pool';

/** The pool that a node's labels name, or an instance's tags. */
export function namedPool(labels: Readonly<Record<string, string>> | undefined): string | undefined {
  return labels?.[NODE_POOL_LABEL] ?? labels?.[GROUP_POOL_LABEL];
}
