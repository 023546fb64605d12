import type { DisruptionBudget } from './disruption-budget.ts';
import type { InstanceTypeDetails } from './instance-type-details.ts';
import { LABEL } from './kube.ts';
import type { NodeSelectorRequirement, Taint } from './kube.ts';
import type { UserNodeClass } from './node-class.ts';
import type { NodeSettings } from './node-settings.ts';

/** How an instance is paid for. */
export type CapacityType = 'spot' | 'on-demand';

/** One EC2 instance type, with data from DescribeInstanceTypes and the price list. */
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
    /** 0 for a fraction of a GPU (g6f). */
    readonly count: number;
    readonly name: string;
    readonly manufacturer: string;
    /** Of one GPU, or of the fraction. */
    readonly memoryMiB: number;
    readonly workloads: readonly ('graphics' | 'ml-ai')[];
    /** The fraction of a GPU. */
    readonly partition?: number;
  };
  /** Further data from DescribeInstanceTypes. Absent if unknown. */
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

/** An offering as an error names it: by zone, subnet or both, with the capacity type if the error gives it. */
export interface NamedOffering {
  readonly instanceType: string;
  readonly zone?: string;
  readonly subnet?: string;
  readonly capacityType?: CapacityType;
}

/** Some offerings: those that match every given list. An empty selector matches all. */
export interface OfferingSelector {
  readonly instanceTypes?: readonly string[];
  readonly zones?: readonly string[];
  readonly capacityTypes?: readonly CapacityType[];
}

/** Whether an offering is selected. */
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

/** Which of a pool's healthy nodes may be disrupted, when, and how many at once. */
export interface PoolDisruption {
  /** `when-empty`: nodes without pods. `when-empty-or-underutilized`: also others whose pods fit elsewhere, or on a cheaper node. */
  readonly consolidation: 'when-empty' | 'when-empty-or-underutilized';
  /** How long the pods of a node must be unchanged before it is disrupted; `never`: no node is. By default the target's own. */
  readonly consolidateAfterMs?: number | 'never';
  /** By default all at once. */
  readonly budgets?: readonly DisruptionBudget[];
}

/** A pool of capacity, independent of the autoscaler: each target translates it into its own terms (NodePools, groups). */
export interface Pool {
  readonly name: string;
  /** On node labels: zone, instance type, capacity type, architecture, and the user's own labels. */
  readonly requirements: readonly NodeSelectorRequirement[];
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  /** Taints that are removed by something in the cluster once the node has started: pods need not tolerate them. */
  readonly startupTaints: readonly Taint[];
  /** The pool's limits; absent for none. */
  readonly limits?: { readonly cpu?: number; readonly memoryMiB?: number; readonly nodes?: number };
  /** Higher is preferred. */
  readonly weight: number;
  /** By default only empty nodes are disrupted, any number at once. */
  readonly disruption?: PoolDisruption;
  /** A node of this age is always replaced; absent for never. In milliseconds. */
  readonly expireAfterMs?: number;
  /** After draining for this long, a node loses its remaining pods; absent for no limit. In milliseconds. */
  readonly terminationGracePeriodMs?: number;
  /** By label: the minimum number of values that each launch must offer EC2. By default one is enough. */
  readonly minimumValues?: Readonly<Record<string, number>>;
  /** Static capacity: the pool always has this many nodes, with pods or without. Absent: as many as pods need. */
  readonly replicas?: number;
  /** What its nodes' user data sets; by default nothing. */
  readonly nodeSettings?: NodeSettings;
  /** What its nodes start with. Absent: as the target starts nodes. Targets without the feature `node-classes` ignore it. */
  readonly nodeClass?: UserNodeClass;
}

/** Whether a pool names spot among its capacity types. */
export function namesSpot({
  requirements,
}: {
  readonly requirements: readonly { readonly key: string; readonly operator: string; readonly values?: readonly string[] | undefined }[];
}): boolean {
  return requirements.some(({ key, operator, values = [] }) => key === LABEL.capacityType && operator === 'In' && values.includes('spot'));
}
