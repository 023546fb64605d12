import type { DescribeInstanceTypeOfferingsRequest, DescribeInstanceTypeOfferingsResult, InstanceTypeOffering } from '@aws-sdk/client-ec2';
import { defined } from '../../../model/defined.ts';
import { invalidValue } from '../../../protocols/ec2/refusal.ts';
import { constantAnswers } from '../constant-answers.ts';
import { matchFilters } from '../filters.ts';
import type { Attributes } from '../filters.ts';
import { cutPage } from '../pages.ts';
import { toSdkType } from '../sdk-types.ts';
import { zoneIdOf } from '../zones.ts';

const PAGE = { min: 5, max: 1_000, byDefault: 1_000 };

interface Offered {
  readonly type: string;
  readonly location: string;
}

const ATTRIBUTES: Attributes<Offered> = {
  'instance-type': ({ type }) => [type],
  location: ({ location }) => [location],
};

/** Lists where each type is offered, by type and then location. */
export const describeInstanceTypeOfferings = constantAnswers(
  (catalogue, request: DescribeInstanceTypeOfferingsRequest): DescribeInstanceTypeOfferingsResult => {
    const { LocationType = 'region', Filters, MaxResults, NextToken } = request;
    const locationsOf = (zones: readonly string[]): readonly string[] => {
      if (LocationType === 'availability-zone') return zones;
      if (LocationType === 'availability-zone-id') return zones.map(zoneIdOf);
      if (LocationType === 'region') return [catalogue.region];
      throw invalidValue(`Invalid value '${LocationType}' for LocationType`);
    };
    const offered = [...catalogue.types.values()].flatMap(({ type, zones }) => locationsOf(zones).map((location) => ({ type, location })));
    const matches = matchFilters(Filters, ATTRIBUTES);
    const { items, nextToken } = cutPage(offered.filter(matches), keyOf, { MaxResults, NextToken }, PAGE);
    return {
      InstanceTypeOfferings: items.map(({ type, location }): InstanceTypeOffering => {
        return { InstanceType: toSdkType(type), LocationType, Location: location };
      }),
      ...defined({ NextToken: nextToken }),
    };
  },
);

/** Sorts by type name, then location: a blank sorts before any character of a name. */
function keyOf({ type, location }: Offered): string {
  return `${type} ${location}`;
}
