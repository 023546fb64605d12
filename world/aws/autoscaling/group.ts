import type { InstancesDistribution, LaunchTemplateOverrides, LaunchTemplateSpecification } from '@aws-sdk/client-auto-scaling';
import type { InstanceRecord } from '../instances.ts';

/** A tag of a group, which new instances get too if it is propagated. */
export interface GroupTag {
  readonly value: string;
  readonly propagate: boolean;
}

/** How a group chooses types and capacity types; absent members have Auto Scaling's defaults. */
export interface MixedInstances {
  readonly overrides: readonly LaunchTemplateOverrides[];
  readonly distribution: InstancesDistribution;
}

/** What a user sets about a group. */
export interface GroupSettings {
  readonly min: number;
  readonly max: number;
  readonly desired: number;
  readonly template: LaunchTemplateSpecification;
  readonly mixed?: MixedInstances;
  /** In the order of the request. */
  readonly subnets: readonly string[];
  readonly cooldownS: number;
  readonly healthCheckType: string;
  readonly graceS: number;
  readonly terminationPolicies: readonly string[];
  readonly protectsNew: boolean;
  readonly capacityRebalance: boolean;
  readonly warmupS?: number;
  readonly maxLifetimeS?: number;
  readonly context?: string;
}

/** An Auto Scaling group. Groups are immutable: a change replaces them. */
export interface Group extends GroupSettings {
  readonly name: string;
  readonly arn: string;
  readonly createdAtMs: number;
  readonly tags: ReadonlyMap<string, GroupTag>;
  /** Processes that do not run, by name. */
  readonly suspended: ReadonlyMap<string, string>;
  /** It is deleted as soon as its instances are terminated. */
  readonly isDeleting: boolean;
}

/** Where a member is in its life. */
export type Lifecycle = 'Pending' | 'InService' | 'EnteringStandby' | 'Standby' | 'Terminating';

/** An instance of a group. Members are immutable: a change replaces them. */
export interface Member {
  readonly instance: string;
  readonly group: string;
  readonly lifecycle: Lifecycle;
  readonly isHealthy: boolean;
  /** EC2 recommended to replace it: it goes as soon as another is in service. */
  readonly isAtRisk?: true;
  /** A refresh replaces it, and it goes as soon as another is in service. */
  readonly isOutdated?: true;
  /** It was launched to balance zones, and is not in service yet: until it is, no other goes. */
  readonly isSurplus?: true;
  /** It is never chosen when the group shrinks. */
  readonly isProtected: boolean;
  /** Units of capacity that it counts for. */
  readonly weight: number;
  /** The group shows weights only where they were set. */
  readonly hasWeight: boolean;
  readonly template?: { readonly id: string; readonly name: string; readonly version: number };
  readonly instanceType: string;
  readonly zone: string;
  readonly subnetId: string;
  readonly imageId: string;
  readonly capacityType: 'spot' | 'on-demand';
  readonly launchedAtMs: number;
  readonly inServiceAtMs?: number;
  /** The activity that launches or terminates it, while it does. */
  readonly activity?: string;
}

/** What a member has of its instance and its group. */
export function memberFrom(
  { name, protectsNew }: Group,
  { id, instanceType, zone, subnetId, imageId, capacityType, launchedAtMs }: InstanceRecord,
): Omit<Member, 'lifecycle' | 'weight' | 'hasWeight'> {
  return {
    instance: id,
    group: name,
    isHealthy: true,
    isProtected: protectsNew,
    instanceType,
    zone,
    subnetId,
    imageId,
    capacityType,
    launchedAtMs,
  };
}

/** One step of a group towards its desired capacity. Activities are immutable: a change replaces them. */
export interface Activity {
  readonly id: string;
  /** Counts activities of all groups, from 1. */
  readonly sequence: number;
  readonly group: string;
  readonly what: 'launch' | 'terminate';
  readonly instance?: string;
  readonly description: string;
  readonly cause: string;
  readonly status: 'InProgress' | 'Successful' | 'Failed' | 'Cancelled';
  readonly message?: string;
  readonly startMs: number;
  readonly endMs?: number;
  readonly subnetId?: string;
  readonly zone?: string;
}

/** Whether a member counts for its group: it is neither ending nor on standby. */
export function isActive({ lifecycle }: Pick<Member, 'lifecycle'>): boolean {
  return lifecycle === 'Pending' || lifecycle === 'InService';
}

/** The capacity that counts towards the desired one. */
export function unitsOf(members: readonly Member[]): number {
  return members.reduce((units, member) => units + (isActive(member) ? member.weight : 0), 0);
}

/**
 * The most that a group has while it replaces members or balances its zones: a tenth more than its maximum, and at least one more.
 * Source: "Rebalancing activities" in the user guide.
 */
export function mostOf({ max }: Group): number {
  return max + Math.max(1, Math.floor(max / 10));
}

/**
 * The capacity that a group works towards: more than desired while members at risk or outdated ones wait for their replacements, and while what was
 * launched to balance zones is not in service. Source: "Capacity Rebalancing in Auto Scaling to replace at-risk Spot Instances".
 */
export function targetOf(group: Group, members: readonly Member[]): number {
  const more = unitsOf(members.filter(({ isAtRisk, isOutdated, isSurplus }) => isAtRisk ?? isOutdated ?? isSurplus ?? false));
  return Math.max(group.desired, Math.min(group.desired + more, mostOf(group)));
}

/** How a group chooses on-demand types unless it says so. Source: InstancesDistribution. */
export function onDemandStrategy({ mixed }: Pick<Group, 'mixed'>): 'prioritized' | 'lowest-price' {
  return mixed?.overrides.some(({ InstanceRequirements }) => InstanceRequirements !== undefined) === true ? 'lowest-price' : 'prioritized';
}

/** Whether one of the group's processes runs. Sources of the names: "Suspend and resume Amazon EC2 Auto Scaling processes". */
export function runs(
  { suspended }: Group,
  process: 'Launch' | 'Terminate' | 'HealthCheck' | 'ReplaceUnhealthy' | 'AZRebalance' | 'InstanceRefresh',
): boolean {
  return !suspended.has(process);
}
