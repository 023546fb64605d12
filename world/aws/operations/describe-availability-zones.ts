import type { AvailabilityZone, DescribeAvailabilityZonesRequest, DescribeAvailabilityZonesResult } from '@aws-sdk/client-ec2';
import { invalidValue } from '../../../protocols/ec2/refusal.ts';
import { matchFilters } from '../filters.ts';
import type { Attributes } from '../filters.ts';
import type { Account } from '../operation.ts';
import { zoneIdOf } from '../zones.ts';

/** Source of the names: DescribeAvailabilityZones in the API reference. */
const attributesIn = (region: string): Attributes<string> => ({
  'group-long-name': () => [],
  'group-name': () => [`${region}-zg-1`],
  message: () => [],
  'parent-zone-id': () => [],
  'parent-zone-name': () => [],
  'region-name': () => [region],
  state: () => ['available'],
  'zone-id': (zone) => [zoneIdOf(zone)],
  'zone-name': (zone) => [zone],
  'zone-type': () => ['availability-zone'],
  'opt-in-status': () => ['opt-in-not-required'],
});

/** Lists the catalogue's zones. */
export function describeAvailabilityZones(
  { catalogue }: Account,
  { ZoneNames: names = [], ZoneIds: ids = [], Filters }: DescribeAvailabilityZonesRequest,
): DescribeAvailabilityZonesResult {
  const unknown = [
    ...names.filter((name) => !catalogue.zones.includes(name)),
    ...ids.filter((id) => !catalogue.zones.some((zone) => zoneIdOf(zone) === id)),
  ][0];
  if (unknown !== undefined) throw invalidValue(`Invalid availability zone: [${unknown}]`);
  const matches = matchFilters(Filters, attributesIn(catalogue.region));
  const asked = catalogue.zones.filter(
    (zone) => (names.length + ids.length === 0 || names.includes(zone) || ids.includes(zoneIdOf(zone))) && matches(zone),
  );
  return {
    AvailabilityZones: asked.map((zone): AvailabilityZone => ({
      ZoneName: zone,
      ZoneId: zoneIdOf(zone),
      ZoneType: 'availability-zone',
      RegionName: catalogue.region,
      GroupName: `${catalogue.region}-zg-1`,
      Messages: [],
      NetworkBorderGroup: catalogue.region,
      OptInStatus: 'opt-in-not-required',
      State: 'available',
    })),
  };
}
