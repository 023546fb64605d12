import type { CreateFleetRequest, FleetLaunchTemplateConfigRequest } from '@aws-sdk/client-ec2';
import type { CapacityType } from '../../../model/catalogue.ts';
import { Ec2Refusal, invalidValue, missingParameter } from '../../../protocols/ec2/refusal.ts';
import { imageProblem } from '../images.ts';
import { versionOf } from '../launch-templates.ts';
import type { Account } from '../operation.ts';
import { rootVolumeProblem } from '../root-volume.ts';
import type { FleetPool } from './pool.ts';
import { strategyOf } from './strategy.ts';
import type { Strategy } from './strategy.ts';

/** Source: "Fleet quotas": launch specifications of a fleet of type instant. */
const SPECIFICATIONS_MAX = 300;
const TARGET_CAPACITY_MAX = 10_000;
const WEIGHT_MAX = 999;

/** A requested specification that can't be launched, whatever the capacity. */
interface FleetProblem {
  readonly specification: Pick<FleetPool, 'template' | 'version' | 'override'>;
  readonly capacityType: CapacityType;
  readonly code: string;
  readonly message: string;
}

/** The part of a fleet with one capacity type. */
export interface FleetPart {
  readonly capacityType: CapacityType;
  readonly strategy: Strategy;
  readonly units: number;
  /** On a tie, the first is taken. */
  readonly pools: readonly FleetPool[];
  readonly problems: readonly FleetProblem[];
}

/**
 * Reads the request for a fleet. Fleets of type instant only. Options that would change the placement of instances and that
 * this world does not emulate are refused, never ignored.
 * @throws Ec2Refusal if EC2 would refuse the whole request
 */
export function readOrder(account: Account, request: CreateFleetRequest, span: number): FleetPart[] {
  refuseUnemulated(request);
  const units = readTarget(request);
  const specifications = (request.LaunchTemplateConfigs ?? []).flatMap((config) => readSpecifications(account, config, span));
  if (specifications.length === 0) throw missingParameter('LaunchTemplateConfigs');
  if (specifications.length > SPECIFICATIONS_MAX) {
    throw invalidValue(`The request has ${specifications.length} launch specifications; a fleet may have at most ${SPECIFICATIONS_MAX}`);
  }
  const strategies = {
    'on-demand': strategyOf(request.OnDemandOptions?.AllocationStrategy ?? 'lowest-price', 'on-demand'),
    spot: strategyOf(request.SpotOptions?.AllocationStrategy ?? 'lowest-price', 'spot'),
  };
  return (['on-demand', 'spot'] as const)
    .filter((capacityType) => units[capacityType] > 0)
    .map((capacityType) => {
      const resolved = specifications.flatMap((specification) => resolve(account, specification, capacityType));
      return {
        capacityType,
        strategy: strategies[capacityType],
        units: units[capacityType],
        // EC2 does not document how it breaks ties, so the order of the request must not matter.
        pools: account.random.shuffle(resolved.flatMap((one) => ('pool' in one ? [one.pool] : []))),
        problems: resolved.flatMap((one) => ('problem' in one ? [one.problem] : [])),
      };
    });
}

function refuseUnemulated({ Type: type = 'maintain', SpotOptions: spot, OnDemandOptions: onDemand, ...rest }: CreateFleetRequest): void {
  const options = {
    ReservedCapacityOptions: rest.ReservedCapacityOptions,
    'SpotOptions.SingleInstanceType': spot?.SingleInstanceType,
    'SpotOptions.SingleAvailabilityZone': spot?.SingleAvailabilityZone,
    'SpotOptions.MinTargetCapacity': spot?.MinTargetCapacity,
    'SpotOptions.MaxTotalPrice': spot?.MaxTotalPrice,
    'OnDemandOptions.SingleInstanceType': onDemand?.SingleInstanceType,
    'OnDemandOptions.SingleAvailabilityZone': onDemand?.SingleAvailabilityZone,
    'OnDemandOptions.MinTargetCapacity': onDemand?.MinTargetCapacity,
    'OnDemandOptions.MaxTotalPrice': onDemand?.MaxTotalPrice,
    'OnDemandOptions.CapacityReservationOptions': onDemand?.CapacityReservationOptions,
    InstanceRequirements: rest.LaunchTemplateConfigs?.flatMap((config) => config.Overrides ?? []).find((one) => one.InstanceRequirements),
  };
  const used = Object.entries(options).find(([, value]) => value !== undefined && value !== false);
  if (used !== undefined) throw notEmulated(used[0]);
  if (type !== 'instant') throw notEmulated(`fleets of type ${type}`);
}

