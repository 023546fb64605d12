import type {
  CreateAutoScalingGroupType,
  LaunchTemplateOverrides,
  LaunchTemplateSpecification,
  UpdateAutoScalingGroupType,
} from '@aws-sdk/client-auto-scaling';
import { defined } from '../../../model/defined.ts';
import { Ec2Refusal } from '../../../protocols/ec2/refusal.ts';
import { strategyOf } from '../fleet/strategy.ts';
import { requirementsMatcher } from '../instance-requirements.ts';
import { versionOf } from '../launch-templates.ts';
import type { Account } from '../operation.ts';
import { onDemandStrategy } from './group.ts';
import type { GroupSettings, MixedInstances } from './group.ts';
import { constraintError, missing, validationError } from './refusals.ts';

/** Source: the defaults in the API reference of CreateAutoScalingGroup. */
const DEFAULTS = {
  cooldownS: 300,
  healthCheckType: 'EC2',
  graceS: 0,
  terminationPolicies: ['Default'],
  protectsNew: false,
  capacityRebalance: false,
} as const;

/** A day. Source: "Replace instances based on maximum instance lifetime", also of the next. */
const LIFETIME_MIN_S = 86_400;
const LIFETIME_MAX_S = 31_536_000;

const POLICIES: ReadonlySet<string> = new Set([
  'AllocationStrategy',
  'ClosestToNextInstanceHour',
  'Default',
  'NewestInstance',
  'OldestInstance',
  'OldestLaunchConfiguration',
  'OldestLaunchTemplate',
]);

/** The settings of a new group. @throws QueryRefusal for settings that Auto Scaling does not accept */
export function readNewSettings(account: Account, input: CreateAutoScalingGroupType, span: number): GroupSettings {
  if (input.MinSize === undefined) throw missing('minSize');
  if (input.MaxSize === undefined) throw missing('maxSize');
  const ways = [input.LaunchTemplate, input.LaunchConfigurationName, input.InstanceId, input.MixedInstancesPolicy];
  if (ways.filter((way) => way !== undefined).length !== 1) {
    throw validationError(
      'Valid requests must contain either LaunchTemplate, LaunchConfigurationName, InstanceId or MixedInstancesPolicy parameter.',
    );
  }
  if (input.InstanceId !== undefined) throw validationError('This world does not emulate groups made from an instance.');
  const subnets = readSubnets(account, input);
  if (subnets === undefined) throw validationError('At least one Availability Zone or VPC Subnet is required.');
  const settings: GroupSettings = {
    ...DEFAULTS,
    min: input.MinSize,
    max: input.MaxSize,
    desired: input.DesiredCapacity ?? input.MinSize,
    ...readTemplate(account, input, span),
    subnets,
    ...readOthers(input),
  };
  checkSizes(settings);
  return settings;
}

/**
 * A group's settings after an update: only what the request names changes. The desired capacity follows new bounds.
 * @throws QueryRefusal as above
 */
export function readChangedSettings(
  account: Account,
  before: GroupSettings,
  input: UpdateAutoScalingGroupType,
  span: number,
): Omit<GroupSettings, 'mixed'> & Pick<GroupSettings, 'mixed'> {
  const { MinSize: min = before.min, MaxSize: max = before.max } = input;
  const isNewTemplate =
    input.LaunchTemplate !== undefined || input.MixedInstancesPolicy !== undefined || input.LaunchConfigurationName !== undefined;
  const { mixed, ...rest } = before;
  const settings: GroupSettings = {
    ...rest,
    ...(isNewTemplate ? readTemplate(account, input, span) : { template: before.template, ...defined({ mixed }) }),
    ...defined({ subnets: readSubnets(account, input) }),
    ...readOthers(input),
    min,
    max,
    desired: input.DesiredCapacity ?? Math.min(Math.max(before.desired, min), max),
  };
  checkSizes(settings);
  return settings;
}

function checkSizes({ min, max, desired }: GroupSettings): void {
  for (const [member, size] of Object.entries({ minSize: min, maxSize: max })) {
    if (!(size >= 0)) throw constraintError(member, size, 'Member must have value greater than or equal to 0');
  }
  if (max < min) throw validationError(`Max bound, ${max}, must be greater than or equal to min bound, ${min}`);
  if (desired < min || desired > max) {
    throw validationError(`Desired capacity:${desired} must be between the specified min size:${min} and max size:${max}`);
  }
}

type TemplateInput = Pick<CreateAutoScalingGroupType, 'LaunchTemplate' | 'LaunchConfigurationName' | 'MixedInstancesPolicy'>;

