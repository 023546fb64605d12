import type { CreateFleetCommandOutput, CreateFleetError } from '@aws-sdk/client-ec2';
import { Ec2Error } from '../../clients/ec2-client.ts';
import type { Offering } from '../../model/catalogue.ts';
import { quotaOf } from '../capacity/quota.ts';
import type { Unavailable } from '../capacity/unavailable-offerings.ts';
import type { Periods } from '../periods.ts';
import { countOf, offeringsOf } from './fleet-request.ts';
import type { FleetRequest } from './attempt.ts';

/** EC2's error codes for missing capacity. Source: Karpenter's AWS provider, v1.14.3. */
const INSUFFICIENT_CAPACITY_CODES: ReadonlySet<string> = new Set([
  'InsufficientInstanceCapacity',
  'MaxSpotInstanceCountExceeded',
  'VcpuLimitExceeded',
  'UnfulfillableCapacity',
  'Unsupported',
  'InsufficientFreeAddressesInSubnet',
  'MaxFleetCountExceeded',
  'ReservationCapacityExceeded',
  'SpotMaxPriceTooLow',
]);

/** Those that say something about what EC2 has, not about the account, its subnets or the request. */
const NOTHING_LEFT_CODES: ReadonlySet<string> = new Set(['InsufficientInstanceCapacity', 'UnfulfillableCapacity']);

/** Codes after which a request is repeated unchanged: EC2 did not process it, or its result is unknown. */
const THROTTLING_CODES: ReadonlySet<string> = new Set(['RequestLimitExceeded', 'Throttling', 'ThrottlingException', 'RequestThrottled']);

/** An instance that a fleet launched. Only the id is always present. */
export interface FleetInstance {
  readonly id: string;
  readonly instanceType: string | undefined;
  readonly zone: string | undefined;
}

/** How long refused offerings are avoided. */
type MaskPeriods = Pick<Periods, 'unavailableOfferingMs' | 'doubtedOfferingMs'>;

/** What to avoid, and for how long. */
interface Mask {
  readonly what: Unavailable;
  readonly ttlMs: number;
}

/** The result of a CreateFleet response. */
export interface FleetOutcome {
  /** Sorted by id: in the same order whenever and by whomever the response is read. */
  readonly instances: readonly FleetInstance[];
  /** It made fewer instances than requested. */
  readonly isShort: boolean;
  readonly masks: readonly Mask[];
  /** The offerings of the instances, as far as the response names them. */
  readonly launched: readonly Offering[];
  /** EC2 has nothing left of these: all that were requested if it launched too few for no other reason, or those that errors name. */
  readonly lacking: readonly Offering[];
  /** All errors are about capacity: other offerings may be requested at once. */
  readonly onlyCapacity: boolean;
  /** A launch template did not exist. */
  readonly templateMissing: boolean;
  /** The distinct errors in one line; empty if there were none. */
  readonly summary: string;
}

/**
 * Interprets a response. An offering that an error names is masked for three minutes. Errors are sparse: most name one pool of
 * the sixty that were requested, some none. If a fleet got too few and only capacity was missing, EC2 could choose from every
 * offering of the request: those that no error named are masked too, but only for one minute, since they were not reported as
 * exhausted. If the fleet got all its instances, or failed for other reasons, they are not.
 */
export function readFleetOutcome(request: FleetRequest, output: CreateFleetCommandOutput, periods: MaskPeriods): FleetOutcome {
  const errors = output.Errors ?? [];
  const asked = offeringsOf(request);
  const instances = (output.Instances ?? []).flatMap((fleet) =>
    (fleet.InstanceIds ?? []).map((id) => ({
      id,
      instanceType: fleet.InstanceType ?? fleet.LaunchTemplateAndOverrides?.Overrides?.InstanceType,
      zone: fleet.LaunchTemplateAndOverrides?.Overrides?.AvailabilityZone,
    })),
  );
  const named = errors
    .filter((error) => !THROTTLING_CODES.has(error.ErrorCode ?? ''))
    .flatMap((error) => unavailableBy(error, asked))
    .map((what) => ({ what, ttlMs: periods.unavailableOfferingMs }));
  // Throttling inside a response is not missing capacity: what was not tried is requested again.
  const onlyCapacity = errors.every((error) => INSUFFICIENT_CAPACITY_CODES.has(error.ErrorCode ?? ''));
  const isShort = instances.length < countOf(request);
  const lacks = (error: CreateFleetError): boolean => NOTHING_LEFT_CODES.has(error.ErrorCode ?? '');
  const hasNothing = isShort && errors.length > 0 && errors.every(lacks);
  const doubted = isShort && onlyCapacity ? asked.map((what) => ({ what, ttlMs: periods.doubtedOfferingMs })) : [];
  return {
    instances: instances.sort((a, b) => (a.id < b.id ? -1 : 1)),
    isShort,
    masks: [...named, ...doubted],
    launched: asked.filter((one) => instances.some(({ instanceType, zone }) => instanceType === one.instanceType && zone === one.zone)),
    lacking: hasNothing ? asked : errors.filter(lacks).flatMap((error) => offeringsNamedBy(error, asked)),
    onlyCapacity,
    templateMissing: errors.some((error) => isMissingTemplate(error.ErrorCode ?? '')),
    summary: [...new Set(errors.map(formatFleetError))].slice(0, 5).join('; '),
  };
}

