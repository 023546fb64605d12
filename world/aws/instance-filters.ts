import type { Instance as SdkInstance } from '@aws-sdk/client-ec2';
import { described, tagAttributes } from './filters.ts';
import type { Attributes, Shown } from './filters.ts';
import { describeInstance } from './instance-view.ts';
import type { InstanceRecord } from './instances.ts';
import { ACCOUNT_ID } from './operation.ts';
import type { Account } from './operation.ts';

export const instanceTags = (record: InstanceRecord): InstanceRecord['tags'] => record.tags;

/** A function that returns the values of a filter from an instance's description. */
type ValuesOf = (instance: SdkInstance) => readonly Shown[];

/** A filter on each of an instance's network interfaces. */
function ofInterfaces(valuesOf: (one: NonNullable<SdkInstance['NetworkInterfaces']>[number]) => readonly Shown[]): ValuesOf {
  return ({ NetworkInterfaces: interfaces = [] }) => interfaces.flatMap(valuesOf);
}

/** A filter on each of an instance's volumes. */
function ofVolumes(valuesOf: (one: NonNullable<SdkInstance['BlockDeviceMappings']>[number]) => readonly Shown[]): ValuesOf {
  return ({ BlockDeviceMappings: mappings = [] }) => mappings.flatMap(valuesOf);
}

/** No instance here has it: the filter matches nothing. */
const NONE: ValuesOf = () => [];

