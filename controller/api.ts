import { parseDurationMs } from '../model/go-duration.ts';
import { LABEL } from '../model/kube.ts';
import type { Condition, KubeObject, NodeSelectorRequirement, ResourceList, Taint } from '../model/kube.ts';
import type { KubeletSettings } from '../model/node-settings.ts';

/**
 * Karpenter's APIs as far as this autoscaler uses them. Fields have Karpenter's names and meanings (karpenter.sh/v1 and
 * karpenter.k8s.aws/v1, v1.14).
 */
export interface NodePool extends KubeObject {
  spec: {
    template: {
      metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
      spec: {
        requirements: PoolRequirement[];
        taints?: Taint[];
        startupTaints?: Taint[];
        nodeClassRef: NodeClassRef;
        /** e.g. `720h`, or `Never`: the age at which nodes are replaced. Absent for never: Karpenter's CRD defaults to 720h there. */
        expireAfter?: string;
        /** e.g. `48h`: how long a drain may take; absent for no limit. */
        terminationGracePeriod?: string;
      };
    };
    disruption?: {
      /** e.g. `30s`, or `Never`. */
      consolidateAfter?: string;
      consolidationPolicy?: 'WhenEmpty' | 'WhenEmptyOrUnderutilized';
      /** By default one of 10 %. */
      budgets?: Budget[];
    };
    /** Resource names, and `nodes`. */
    limits?: ResourceList;
    /** 1 to 100; higher is preferred. */
    weight?: number;
    /** Static capacity: the pool always has this many nodes, with pods or without. */
    replicas?: number;
  };
}

/** A requirement of a pool or claim; `minValues` is the minimum number of values that a launch must offer. */
export interface PoolRequirement extends NodeSelectorRequirement {
  minValues?: number;
}

/** Reasons to disrupt a healthy node. */
export type DisruptionReason = 'Underutilized' | 'Empty' | 'Drifted';

/** How many of a pool's nodes may be disrupted at once: a number or a percentage, for some reasons or for all. */
export interface Budget {
  nodes: string;
  reasons?: DisruptionReason[];
  /** When it is active: cron, in UTC, and duration; by default always. */
  schedule?: string;
  duration?: string;
}

interface NodeClassRef {
  group: string;
  kind: string;
  name: string;
}

export interface NodeClaim extends KubeObject {
  spec: {
    requirements: PoolRequirement[];
    resources?: { requests?: ResourceList };
    taints?: Taint[];
    startupTaints?: Taint[];
    nodeClassRef: NodeClassRef;
    expireAfter?: string;
    terminationGracePeriod?: string;
  };
  status?: {
    /** `aws:///<zone>/<instance id>`; once set, the claim owns this instance and no other. */
    providerID?: string;
    nodeName?: string;
    imageID?: string;
    capacity?: ResourceList;
    allocatable?: ResourceList;
    conditions?: Condition[];
  };
}

export interface EC2NodeClass extends KubeObject {
  spec: {
    amiSelectorTerms: { id?: string; alias?: string; name?: string }[];
    subnetSelectorTerms: { id?: string; tags?: Record<string, string> }[];
    securityGroupSelectorTerms: { id?: string; tags?: Record<string, string> }[];
    instanceProfile?: string;
    role?: string;
    tags?: Record<string, string>;
    kubelet?: KubeletSettings;
    /** A NodeConfig as YAML, which nodes get in addition to their own. */
    userData?: string;
  };
  status?: { conditions?: Condition[] };
}

/** Label keys, and tag keys of the same name. */
export const KARPENTER = {
  nodePool: 'karpenter.sh/nodepool',
  nodeClaim: 'karpenter.sh/nodeclaim',
  nodeClass: 'karpenter.k8s.aws/ec2nodeclass',
  registered: 'karpenter.sh/registered',
  initialized: 'karpenter.sh/initialized',
  clusterTag: 'eks:eks-cluster-name',
  finalizer: 'karpenter.sh/termination',
  classFinalizer: 'karpenter.k8s.aws/termination',
  doNotDisrupt: 'karpenter.sh/do-not-disrupt',
  /** Annotations of a claim: hashes of its pool's template and of its class when it was created. */
  poolHash: 'karpenter.sh/nodepool-hash',
  classHash: 'karpenter.k8s.aws/ec2nodeclass-hash',
  /** Annotation of a claim: when its instance is terminated, drained or not. RFC 3339. */
  terminationTime: 'karpenter.sh/nodeclaim-termination-timestamp',
  /**
   * Annotation of a claim: the launch in progress (see launch/attempt.ts). Tag of instances that were launched for several claims:
   * the request's token. Not Karpenter's, which keeps launches in memory and tags instances later.
   */
  launch: 'scaleproof.dev/launch',
} as const;

/** Nodes start with it, by their kubelet's `registerWithTaints`, and it is removed at registration. */
export const UNREGISTERED_TAINT: Taint = { key: 'karpenter.sh/unregistered', effect: 'NoExecute' };
/** Nodes that are about to be removed. */
export const DISRUPTED_TAINT: Taint = { key: 'karpenter.sh/disrupted', effect: 'NoSchedule' };

/** Condition types of a NodeClaim. */
export const CONDITION = {
  launched: 'Launched',
  registered: 'Registered',
  initialized: 'Initialized',
  drifted: 'Drifted',
  drained: 'Drained',
  instanceTerminating: 'InstanceTerminating',
} as const;

/** `kubernetes.io/cluster/<name>`: the tag that marks an instance as owned by a cluster. */
export function clusterTag(clusterName: string): string {
  return `kubernetes.io/cluster/${clusterName}`;
}

/** The name of an object that came from the server. */
export function nameOf(object: KubeObject): string {
  return object.metadata.name ?? '';
}

/** The uid of an object that came from the server. */
export function uidOf(object: KubeObject): string {
  return object.metadata.uid ?? '';
}

/** The pool of a claim; empty if unknown. */
export function nodePoolOf(claim: KubeObject): string {
  return claim.metadata.labels?.[KARPENTER.nodePool] ?? '';
}

/** The labels of metrics about claims and Nodes. */
export function poolLabelsOf(object: KubeObject): { nodepool: string; capacity_type: string } {
  return { nodepool: nodePoolOf(object), capacity_type: object.metadata.labels?.[LABEL.capacityType] ?? '' };
}

/** A duration in Go's notation (`1h30m`), in ms; 0 for `Never`, which callers know. */
export function durationOf(text: string): number {
  return parseDurationMs(text) ?? 0;
}

export function isDeleting(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

export function isTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
}

/** Milliseconds since the epoch of an RFC 3339 time; undefined if there is none. */
export function timeOf(text: string | undefined): number | undefined {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

/** When a claim's instance was launched, according to the claim, in ms since the epoch. */
export function launchTime(claim: NodeClaim): number {
  const launched = claim.status?.conditions?.find(({ type, status }) => type === CONDITION.launched && status === 'True');
  return timeOf(launched?.lastTransitionTime) ?? timeOf(claim.metadata.creationTimestamp) ?? 0;
}
