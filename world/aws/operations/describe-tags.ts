import type { DescribeTagsRequest, DescribeTagsResult, ResourceType, TagDescription } from '@aws-sdk/client-ec2';
import { defined } from '../../../model/defined.ts';
import type { Caller } from '../../../wire/backend.ts';
import { clusterTags } from '../cluster-tags.ts';
import { matchFilters } from '../filters.ts';
import type { Attributes } from '../filters.ts';
import { spotRequestId } from '../instance-view.ts';
import type { InstanceRecord } from '../instances.ts';
import { interfacesOf } from '../network-interfaces.ts';
import type { Account } from '../operation.ts';
import { cutPage } from '../pages.ts';
import type { Tags } from '../tags.ts';
import { volumesOf } from '../volumes.ts';

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

/** Lists the tags of instances and their parts, launch templates and the network, by resource and key. */
export function describeTags(account: Account, request: DescribeTagsRequest, { span }: Caller): DescribeTagsResult {
  const { instances, templates, network, cluster } = account;
  const own = clusterTags(cluster);
  const tags = [
    ...instances.readAll(span).flatMap((one) => [...tagsOf(one.id, 'instance', one.tags), ...partTagsOf(account, one)]),
    ...templates.readAll(span).flatMap((one) => tagsOf(one.id, 'launch-template', one.tags)),
    ...tagsOf(network.vpcId, 'vpc', own),
    ...network.subnets.flatMap(({ id }) => tagsOf(id, 'subnet', own)),
    ...tagsOf(cluster.securityGroupId, 'security-group', own),
  ];
  const matches = matchFilters(request.Filters, ATTRIBUTES, ({ key, value }) => ({ [key]: value }));
  const sorted = tags.filter(matches).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const { items, nextToken } = cutPage(sorted, keyOf, request, PAGE);
  return {
    Tags: items.map(({ id, type, key, value }): TagDescription => ({ ResourceId: id, ResourceType: type, Key: key, Value: value })),
    ...defined({ NextToken: nextToken }),
  };
}

function partTagsOf(account: Account, record: InstanceRecord): Tagged[] {
  const { volume = {}, 'network-interface': ofInterface = {}, 'spot-instances-request': ofRequest = {} } = record.partTags;
  const isListed = record.state !== 'terminated';
  const isSpot = record.capacityType === 'spot';
  return [
    ...(isListed ? volumesOf(account, record) : []).flatMap(({ id }) => tagsOf(id, 'volume', volume)),
    ...interfacesOf(account, record).flatMap((one) => tagsOf(one.NetworkInterfaceId ?? '', 'network-interface', ofInterface)),
    ...(isSpot ? tagsOf(spotRequestId(record), 'spot-instances-request', ofRequest) : []),
  ];
}

function tagsOf(id: string, type: ResourceType, tags: Tags): Tagged[] {
  return Object.entries(tags).map(([key, value]) => ({ id, type, key, value }));
}

function keyOf({ id, key }: Tagged): string {
  return `${id} ${key}`;
}