/** Whether an error means that too many requests were sent. */
export function isThrottling(error: unknown): boolean {
  return error instanceof Ec2Error && (error.status === 429 || THROTTLING_CODES.has(error.code));
}

/** What an error response means for the request. */
export type Refusal =
  /** Unknown, or not processed: the same request is sent again. */
  | 'again'
  /** Its token was used before with another result: an instance has to be searched. */
  | 'lost'
  /** It launched nothing: the next attempt may differ. */
  | 'refused';

/** Interprets an error of CreateFleet. */
export function readRefusal(error: unknown): Refusal {
  if (!(error instanceof Ec2Error) || error.status === 0 || error.status >= 500) return 'again';
  if (error.status === 429 || THROTTLING_CODES.has(error.code)) return 'again';
  // Without a valid signature or the permission, nothing was done; the request itself is fine.
  if (['RequestExpired', 'AuthFailure', 'UnauthorizedOperation', 'ExpiredToken'].includes(error.code)) return 'again';
  if (error.code === 'IdempotentParameterMismatch' || error.code === 'IdempotentInstanceTerminated') return 'lost';
  return 'refused';
}

/** What is unavailable if a whole request was refused for lack of capacity or quota. */
export function masksOfRefusal(request: FleetRequest, error: unknown, periods: MaskPeriods): readonly Mask[] {
  if (!(error instanceof Ec2Error) || !INSUFFICIENT_CAPACITY_CODES.has(error.code)) return [];
  const asked = offeringsOf(request);
  if (error.code === 'MaxSpotInstanceCountExceeded') return [{ what: { capacityType: 'spot' }, ttlMs: periods.unavailableOfferingMs }];
  const quotas = asked.map(({ capacityType, instanceType }) => ({ capacityType, quota: quotaOf(instanceType) }));
  const masked = error.code === 'VcpuLimitExceeded' ? quotas : asked;
  return masked.map((what) => ({ what, ttlMs: periods.doubtedOfferingMs }));
}

/** Whether a code means that a launch template does not exist. */
export function isMissingTemplate(code: string): boolean {
  return code.startsWith('InvalidLaunchTemplate') && code.includes('NotFound');
}

/**
 * What an error reports as unavailable. A subnet without addresses means its whole zone; a vCPU quota all types that use it; and
 * the limit of spot instances all of spot: requests for other types would be refused as well.
 */
function unavailableBy(error: CreateFleetError, asked: readonly Offering[]): readonly Unavailable[] {
  const zone = error.LaunchTemplateAndOverrides?.Overrides?.AvailabilityZone;
  if (error.ErrorCode === 'MaxSpotInstanceCountExceeded') return [{ capacityType: 'spot' }];
  const named = offeringsNamedBy(error, asked);
  if (error.ErrorCode === 'InsufficientFreeAddressesInSubnet' && zone !== undefined) return [{ zone }];
  if (error.ErrorCode === 'VcpuLimitExceeded')
    return named.map((one) => ({ capacityType: one.capacityType, quota: quotaOf(one.instanceType) }));
  return named;
}

/** Those of the request that an error names. */
function offeringsNamedBy(error: CreateFleetError, asked: readonly Offering[]): readonly Offering[] {
  const { InstanceType: instanceType, AvailabilityZone: zone } = error.LaunchTemplateAndOverrides?.Overrides ?? {};
  if (instanceType === undefined && zone === undefined) return [];
  return asked.filter((one) => (instanceType ?? one.instanceType) === one.instanceType && (zone ?? one.zone) === one.zone);
}

function formatFleetError(error: CreateFleetError): string {
  const override = error.LaunchTemplateAndOverrides?.Overrides;
  const pool = [override?.InstanceType, override?.AvailabilityZone].filter((part) => part !== undefined).join(' in ');
  return `${error.ErrorCode ?? 'unknown error'}${pool === '' ? '' : ` for ${pool}`}`;
}