function notEmulated(what: string): Ec2Refusal {
  return new Ec2Refusal('UnsupportedOperation', `This world does not emulate ${what}`);
}

function readTarget({ TargetCapacitySpecification: target }: CreateFleetRequest): Record<CapacityType, number> {
  if (target === undefined) throw missingParameter('TargetCapacitySpecification');
  const total = target.TotalTargetCapacity;
  if (total === undefined) throw missingParameter('TargetCapacitySpecification.TotalTargetCapacity');
  if (!Number.isInteger(total) || total < 1 || total > TARGET_CAPACITY_MAX) {
    throw invalidValue(`Invalid value '${total}' for TotalTargetCapacity: it must be between 1 and ${TARGET_CAPACITY_MAX}`);
  }
  const { OnDemandTargetCapacity: onDemand = 0, SpotTargetCapacity: spot = 0, DefaultTargetCapacityType: other = 'on-demand' } = target;
  if (other !== 'spot' && other !== 'on-demand') throw invalidValue(`Invalid value '${other}' for DefaultTargetCapacityType`);
  if (!(onDemand >= 0 && spot >= 0 && onDemand + spot <= total)) {
    throw invalidValue('OnDemandTargetCapacity and SpotTargetCapacity must not exceed TotalTargetCapacity');
  }
  const rest = total - onDemand - spot;
  return { 'on-demand': onDemand + (other === 'on-demand' ? rest : 0), spot: spot + (other === 'spot' ? rest : 0) };
}

type Specification = Pick<FleetPool, 'template' | 'version' | 'override'>;

function readSpecifications(account: Account, config: FleetLaunchTemplateConfigRequest, span: number): Specification[] {
  const specification = config.LaunchTemplateSpecification;
  if (specification === undefined) throw missingParameter('LaunchTemplateConfigs.LaunchTemplateSpecification');
  if (specification.Version === undefined) throw missingParameter('LaunchTemplateConfigs.LaunchTemplateSpecification.Version');
  const template = account.templates.find(specification, span);
  const version = versionOf(template, specification.Version);
  const overrides = config.Overrides === undefined || config.Overrides.length === 0 ? [{}] : config.Overrides;
  return overrides.map((override) => ({ template, version, override }));
}

type Resolved = { readonly pool: FleetPool } | { readonly problem: FleetProblem };

/** The pools of a specification: without a subnet or zone, one in each zone that offers the type. */
function resolve(account: Account, specification: Specification, capacityType: CapacityType): Resolved[] {
  const { override, version } = specification;
  const problem = (code: string, message: string): Resolved[] => [{ problem: { specification, capacityType, code, message } }];
  const typeName = override.InstanceType ?? version.data.InstanceType;
  if (typeName === undefined) throw missingParameter('LaunchTemplateConfigs.Overrides.InstanceType');

  const subnetId = override.SubnetId ?? version.data.NetworkInterfaces?.[0]?.SubnetId;
  const zone = override.AvailabilityZone ?? version.data.Placement?.AvailabilityZone;
  const inSubnet = account.network.subnets.filter((one) => subnetId === undefined || one.id === subnetId);
  if (inSubnet.length === 0) return problem('InvalidSubnetID.NotFound', `The subnet ID '${subnetId}' does not exist`);
  const subnets = inSubnet.filter((one) => zone === undefined || one.zone === zone);
  if (subnets.length === 0)
    return problem('InvalidFleetConfiguration', `There is no subnet for your requested Availability Zone (${zone})`);

  const type = account.catalogue.types.get(typeName);
  const offered = type === undefined ? [] : subnets.filter((one) => type.zones.includes(one.zone));
  if (type === undefined || offered.length === 0) {
    const zones = subnets.map((one) => one.zone).join(', ');
    return problem(
      'InvalidFleetConfiguration',
      `Your requested instance type (${typeName}) is not supported in your requested Availability Zone (${zones}).`,
    );
  }
  if (!type.usageClasses.includes(capacityType)) {
    const message = 'The requested configuration is currently not supported. Please check the documentation for supported configurations.';
    return problem('Unsupported', message);
  }
  const imageId = override.ImageId ?? version.data.ImageId;
  const refusal = imageProblem(account.cluster, imageId, type) ?? rootVolumeProblem(version.data, imageId);
  if (refusal !== undefined) return problem(refusal.code, refusal.message);
  const weight = override.WeightedCapacity ?? 1;
  if (!(weight >= 1 && weight <= WEIGHT_MAX)) throw invalidValue(`Invalid value '${weight}' for WeightedCapacity`);
  return offered.map((subnet) => ({ pool: { ...specification, type, subnet, weight } }));
}
