import type {
  DescribeNetworkInterfacesRequest,
  DescribeNetworkInterfacesResult,
  NetworkInterface,
  NetworkInterfaceType,
} from '@aws-sdk/client-ec2';
import { defined } from '../../../model/defined.ts';
import { Ec2Refusal } from '../../../protocols/ec2/refusal.ts';
import type { Caller } from '../../../wire/backend.ts';
import { described, matchFilters, tagAttributes } from '../filters.ts';
import type { Attributes } from '../filters.ts';
import type { InstanceRecord } from '../instances.ts';
import { interfacesOf } from '../network-interfaces.ts';
import { ACCOUNT_ID } from '../operation.ts';
import type { Account } from '../operation.ts';
import { cutPage } from '../pages.ts';
import { writeTags } from '../tags.ts';
import type { Tags } from '../tags.ts';
import { zoneIdOf } from '../zones.ts';

const PAGE = { min: 5, max: 1_000 };
const ID = /^eni-([0-9a-f]{8}|[0-9a-f]{17})$/;

const tagsOf = ({ TagSet = [] }: NetworkInterface): Tags => Object.fromEntries(TagSet.map(({ Key = '', Value = '' }) => [Key, Value]));

/** Source of the names: DescribeNetworkInterfaces in the API reference. No interface has a public or a second address. */
const ATTRIBUTES: Attributes<NetworkInterface> = {
  ...tagAttributes(tagsOf),
  ...described<NetworkInterface, NetworkInterface>(
    {
      'addresses.association.public-ip': () => [],
      'addresses.primary': ({ PrivateIpAddresses = [] }) => PrivateIpAddresses.map(({ Primary }) => Primary),
      'addresses.private-ip-address': ({ PrivateIpAddresses = [] }) => PrivateIpAddresses.map((one) => one.PrivateIpAddress),
      'association.allocation-id': () => [],
      'association.association-id': () => [],
      'association.ip-owner-id': () => [],
      'association.public-dns-name': () => [],
      'association.public-ip': () => [],
      'attachment.attach-time': ({ Attachment }) => [Attachment?.AttachTime],
      'attachment.attachment-id': ({ Attachment }) => [Attachment?.AttachmentId],
      'attachment.delete-on-termination': ({ Attachment }) => [Attachment?.DeleteOnTermination],
      'attachment.device-index': ({ Attachment }) => [Attachment?.DeviceIndex],
      'attachment.instance-id': ({ Attachment }) => [Attachment?.InstanceId],
      'attachment.instance-owner-id': ({ Attachment }) => [Attachment?.InstanceOwnerId],
      'attachment.status': ({ Attachment }) => [Attachment?.Status],
      'availability-zone': (one) => [one.AvailabilityZone],
      'availability-zone-id': (one) => [one.AvailabilityZoneId],
      description: (one) => [one.Description],
      'group-id': ({ Groups = [] }) => Groups.map(({ GroupId }) => GroupId),
      'group-name': ({ Groups = [] }) => Groups.map(({ GroupName }) => GroupName),
      'interface-type': (one) => [one.InterfaceType],
      'ipv6-addresses.ipv6-address': () => [],
      'mac-address': (one) => [one.MacAddress],
      'network-interface-id': (one) => [one.NetworkInterfaceId],
      'operator.managed': (one) => [one.Operator?.Managed],
      'operator.principal': () => [],
      'owner-id': (one) => [one.OwnerId],
      'private-dns-name': (one) => [one.PrivateDnsName],
      'private-ip-address': (one) => [one.PrivateIpAddress],
      'requester-id': () => [],
      'requester-managed': (one) => [one.RequesterManaged],
      'source-dest-check': (one) => [one.SourceDestCheck],
      status: (one) => [one.Status],
      'subnet-id': (one) => [one.SubnetId],
      'vpc-id': (one) => [one.VpcId],
    },
    (one) => one,
  ),
};

/** Lists the network interfaces of instances in the order of their ids. */
export function describeNetworkInterfaces(
  account: Account,
  request: DescribeNetworkInterfacesRequest,
  { span }: Caller,
): DescribeNetworkInterfacesResult {
  const { NetworkInterfaceIds: ids = [], Filters, MaxResults, NextToken } = request;
  const malformed = ids.find((id) => !ID.test(id));
  if (malformed !== undefined) {
    throw new Ec2Refusal('InvalidNetworkInterfaceId.Malformed', `Invalid id: "${malformed}" (expecting "eni-...")`);
  }
  const all = account.instances.readAll(span).flatMap((record) => write(account, record));
  const missing = ids.find((id) => !all.some((one) => one.NetworkInterfaceId === id));
  if (missing !== undefined) {
    throw new Ec2Refusal('InvalidNetworkInterfaceID.NotFound', `The networkInterface ID '${missing}' does not exist`);
  }
  const matches = matchFilters(Filters, ATTRIBUTES, tagsOf);
  const found = all.filter((one) => (ids.length === 0 || ids.includes(idOf(one))) && matches(one));
  const sorted = found.sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
  const { items, nextToken } = cutPage(sorted, idOf, { MaxResults, NextToken }, PAGE);
  return { NetworkInterfaces: [...items], ...defined({ NextToken: nextToken }) };
}

function idOf({ NetworkInterfaceId: id = '' }: NetworkInterface): string {
  return id;
}

/** The interfaces of an instance as they are listed: with what the instance's own description of them lacks. */
function write(account: Account, record: InstanceRecord): NetworkInterface[] {
  return interfacesOf(account, record).map(({ Attachment, InterfaceType: type = 'interface', ...rest }) => ({
    ...rest,
    InterfaceType: type as NetworkInterfaceType,
    Attachment: { ...Attachment, InstanceId: record.id, InstanceOwnerId: ACCOUNT_ID },
    AvailabilityZone: record.zone,
    AvailabilityZoneId: zoneIdOf(record.zone),
    RequesterManaged: false,
    TagSet: writeTags(record.partTags['network-interface'] ?? {}),
  }));
}
