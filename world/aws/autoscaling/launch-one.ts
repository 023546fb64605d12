import type { CreateFleetRequest, FleetLaunchTemplateConfigRequest, FleetLaunchTemplateSpecificationRequest } from '@aws-sdk/client-ec2';
import type { LaunchTemplateOverrides, LaunchTemplateSpecification } from '@aws-sdk/client-auto-scaling';
import { defined } from '../../../model/defined.ts';
import { Ec2Refusal } from '../../../protocols/ec2/refusal.ts';
import { insufficientInstanceCapacity } from '../capacity-refusal.ts';
import { fleetErrors } from '../fleet/errors.ts';
import { launchOf, planOf } from '../fleet/launch.ts';
import { readOrder } from '../fleet/order.ts';
import type { FleetPart } from '../fleet/order.ts';
import type { FleetPool } from '../fleet/pool.ts';
import type { FleetPlan } from '../fleet/plan.ts';
import { GROUP_TAG } from '../instances.ts';
import type { InstanceRecord } from '../instances.ts';
import { launchReservation } from '../launching.ts';
import { versionOf } from '../launch-templates.ts';
import type { Account } from '../operation.ts';
import { reportFired } from '../room.ts';
import { toSdkType } from '../sdk-types.ts';
import { typesWith } from './attribute-types.ts';
import { memberFrom, onDemandStrategy } from './group.ts';
import type { Group, Member } from './group.ts';

/** One instance for a group. */
export interface LaunchOrder {
  readonly group: Group;
  readonly subnetId: string;
  readonly capacityType: 'spot' | 'on-demand';
  /** Of the request behind it, if any. */
  readonly span?: number;
}

/** An instance with its specification, or why there is none, as in an activity's status message. */
export type LaunchResult = LaunchedOne | { readonly message: string };

interface LaunchedOne {
  readonly record: InstanceRecord;
  readonly pool: FleetPool;
}

/** The member that a launched instance is. @param activity that launches it */
export function memberOf(group: Group, { record, pool }: LaunchedOne, activity: string): Member {
  return {
    ...memberFrom(group, record),
    lifecycle: 'Pending',
    weight: pool.weight,
    hasWeight: pool.override.WeightedCapacity !== undefined,
    template: { id: pool.template.id, name: pool.template.name, version: pool.version.number },
    activity,
  };
}

/**
 * Launches one instance as CreateFleet does, with the same checks, quotas and market. Groups with a policy of mixed instances word
 * their failures as fleets do, others as RunInstances. Source of the words: activities quoted in mludvig/aws-ethereum-miner#23,
 * kubernetes/autoscaler#1263 and aws/aws-parallelcluster#1944.
 */
export async function launchOne(account: Account, order: LaunchOrder): Promise<LaunchResult> {
  const { group, span } = order;
  try {
    const capacityType = group.mixed === undefined ? capacityTypeOf(account, group, span) : order.capacityType;
    const [part] = readOrder(account, requestOf(account, { ...order, capacityType }), span ?? 0);
    if (part === undefined) throw new Error('a fleet for one instance has no part');
    const plan = planOf(account, part);
    reportFired(
      plan.tried.map(({ shortage }) => shortage),
      span,
    );
    const [taken] = plan.taken;
    if (taken === undefined) return { message: failureOf(account, group, part, plan) };
    const tags = {
      ...Object.fromEntries([...group.tags].flatMap(([key, { value, propagate }]) => (propagate ? [[key, value]] : []))),
      [GROUP_TAG]: group.name,
    };
    const launch = launchOf({ tags, clientToken: '', ...defined({ span }) }, capacityType, taken);
    const { records, refusals } = await launchReservation(account, [launch]);
    const [record] = records;
    if (record !== undefined) return { record, pool: taken.pool };
    return { message: failed(group, capacityType, refusals[0]) };
  } catch (error) {
    if (!(error instanceof Ec2Refusal)) throw error;
    return { message: failed(group, order.capacityType, error) };
  }
}