function readTemplate(account: Account, input: TemplateInput, span: number): Pick<GroupSettings, 'template' | 'mixed'> {
  const { LaunchTemplate: plain, LaunchConfigurationName: configuration, MixedInstancesPolicy: policy } = input;
  if (configuration !== undefined) {
    throw validationError(`Launch configuration name not found - A launch configuration with the name: ${configuration} does not exist`);
  }
  if (policy === undefined) return { template: findTemplate(account, plain, span) };
  const {
    LaunchTemplate: { LaunchTemplateSpecification: specification, Overrides: overrides = [] } = {},
    InstancesDistribution: distribution = {},
  } = policy;
  for (const override of overrides) {
    checkRequirements(override);
    if (override.LaunchTemplateSpecification !== undefined) findTemplate(account, override.LaunchTemplateSpecification, span);
    const weight = override.WeightedCapacity;
    if (weight !== undefined && !/^[1-9]\d{0,2}$/.test(weight)) {
      throw validationError(`Invalid weighted capacity ${weight}: it must be a whole number between 1 and 999.`);
    }
  }
  const mixed: MixedInstances = { overrides, distribution };
  checkDistribution(mixed);
  return { template: findTemplate(account, specification, span), mixed };
}

function checkRequirements({ InstanceRequirements: asked, InstanceType: type }: LaunchTemplateOverrides): void {
  if (asked === undefined) return;
  if (type !== undefined) throw validationError('An override cannot specify both InstanceType and InstanceRequirements.');
  try {
    requirementsMatcher(asked);
  } catch (error) {
    throw error instanceof Ec2Refusal ? validationError(error.message) : error;
  }
}

function checkDistribution(mixed: MixedInstances): void {
  const { distribution } = mixed;
  const {
    OnDemandAllocationStrategy: onDemand,
    SpotAllocationStrategy: spot,
    OnDemandPercentageAboveBaseCapacity: percentage = 100,
  } = distribution;
  if (!(percentage >= 0 && percentage <= 100)) {
    throw validationError(`Invalid OnDemandPercentageAboveBaseCapacity ${percentage}: it must be between 0 and 100.`);
  }
  if (onDemand === 'prioritized' && onDemandStrategy({ mixed }) !== 'prioritized') {
    throw validationError('The prioritized allocation strategy cannot be used with InstanceRequirements.');
  }
  try {
    if (onDemand !== undefined) strategyOf(onDemand, 'on-demand');
    if (spot !== undefined) strategyOf(spot, 'spot');
  } catch (error) {
    throw error instanceof Ec2Refusal ? validationError(error.message) : error;
  }
}

function findTemplate(account: Account, specification: LaunchTemplateSpecification | undefined, span: number): LaunchTemplateSpecification {
  if (specification === undefined) throw missing('launchTemplate');
  try {
    const template = account.templates.find(specification, span);
    versionOf(template, specification.Version ?? '$Default');
    return { LaunchTemplateId: template.id, LaunchTemplateName: template.name, ...defined({ Version: specification.Version }) };
  } catch (error) {
    if (!(error instanceof Ec2Refusal)) throw error;
    throw validationError(`You must use a valid fully-formed launch template. ${error.message}`);
  }
}

function readSubnets(
  { network }: Account,
  { VPCZoneIdentifier: identifier, AvailabilityZones: zones }: Pick<CreateAutoScalingGroupType, 'VPCZoneIdentifier' | 'AvailabilityZones'>,
): readonly string[] | undefined {
  if (identifier === undefined || identifier === '') {
    if (zones === undefined || zones.length === 0) return undefined;
    // There is one subnet in each zone, which is as good as a default one.
    return zones.map((zone) => {
      const subnet = network.subnets.find((one) => one.zone === zone);
      if (subnet === undefined) throw validationError(`Invalid availability zones: [${zone}]`);
      return subnet.id;
    });
  }
  const ids = identifier.split(',').map((id) => id.trim());
  for (const id of ids) {
    if (!network.subnets.some((subnet) => subnet.id === id)) throw validationError(`The subnet ID '${id}' does not exist`);
  }
  return ids;
}

function readOthers(input: CreateAutoScalingGroupType | UpdateAutoScalingGroupType): Partial<GroupSettings> {
  const unknown = (input.TerminationPolicies ?? []).find((policy) => !POLICIES.has(policy));
  if (unknown !== undefined)
    throw validationError(`Termination policy ${unknown} is not valid. Check the list of valid termination policies.`);
  const { MaxInstanceLifetime: lifetimeS = 0 } = input;
  if (lifetimeS !== 0 && !(lifetimeS >= LIFETIME_MIN_S && lifetimeS <= LIFETIME_MAX_S)) {
    throw validationError(`Invalid MaxInstanceLifetime ${lifetimeS}: it must be 0, or between ${LIFETIME_MIN_S} and ${LIFETIME_MAX_S}.`);
  }
  return defined({
    cooldownS: input.DefaultCooldown,
    healthCheckType: input.HealthCheckType,
    graceS: input.HealthCheckGracePeriod,
    terminationPolicies: input.TerminationPolicies,
    protectsNew: input.NewInstancesProtectedFromScaleIn,
    capacityRebalance: input.CapacityRebalance,
    warmupS: input.DefaultInstanceWarmup,
    maxLifetimeS: input.MaxInstanceLifetime,
    context: input.Context,
  });
}
