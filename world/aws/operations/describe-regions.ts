import type { DescribeRegionsRequest, DescribeRegionsResult, Region } from '@aws-sdk/client-ec2';
import { invalidValue } from '../../../protocols/ec2/refusal.ts';
import { described, matchFilters } from '../filters.ts';
import type { Account } from '../operation.ts';

/** Regions that every account may use. Source: "Available Regions for AWS accounts". */
const ENABLED = [
  'ap-northeast-1',
  'ap-northeast-2',
  'ap-northeast-3',
  'ap-south-1',
  'ap-southeast-1',
  'ap-southeast-2',
  'ca-central-1',
  'eu-central-1',
  'eu-north-1',
  'eu-west-1',
  'eu-west-2',
  'eu-west-3',
  'sa-east-1',
  'us-east-1',
  'us-east-2',
  'us-west-1',
  'us-west-2',
];
/** Regions that an account has to enable, which this one has not. Source: the same page. */
const OPT_IN = [
  'af-south-1',
  'ap-east-1',
  'ap-east-2',
  'ap-south-2',
  'ap-southeast-3',
  'ap-southeast-4',
  'ap-southeast-5',
  'ap-southeast-6',
  'ap-southeast-7',
  'ca-west-1',
  'eu-central-2',
  'eu-south-1',
  'eu-south-2',
  'il-central-1',
  'me-central-1',
  'me-south-1',
  'mx-central-1',
];

const write =
  (status: string) =>
  (name: string): Region => ({ RegionName: name, Endpoint: `ec2.${name}.amazonaws.com`, OptInStatus: status });
const REGIONS: readonly Region[] = [...ENABLED.map(write('opt-in-not-required')), ...OPT_IN.map(write('not-opted-in'))];

const ATTRIBUTES = described<Region, Region>(
  {
    endpoint: ({ Endpoint }) => [Endpoint],
    'opt-in-status': ({ OptInStatus }) => [OptInStatus],
    'region-name': ({ RegionName }) => [RegionName],
  },
  (region) => region,
);

/** Lists the regions that the account may use; all with AllRegions. Only the cluster's own has anything in it. */
export function describeRegions(_account: Account, request: DescribeRegionsRequest): DescribeRegionsResult {
  const { RegionNames: names = [], AllRegions: isAll = false, Filters } = request;
  const unknown = names.filter((name) => !REGIONS.some(({ RegionName }) => RegionName === name));
  if (unknown.length > 0) throw invalidValue(`Invalid region(s): [${unknown.join(', ')}]`);
  const matches = matchFilters(Filters, ATTRIBUTES);
  const asked = REGIONS.filter(({ RegionName = '', OptInStatus }) =>
    names.length > 0 ? names.includes(RegionName) : isAll || OptInStatus !== 'not-opted-in',
  );
  return { Regions: asked.filter(matches) };
}