function capacityTypeOf(account: Account, { template }: Group, span: number | undefined): 'spot' | 'on-demand' {
  const { Version: version = '$Default', ...name } = specificationOf(template);
  const { InstanceMarketOptions: market } = versionOf(account.templates.find(name, span ?? 0), version).data;
  return market?.MarketType === 'spot' ? 'spot' : 'on-demand';
}

/** The fleet that would launch it. */
function requestOf(account: Account, order: LaunchOrder): CreateFleetRequest {
  const { group, subnetId, capacityType } = order;
  const { template, mixed } = group;
  const overrides = overridesOf(account, order);
  const { OnDemandAllocationStrategy: onDemand = onDemandStrategy(group), SpotAllocationStrategy: spot = 'lowest-price' } =
    mixed?.distribution ?? {};
  return {
    Type: 'instant',
    LaunchTemplateConfigs: overrides.map((override, index): FleetLaunchTemplateConfigRequest => ({
      LaunchTemplateSpecification: specificationOf(override.LaunchTemplateSpecification ?? template),
      Overrides: [
        {
          SubnetId: subnetId,
          Priority: index,
          ...defined({
            InstanceType: override.InstanceType === undefined ? undefined : toSdkType(override.InstanceType),
            WeightedCapacity: override.WeightedCapacity === undefined ? undefined : Number(override.WeightedCapacity),
          }),
        },
      ],
    })),
    TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: capacityType },
    // The strategies of both services have the same names.
    OnDemandOptions: { AllocationStrategy: onDemand as 'prioritized' },
    SpotOptions: { AllocationStrategy: spot as 'lowest-price' },
  };
}

/** Attributes stand for all types that have them. @throws Ec2Refusal if none has them */
function overridesOf(account: Account, { group, subnetId, capacityType, span }: LaunchOrder): readonly LaunchTemplateOverrides[] {
  const { mixed, template } = group;
  if (mixed === undefined || mixed.overrides.length === 0) return [{}];
  const overrides = mixed.overrides.flatMap((override): readonly LaunchTemplateOverrides[] => {
    const { InstanceRequirements: asked, ...rest } = override;
    if (asked === undefined) return [override];
    const { Version: version = '$Default', ...name } = specificationOf(override.LaunchTemplateSpecification ?? template);
    const { ImageId: imageId } = versionOf(account.templates.find(name, span ?? 0), version).data;
    return typesWith(account, asked, { subnetId, capacityType, imageId }).map((InstanceType) => ({ ...rest, InstanceType }));
  });
  if (overrides.length > 0) return overrides;
  throw new Ec2Refusal('InvalidFleetConfiguration', 'No instance types satisfy the instance requirements.');
}

function specificationOf({ Version, ...name }: LaunchTemplateSpecification): FleetLaunchTemplateSpecificationRequest {
  const { LaunchTemplateId: id, LaunchTemplateName } = name;
  return { Version: Version ?? '$Default', ...(id === undefined ? defined({ LaunchTemplateName }) : { LaunchTemplateId: id }) };
}

function failureOf(account: Account, group: Group, part: FleetPart, plan: FleetPlan): string {
  const [tried] = plan.tried;
  if (group.mixed === undefined && tried?.shortage.kind === 'capacity') {
    const { type, subnet } = tried.pool;
    return failed(group, part.capacityType, insufficientInstanceCapacity(account, { type, subnet, capacityType: part.capacityType }));
  }
  const [error] = fleetErrors(account.capacity, part, plan);
  return failed(group, part.capacityType, { code: error?.ErrorCode ?? '', message: error?.ErrorMessage ?? '' });
}

/** The status message of an activity that launched nothing. */
function failed(
  group: Group,
  capacityType: 'spot' | 'on-demand',
  refusal: { readonly code: string; readonly message: string } | undefined,
): string {
  const { code = 'InternalError', message = 'An internal error has occurred' } = refusal ?? {};
  const sentence = message.endsWith('.') ? message : `${message}.`;
  const kind = capacityType === 'spot' ? 'Spot' : 'On-Demand';
  const what = group.mixed === undefined ? sentence : `Could not launch ${kind} Instances. ${code} - ${sentence}`;
  return `${what} Launching EC2 instance failed.`;
}
