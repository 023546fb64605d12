import type { GetSpotPlacementScoresRequest, GetSpotPlacementScoresResult, SpotPlacementScore } from '@aws-sdk/client-ec2';
import type { InstanceType } from '../../../model/catalogue.ts';
import { defined } from '../../../model/defined.ts';
import { Ec2Refusal, invalidValue, missingParameter } from '../../../protocols/ec2/refusal.ts';
import type { Account } from '../operation.ts';
import { cutPage } from '../pages.ts';
import { zoneIdOf } from '../zones.ts';

const PAGE = { min: 10, max: 1_000, byDefault: 1_000 };
const TYPES_MAX = 1_000;
const CAPACITY_MAX = 2_000_000_000;
const SCORE = { min: 1, max: 10 };
/** With fewer types than this, EC2 "returns a low placement score". */
const TYPES_MIN = 3;
const LOW_SCORE = 3;

/**
 * Scores how likely a spot request is to succeed, from 1 to 10: here by how many times the free room of the named types' pools
 * holds the target. Nothing of EC2's own scores is published but their range. Sources: GetSpotPlacementScores, "Spot placement
 * score".
 */
export function getSpotPlacementScores(account: Account, request: GetSpotPlacementScoresRequest): GetSpotPlacementScoresResult {
  const { catalogue } = account;
  const {
    TargetCapacity: target,
    InstanceTypes: names = [],
    RegionNames: regions = [],
    SingleAvailabilityZone: isByZone = false,
  } = request;
  if (target === undefined) throw missingParameter('TargetCapacity');
  if (!(target >= 1 && target <= CAPACITY_MAX)) throw invalidValue(`Invalid value '${target}' for TargetCapacity`);
  if (request.InstanceRequirementsWithMetadata !== undefined) {
    throw new Ec2Refusal('UnsupportedOperation', 'This world does not emulate InstanceRequirements');
  }
  if (names.length === 0) {
    throw new Ec2Refusal('InvalidParameterCombination', 'You must specify InstanceTypes or InstanceRequirementsWithMetadata');
  }
  if (names.length > TYPES_MAX) throw invalidValue(`At most ${TYPES_MAX} instance types can be asked for by one request`);
  const types = names.map((name) => {
    const type = catalogue.types.get(name);
    if (type === undefined) throw invalidValue(`Invalid value '${name}' for InstanceTypes.`);
    return type;
  });
  const unitsOf = unitsIn(request.TargetCapacityUnitType);
  const roomIn = (zone: string): number => {
    const offered = types.filter((type) => type.zones.includes(zone) && type.usageClasses.includes('spot'));
    return offered.reduce((sum, type) => {
      return sum + account.capacity.free({ instanceType: type.type, zone, capacityType: 'spot' }) * unitsOf(type);
    }, 0);
  };
  const score = (room: number): number => {
    const full = Math.round(Math.min(SCORE.max, Math.max(SCORE.min, room / target)));
    return new Set(names).size < TYPES_MIN ? Math.min(full, LOW_SCORE) : full;
  };
  const isAsked = regions.length === 0 || regions.includes(catalogue.region);
  const all: readonly SpotPlacementScore[] = isByZone
    ? catalogue.zones.map((zone) => ({ Region: catalogue.region, AvailabilityZoneId: zoneIdOf(zone), Score: score(roomIn(zone)) }))
    : [{ Region: catalogue.region, Score: score(catalogue.zones.reduce((sum, zone) => sum + roomIn(zone), 0)) }];
  const keyOf = ({ Region = '', AvailabilityZoneId = '' }: SpotPlacementScore): string => `${Region} ${AvailabilityZoneId}`;
  const { items, nextToken } = cutPage(isAsked ? all : [], keyOf, request, PAGE);
  return { SpotPlacementScores: [...items], ...defined({ NextToken: nextToken }) };
}

/** How much of the target one instance is. */
function unitsIn(unit: GetSpotPlacementScoresRequest['TargetCapacityUnitType'] = 'units'): (type: InstanceType) => number {
  switch (unit) {
    case 'units':
      return () => 1;
    case 'vcpu':
      return ({ vcpu }) => vcpu;
    case 'memory-mib':
      return ({ memoryMiB }) => memoryMiB;
    default:
      throw invalidValue(`Invalid value '${String(unit)}' for TargetCapacityUnitType`);
  }
}
