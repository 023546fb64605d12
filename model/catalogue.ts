import type { DisruptionBudget } from './disruption-budget.ts';
import type { InstanceTypeDetails } from './instance-type-details.ts';
import type { NodeSelectorRequirement, Taint } from './kube.ts';

/** How an instance is paid for. */
export type CapacityType = 'spot' | 'on-demand';

/** One EC2 instance type, as DescribeInstanceTypes and the price list know it. */
export interface InstanceType {
  /** e.g. `m6i.large` */
  readonly type: string;
  readonly vcpu: number;
  readonly memoryMiB: number;
  readonly architecture: 'x86_64' | 'arm64';
  readonly hypervisor: string;
  readonly bareMetal: boolean;
  readonly currentGeneration: boolean;
  readonly usageClasses: readonly CapacityType[];
  readonly networkInterfaces: number;
  readonly ipv4PerInterface: number;
  readonly zones: readonly string[];
  readonly onDemandUsdPerHour: number;
  readonly gpu?: {
    /** 0 for a part of one (g6f). */
    readonly count: number;
    readonly name: string;
    readonly manufacturer: string;
    /** Of one, or of the part. */
    readonly memoryMiB: number;
    readonly workloads: readonly ('graphics' | 'ml-ai')[];
    /** Which share of a GPU a part is. */
    readonly partition?: number;
  };
  /** What else DescribeInstanceTypes tells. Absent where it is not known. */
  readonly details?: InstanceTypeDetails;
}

/** An architecture as Kubernetes names it. */
export type Arch = 'amd64' | 'arm64';

/** The value of the label `kubernetes.io/arch` on nodes of that type. */
export function archOf({ architecture }: Pick<InstanceType, 'architecture'>): Arch {
  return architecture === 'x86_64' ? 'amd64' : 'arm64';
}

/** What can be bought: a type in a zone, spot or on demand. */
export interface Offering {
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: CapacityType;
}

/** An offering as an error names it: its place by zone, by subnet or by both, its capacity type where the error says it. */
export interface NamedOffering {
  readonly instanceType: string;
  readonly zone?: string;
  readonly subnet?: string;
  readonly capacityType?: CapacityType;
}

/** Some offerings: those that match every list that is given. An empty selector matches all. */
export interface OfferingSelector {
  readonly instanceTypes?: readonly string[];
  readonly zones?: readonly string[];
  readonly capacityTypes?: readonly CapacityType[];
}

/** Whether an offering is among the selected. */
export function selects(selector: OfferingSelector, offering: Offering): boolean {
  return (
    (selector.instanceTypes?.includes(offering.instanceType) ?? true) &&
    (selector.zones?.includes(offering.zone) ?? true) &&
    (selector.capacityTypes?.includes(offering.capacityType) ?? true)
  );
}

/** `spot:m6i.large:us-east-1a`: the key of an offering in caches, and its name in messages. */
export function formatOffering(offering: Offering): string {
  return `${offering.capacityType}:${offering.instanceType}:${offering.zone}`;
}

/** Which of a pool's nodes are taken though nothing is wrong with them, when, and how many at once. */
export interface PoolDisruption {
  /** `when-empty`: nodes without pods go. `when-empty-or-underutilized`: others too, whose pods need no node, or a cheaper one. */
  readonly consolidation: 'when-empty' | 'when-empty-or-underutilized';
  /** For how long nothing has come to a node or left it before it goes; `never`: no node goes. By default the target's own. */
  readonly consolidateAfterMs?: number | 'never';
  /** By default all at once. */
  readonly budgets?: readonly DisruptionBudget[];
}

/** A pool of capacity in no autoscaler's words: each target translates it into its own (NodePools, groups). */
export interface Pool {
  readonly name: string;
  /** On node labels: zone, instance type, capacity type, architecture, and labels of the user's own. */
  readonly requirements: readonly NodeSelectorRequirement[];
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  /** Taints that something in the cluster removes once the node has started: pods need not tolerate them. */
  readonly startupTaints: readonly Taint[];
  /** Most that the pool may hold, absent for no limit. */
  readonly limits?: { readonly cpu?: number; readonly memoryMiB?: number; readonly nodes?: number };
  /** Higher is preferred. */
  readonly weight: number;
  /** By default nodes go when they are empty, as many at once as there are. */
  readonly disruption?: PoolDisruption;
  /** A node of this age is replaced, whatever runs on it; absent for never. In milliseconds. */
  readonly expireAfterMs?: number;
  /** A node that drains for longer loses the pods that are left, so that it ends in time; absent for no limit. In milliseconds. */
  readonly terminationGracePeriodMs?: number;
  /** By label: of how many values at least each launch must have the choice. Absent: one is enough. */
  readonly minimumValues?: Readonly<Record<string, number>>;
  /** Static capacity: the pool has so many nodes, with pods or without. Absent: as many as pods need. */
  readonly replicas?: number;
}
