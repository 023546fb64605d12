import type { CreateFleetError, CreateFleetRequest, CreateFleetResult } from '@aws-sdk/client-ec2';
import type { CapacityType } from '../../../model/catalogue.ts';
import type { FleetErrorNaming } from '../../ports.ts';
import type { Capacity, ArmedLimit } from '../capacity.ts';
import type { FleetPart } from './order.ts';
import type { FleetPool } from './pool.ts';
import { toSdkType } from '../sdk-types.ts';
import { offeringOf } from './plan.ts';
import type { FleetPlan } from './plan.ts';

/** How many pools errors name when no fault says otherwise: EC2 mostly names one (aws-karpenter core#3198). */
const DEFAULT_NAMING: FleetErrorNaming = 'one';

/**
 * The errors of one part of a fleet, as sparse as the limits that caused them require: the pool that was tried first (`one`),
 * all that were tried (`tried`), every pool of the request that lacks capacity (`all`), or none by name.
 * A fleet can have both errors and instances, when one pool failed before another succeeded. A quota is named once, for the
 * first pool that hit it.
 */
export function fleetErrors(capacity: Capacity, part: FleetPart, plan: FleetPlan): CreateFleetError[] {
  const { capacityType } = part;
  const problems = part.problems.map(({ specification, code, message }): CreateFleetError => {
    return { ...nameSpecification(specification, capacityType), ErrorCode: code, ErrorMessage: message };
  });
  const refused = plan.tried.flatMap(({ pool, shortage }) => (shortage.kind === 'capacity' ? [] : [{ pool, ...shortage }]));
  const firstOfQuota = new Map(
    refused
      .filter(({ kind }) => kind === 'quota')
      .map((one) => [one.refusal.message, one] as const)
      .reverse(),
  );
  const allowed = refused
    .filter((one) => one.kind !== 'quota' || firstOfQuota.get(one.refusal.message) === one)
    .map(({ pool, refusal }) => ({
      ...nameSpecification(pool, capacityType),
      ErrorCode: refusal.code,
      ErrorMessage: refusal.message,
    }));
  const failed = plan.tried.flatMap(({ pool, shortage }) => (shortage.kind === 'capacity' ? [{ pool, limits: shortage.limits }] : []));
  const pools = new Set(failed.flatMap((one, at) => namedPools(capacity, part, failed, one, at)));
  const lacking = [...pools].map((pool) => insufficientCapacity(pool, capacityType));
  const vague = failed.find((one) => namingOf(one) === 'unfulfillable');
  return [...problems, ...allowed, ...lacking, ...(vague === undefined ? [] : [unfulfillable(vague.pool, capacityType)])];
}

/** A pool that lacked capacity, with the limits that caused it. */
interface Lacking {
  readonly pool: FleetPool;
  readonly limits: readonly ArmedLimit[];
}

function namedPools(capacity: Capacity, part: FleetPart, failed: readonly Lacking[], one: Lacking, at: number): FleetPool[] {
  switch (namingOf(one)) {
    case 'unfulfillable':
      return [];
    case 'one':
      return failed.findIndex((other) => namingOf(other) === 'one') === at ? [one.pool] : [];
    case 'tried':
      return [one.pool];
    case 'all':
      return part.pools.filter((pool) => {
        const offering = offeringOf(pool, part);
        return capacity.free(offering) <= 0 || capacity.limitsOn(offering).length > 0;
      });
  }
}

/** The limit that was armed first decides. */
function namingOf({ limits }: Lacking): FleetErrorNaming {
  return limits[0]?.limit.naming ?? DEFAULT_NAMING;
}

/** Source: answers quoted in hashicorp/terraform-provider-aws#1496 and osbuild/osbuild-composer#4507. */
function insufficientCapacity(pool: FleetPool, capacityType: CapacityType): CreateFleetError {
  const message =
    capacityType === 'spot'
      ? 'There is no Spot capacity available that matches your request.'
      : `We currently do not have sufficient ${pool.type.type} capacity in the Availability Zone you requested (${pool.subnet.zone}). Our system will be working on provisioning additional capacity.`;
  return { ...nameSpecification(pool, capacityType), ErrorCode: 'InsufficientInstanceCapacity', ErrorMessage: message };
}

/**
 * Source: an answer quoted in aws/karpenter-provider-aws#8686. It names a specification, as every fleet error quoted anywhere
 * does: Karpenter reads that of each error without a nil check, and logs this one.
 */
function unfulfillable(pool: FleetPool, capacityType: CapacityType): CreateFleetError {
  return {
    ...nameSpecification(pool, capacityType),
    ErrorCode: 'UnfulfillableCapacity',
    ErrorMessage: 'Unable to fulfill capacity due to your request configuration. Please adjust your request and try again.',
  };
}

/** The answer of a fleet that got nothing but one error, which names the first specification of the request. */
export function refusedFleet(id: string, input: unknown, { code, message }: { code: string; message: string }): CreateFleetResult {
  const { LaunchTemplateConfigs: configs = [] } = (input ?? {}) as CreateFleetRequest;
  const [first] = configs;
  const error: CreateFleetError = {
    LaunchTemplateAndOverrides: {
      LaunchTemplateSpecification: first?.LaunchTemplateSpecification,
      Overrides: first?.Overrides?.[0],
    },
    ErrorCode: code,
    ErrorMessage: message,
  };
  return { FleetId: id, Errors: [error], Instances: [] };
}

type Named = Pick<FleetPool, 'template' | 'version' | 'override'> & Partial<Pick<FleetPool, 'type' | 'subnet'>>;

/** A launch specification as answers show it: the template by id, and the overrides, with type and zone filled in. */
export function nameSpecification(
  { template, version, override, type, subnet }: Named,
  capacityType: CapacityType,
): Pick<CreateFleetError, 'LaunchTemplateAndOverrides' | 'Lifecycle'> {
  const { SubnetId, Priority, WeightedCapacity, MaxPrice, ImageId } = override;
  return {
    LaunchTemplateAndOverrides: {
      LaunchTemplateSpecification: { LaunchTemplateId: template.id, Version: String(version.number) },
      Overrides: {
        InstanceType: type === undefined ? override.InstanceType : toSdkType(type.type),
        AvailabilityZone: subnet?.zone ?? override.AvailabilityZone,
        SubnetId,
        Priority,
        WeightedCapacity,
        MaxPrice,
        ImageId,
      },
    },
    Lifecycle: capacityType,
  };
}