/** Source of the names: DescribeInstances in the API reference. */
const VALUES: Readonly<Record<string, ValuesOf>> = {
  affinity: NONE,
  architecture: (one) => [one.Architecture],
  'availability-zone': ({ Placement }) => [Placement?.AvailabilityZone],
  'availability-zone-id': ({ Placement }) => [Placement?.AvailabilityZoneId],
  'block-device-mapping.attach-time': ofVolumes(({ Ebs }) => [Ebs?.AttachTime]),
  'block-device-mapping.delete-on-termination': ofVolumes(({ Ebs }) => [Ebs?.DeleteOnTermination]),
  'block-device-mapping.device-name': ofVolumes(({ DeviceName }) => [DeviceName]),
  'block-device-mapping.status': ofVolumes(({ Ebs }) => [Ebs?.Status]),
  'block-device-mapping.volume-id': ofVolumes(({ Ebs }) => [Ebs?.VolumeId]),
  'boot-mode': (one) => [one.BootMode],
  'capacity-reservation-id': NONE,
  'capacity-reservation-specification.capacity-reservation-preference': (one) => [
    one.CapacityReservationSpecification?.CapacityReservationPreference,
  ],
  'client-token': (one) => [one.ClientToken],
  'current-instance-boot-mode': (one) => [one.CurrentInstanceBootMode],
  'dns-name': (one) => [one.PublicDnsName],
  'ebs-optimized': (one) => [one.EbsOptimized],
  'ena-support': (one) => [one.EnaSupport],
  'enclave-options.enabled': (one) => [one.EnclaveOptions?.Enabled],
  'hibernation-options.configured': (one) => [one.HibernationOptions?.Configured],
  hypervisor: (one) => [one.Hypervisor],
  'iam-instance-profile.arn': (one) => [one.IamInstanceProfile?.Arn],
  'iam-instance-profile.id': (one) => [one.IamInstanceProfile?.Id],
  'image-id': (one) => [one.ImageId],
  'instance-id': (one) => [one.InstanceId],
  'instance-lifecycle': (one) => [one.InstanceLifecycle],
  'instance-state-code': ({ State }) => [State?.Code],
  'instance-state-name': ({ State }) => [State?.Name],
  'instance-type': (one) => [one.InstanceType],
  'instance.group-id': ({ SecurityGroups = [] }) => SecurityGroups.map(({ GroupId }) => GroupId),
  'instance.group-name': ({ SecurityGroups = [] }) => SecurityGroups.map(({ GroupName }) => GroupName),
  'ip-address': NONE,
  'ipv6-address': NONE,
  'kernel-id': NONE,
  'key-name': (one) => [one.KeyName],
  'launch-index': (one) => [one.AmiLaunchIndex],
  'launch-time': (one) => [one.LaunchTime],
  'maintenance-options.auto-recovery': (one) => [one.MaintenanceOptions?.AutoRecovery],
  'metadata-options.http-endpoint': (one) => [one.MetadataOptions?.HttpEndpoint],
  'metadata-options.http-protocol-ipv4': (one) => [one.MetadataOptions?.HttpEndpoint],
  'metadata-options.http-protocol-ipv6': (one) => [one.MetadataOptions?.HttpProtocolIpv6],
  'metadata-options.http-put-response-hop-limit': (one) => [one.MetadataOptions?.HttpPutResponseHopLimit],
  'metadata-options.http-tokens': (one) => [one.MetadataOptions?.HttpTokens],
  'metadata-options.instance-metadata-tags': (one) => [one.MetadataOptions?.InstanceMetadataTags],
  'metadata-options.state': (one) => [one.MetadataOptions?.State],
  'monitoring-state': ({ Monitoring }) => [Monitoring?.State],
  'network-interface.addresses.primary': ofInterfaces(({ PrivateIpAddresses = [] }) => PrivateIpAddresses.map(({ Primary }) => Primary)),
  'network-interface.addresses.private-ip-address': ofInterfaces(({ PrivateIpAddresses = [] }) =>
    PrivateIpAddresses.map(({ PrivateIpAddress }) => PrivateIpAddress),
  ),
  'network-interface.association.public-ip': NONE,
  'network-interface.attachment.attach-time': ofInterfaces(({ Attachment }) => [Attachment?.AttachTime]),
  'network-interface.attachment.attachment-id': ofInterfaces(({ Attachment }) => [Attachment?.AttachmentId]),
  'network-interface.attachment.delete-on-termination': ofInterfaces(({ Attachment }) => [Attachment?.DeleteOnTermination]),
  'network-interface.attachment.device-index': ofInterfaces(({ Attachment }) => [Attachment?.DeviceIndex]),
  'network-interface.attachment.status': ofInterfaces(({ Attachment }) => [Attachment?.Status]),
  'network-interface.availability-zone': ({ Placement, NetworkInterfaces = [] }) =>
    NetworkInterfaces.map(() => Placement?.AvailabilityZone),
  'network-interface.description': ofInterfaces(({ Description }) => [Description]),
  'network-interface.group-id': ofInterfaces(({ Groups = [] }) => Groups.map(({ GroupId }) => GroupId)),
  'network-interface.group-name': ofInterfaces(({ Groups = [] }) => Groups.map(({ GroupName }) => GroupName)),
  'network-interface.mac-address': ofInterfaces(({ MacAddress }) => [MacAddress]),
  'network-interface.network-interface-id': ofInterfaces(({ NetworkInterfaceId }) => [NetworkInterfaceId]),
  'network-interface.owner-id': ofInterfaces(({ OwnerId }) => [OwnerId]),
  'network-interface.private-dns-name': ofInterfaces(({ PrivateDnsName }) => [PrivateDnsName]),
  'network-interface.private-ip-address': ofInterfaces(({ PrivateIpAddress }) => [PrivateIpAddress]),
  'network-interface.source-dest-check': ofInterfaces(({ SourceDestCheck }) => [SourceDestCheck]),
  'network-interface.status': ofInterfaces(({ Status }) => [Status]),
  'network-interface.subnet-id': ofInterfaces(({ SubnetId }) => [SubnetId]),
  'network-interface.vpc-id': ofInterfaces(({ VpcId }) => [VpcId]),
  'network-performance-options.bandwidth-weighting': (one) => [one.NetworkPerformanceOptions?.BandwidthWeighting],
  'operator.managed': (one) => [one.Operator?.Managed],
  'operator.principal': NONE,
  'outpost-arn': NONE,
  'owner-id': () => [ACCOUNT_ID],
  'placement-group-name': ({ Placement }) => [Placement?.GroupName],
  'placement-partition-number': NONE,
  platform: NONE,
  'platform-details': (one) => [one.PlatformDetails],
  'private-dns-name': (one) => [one.PrivateDnsName],
  'private-dns-name-options.enable-resource-name-dns-a-record': (one) => [one.PrivateDnsNameOptions?.EnableResourceNameDnsARecord],
  'private-dns-name-options.enable-resource-name-dns-aaaa-record': (one) => [one.PrivateDnsNameOptions?.EnableResourceNameDnsAAAARecord],
  'private-dns-name-options.hostname-type': (one) => [one.PrivateDnsNameOptions?.HostnameType],
  'private-ip-address': (one) => [one.PrivateIpAddress],
  'product-code': NONE,
  'product-code.type': NONE,
  'ramdisk-id': NONE,
  reason: (one) => [one.StateTransitionReason],
  'requester-id': NONE,
  'root-device-name': (one) => [one.RootDeviceName],
  'root-device-type': (one) => [one.RootDeviceType],
  'source-dest-check': (one) => [one.SourceDestCheck],
  'spot-instance-request-id': (one) => [one.SpotInstanceRequestId],
  'state-reason-code': ({ StateReason }) => [StateReason?.Code],
  'state-reason-message': ({ StateReason }) => [StateReason?.Message],
  'subnet-id': (one) => [one.SubnetId],
  tenancy: ({ Placement }) => [Placement?.Tenancy],
  'tpm-support': NONE,
  'usage-operation': (one) => [one.UsageOperation],
  'usage-operation-update-time': (one) => [one.UsageOperationUpdateTime],
  'virtualization-type': (one) => [one.VirtualizationType],
  'vpc-id': (one) => [one.VpcId],
};

/** The filters of DescribeInstances. */
export function instanceAttributes(account: Account): Attributes<InstanceRecord> {
  return {
    ...tagAttributes(instanceTags),
    'reservation-id': ({ reservationId }) => [reservationId],
    ...described(VALUES, (record) => describeInstance(account, record)),
  };
}
