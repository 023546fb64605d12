import type { InstanceRequirements } from '@aws-sdk/client-auto-scaling';
import type { CapacityType, InstanceType } from '../../../model/catalogue.ts';
import { imageProblem } from '../images.ts';
import { requirementsMatcher } from '../instance-requirements.ts';
import { writeInstanceType } from '../instance-type-view.ts';
import type { Account } from '../operation.ts';
import { offeringAt } from '../room.ts';

/** Where a group launches, and which image. */
interface Place {
  readonly subnetId: string;
  readonly capacityType: CapacityType;
  readonly imageId: string | undefined;
}

/** A launch has at most so many types: here, the cheapest. */
const TYPES_MAX = 300;
/** Source: InstanceRequirements, of price protection. */
const DEARER_PERCENT = { 'on-demand': 20, spot: 100 } as const;

/**
 * The types that have the attributes which a group asks for, and are offered where it launches, cheapest first. Those that cost much
 * more than the cheapest current C, M or R type are left out, or failing that the cheapest current, or any. EC2's own protection of
 * spot prices, which applies by default, is not published: here it is the older one, of 100 %.
 */
export function typesWith(account: Account, asked: InstanceRequirements, { subnetId, capacityType, imageId }: Place): readonly string[] {
  const { catalogue, cluster, market, clock, network } = account;
  const subnet = network.subnets.find(({ id }) => id === subnetId);
  if (subnet === undefined) return [];
  const matches = requirementsMatcher(asked);
  const priceOf = (type: InstanceType, of = capacityType): number =>
    market.usdPerHour(type, offeringAt({ type, subnet, capacityType: of }), clock.nowMs());
  const found = [...catalogue.types.values()]
    .filter((type) => type.zones.includes(subnet.zone) && type.usageClasses.includes(capacityType))
    .filter((type) => imageProblem(cluster, imageId, type) === undefined && matches(writeInstanceType(type)))
    .map((type) => ({ type, usdPerHour: priceOf(type) }))
    .sort((a, b) => a.usdPerHour - b.usdPerHour);
  const yardstick =
    found.find(({ type }) => type.currentGeneration && /^[cmr]\d/.test(type.type)) ??
    found.find(({ type }) => type.currentGeneration) ??
    found[0];
  if (yardstick === undefined) return [];
  const ofOnDemand = asked.MaxSpotPriceAsPercentageOfOptimalOnDemandPrice;
  const dearer =
    (capacityType === 'spot' ? asked.SpotMaxPricePercentageOverLowestPrice : asked.OnDemandMaxPricePercentageOverLowestPrice) ??
    DEARER_PERCENT[capacityType];
  const most =
    capacityType === 'spot' && ofOnDemand !== undefined
      ? (priceOf(yardstick.type, 'on-demand') * ofOnDemand) / 100
      : yardstick.usdPerHour * (1 + dearer / 100);
  return found.filter(({ usdPerHour }) => usdPerHour <= most).flatMap(({ type }, index) => (index < TYPES_MAX ? [type.type] : []));
}
