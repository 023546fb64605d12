import type { DescribeTagsRequest, DescribeTagsResult, ResourceType, TagDescription } from '@aws-sdk/client-ec2';
import { defined } from '../../../model/defined.ts';
import type { Caller } from '../../../wire/backend.ts';
import { clusterTags } from '../cluster-tags.ts';
import { matchFilters } from '../filters.ts';
import type { Attributes } from '../filters.ts';
import type { Account } from '../operation.ts';
import { cutPage } from '../pages.ts';
import type { Tags } from '../tags.ts';

const PAGE = { min: 5, max: 1_000, byDefault: 1_000 };

interface Tagged {
  readonly id: string;
  readonly type: ResourceType;
  readonly key: string;
  readonly value: string;
}

const ATTRIBUTES: Attributes<Tagged> = {
  key: ({ key }) => [key],
  'resource-id': ({ id }) => [id],
  'resource-type': ({ type }) => [type],
  value: ({ value }) => [value],
};

/** Lists the tags of instances, launch templates, subnets and the security group, by resource and key. */
export function describeTags(account: Account, request: DescribeTagsRequest, { span }: Caller): DescribeTagsResult {
  const { instances, templates, network, cluster } = account;
  const own = clusterTags(cluster);
  const tags = [
    ...instances.readAll(span).flatMap((one) => tagsOf(one.id, 'instance', one.tags)),
    ...templates.readAll(span).flatMap((one) => tagsOf(one.id, 'launch-template', one.tags)),
    ...network.subnets.flatMap(({ id }) => tagsOf(id, 'subnet', own)),
    ...tagsOf(cluster.securityGroupId, 'security-group', own),
  ];
  const matches = matchFilters(request.Filters, ATTRIBUTES);
  const sorted = tags.filter(matches).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const { items, nextToken } = cutPage(sorted, keyOf, request, PAGE);
  return {
    Tags: items.map(({ id, type, key, value }): TagDescription => ({ ResourceId: id, ResourceType: type, Key: key, Value: value })),
    ...defined({ NextToken: nextToken }),
  };
}

function tagsOf(id: string, type: ResourceType, tags: Tags): Tagged[] {
  return Object.entries(tags).map(([key, value]) => ({ id, type, key, value }));
}

function keyOf({ id, key }: Tagged): string {
  return `${id} ${key}`;
}
