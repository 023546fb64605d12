import type { Filter } from '@aws-sdk/client-ec2';
import { Ec2Refusal } from '../../../protocols/ec2/refusal.ts';
import { matchFilters } from '../filters.ts';
import { reading } from '../operation.ts';
import type { Ec2Operation } from '../operation.ts';
import { cutPage } from '../pages.ts';

/** What a request for a list may have; pages only if the operation has them. */
type Input = Readonly<Record<string, unknown>> & {
  readonly Filters?: readonly Filter[];
  readonly MaxResults?: number;
  readonly NextToken?: string;
};

interface EmptyList {
  /** The output's list member. */
  readonly answer: string;
  /** The input's members that name resources, each with the code of the refusal if one is named. */
  readonly named: Readonly<Record<string, string>>;
  /** The operation's filters, besides `tag:KEY` and `tag-key`. */
  readonly filters: readonly string[];
  /** Limits of a page's length; absent if the operation has no pages. */
  readonly page?: { readonly min: number; readonly max: number };
}

/** Something that autoscalers ask for and that this account has none of. */
function emptyList({ answer, named, filters, page = { min: 1, max: Infinity } }: EmptyList): Ec2Operation {
  const attributes = Object.fromEntries([...filters, 'tag-key'].map((name) => [name, () => []]));
  return reading((_account, input: Input) => {
    for (const [member, code] of Object.entries(named)) {
      const [first] = (input[member] as readonly string[] | undefined) ?? [];
      if (first !== undefined) throw new Ec2Refusal(code, `The ID '${first}' does not exist`);
    }
    matchFilters(input.Filters, attributes, () => ({}));
    const { MaxResults, NextToken } = input;
    return { [answer]: cutPage([], String, { MaxResults, NextToken }, page).items };
  });
}

/** Source of names, limits and codes: the operations' pages in the API reference, and "Error codes for the Amazon EC2 API". */
export const EMPTY_LISTS = {
  DescribeCapacityReservations: emptyList({
    answer: 'CapacityReservations',
    named: { CapacityReservationIds: 'InvalidCapacityReservationId.NotFound' },
    filters: [
      'availability-zone',
      'ebs-optimized',
      'end-date',
      'end-date-type',
      'instance-match-criteria',
      'instance-platform',
      'instance-type',
      'outpost-arn',
      'owner-id',
      'placement-group-arn',
      'start-date',
      'state',
      'tenancy',
    ],
    page: { min: 1, max: 1_000 },
  }),
  DescribeKeyPairs: emptyList({
    answer: 'KeyPairs',
    named: { KeyNames: 'InvalidKeyPair.NotFound', KeyPairIds: 'InvalidKeyPair.NotFound' },
    filters: ['fingerprint', 'key-name', 'key-pair-id'],
  }),
  DescribePlacementGroups: emptyList({
    answer: 'PlacementGroups',
    named: { GroupNames: 'InvalidPlacementGroup.Unknown', GroupIds: 'InvalidPlacementGroup.Unknown' },
    filters: ['group-arn', 'group-name', 'spread-level', 'state', 'strategy'],
  }),
  DescribeSnapshots: emptyList({
    answer: 'Snapshots',
    named: { SnapshotIds: 'InvalidSnapshot.NotFound' },
    filters: [
      'description',
      'encrypted',
      'owner-alias',
      'owner-id',
      'progress',
      'snapshot-id',
      'start-time',
      'status',
      'storage-tier',
      'transfer-type',
      'volume-id',
      'volume-size',
    ],
    page: { min: 5, max: 1_000 },
  }),
} as const satisfies Readonly<Record<string, Ec2Operation>>;
