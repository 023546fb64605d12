import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import type { Attributes } from './filters.ts';

type Scalar = string | number | boolean;

/** What a filter compares: the values as text; none if unknown. */
function texts(value: Scalar | readonly Scalar[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return (typeof value === 'object' ? value : [value]).map(String);
}

/** The filters of DescribeInstanceTypes, except those on fields that answers omit. */
export const INSTANCE_TYPE_ATTRIBUTES: Attributes<InstanceTypeInfo> = {
  'auto-recovery-supported': (type) => texts(type.AutoRecoverySupported),
  'bare-metal': (type) => texts(type.BareMetal),
  'burstable-performance-supported': (type) => texts(type.BurstablePerformanceSupported),
  'current-generation': (type) => texts(type.CurrentGeneration),
  'dedicated-hosts-supported': (type) => texts(type.DedicatedHostsSupported),
  'ebs-info.attachment-limit-type': ({ EbsInfo: ebs }) => texts(ebs?.AttachmentLimitType),
  'ebs-info.ebs-optimized-info.baseline-bandwidth-in-mbps': ({ EbsInfo: ebs }) => texts(ebs?.EbsOptimizedInfo?.BaselineBandwidthInMbps),
  'ebs-info.ebs-optimized-info.baseline-iops': ({ EbsInfo: ebs }) => texts(ebs?.EbsOptimizedInfo?.BaselineIops),
  'ebs-info.ebs-optimized-info.baseline-throughput-in-mbps': ({ EbsInfo: ebs }) => texts(ebs?.EbsOptimizedInfo?.BaselineThroughputInMBps),
  'ebs-info.ebs-optimized-info.maximum-bandwidth-in-mbps': ({ EbsInfo: ebs }) => texts(ebs?.EbsOptimizedInfo?.MaximumBandwidthInMbps),
  'ebs-info.ebs-optimized-info.maximum-iops': ({ EbsInfo: ebs }) => texts(ebs?.EbsOptimizedInfo?.MaximumIops),
  'ebs-info.ebs-optimized-info.maximum-throughput-in-mbps': ({ EbsInfo: ebs }) => texts(ebs?.EbsOptimizedInfo?.MaximumThroughputInMBps),
  'ebs-info.ebs-optimized-support': ({ EbsInfo: ebs }) => texts(ebs?.EbsOptimizedSupport),
  'ebs-info.encryption-support': ({ EbsInfo: ebs }) => texts(ebs?.EncryptionSupport),
  'ebs-info.maximum-ebs-attachments': ({ EbsInfo: ebs }) => texts(ebs?.MaximumEbsAttachments),
  'ebs-info.nvme-support': ({ EbsInfo: ebs }) => texts(ebs?.NvmeSupport),
  'free-tier-eligible': (type) => texts(type.FreeTierEligible),
  'hibernation-supported': (type) => texts(type.HibernationSupported),
  hypervisor: (type) => texts(type.Hypervisor),
  'instance-storage-info.disk.count': ({ InstanceStorageInfo: disks }) => (disks?.Disks ?? []).flatMap(({ Count }) => texts(Count)),
  'instance-storage-info.disk.size-in-gb': ({ InstanceStorageInfo: disks }) =>
    (disks?.Disks ?? []).flatMap(({ SizeInGB }) => texts(SizeInGB)),
  'instance-storage-info.disk.type': ({ InstanceStorageInfo: disks }) => (disks?.Disks ?? []).flatMap(({ Type }) => texts(Type)),
  'instance-storage-info.encryption-support': ({ InstanceStorageInfo: disks }) => texts(disks?.EncryptionSupport),
  'instance-storage-info.nvme-support': ({ InstanceStorageInfo: disks }) => texts(disks?.NvmeSupport),
  'instance-storage-info.total-size-in-gb': ({ InstanceStorageInfo: disks }) => texts(disks?.TotalSizeInGB),
  'instance-storage-supported': (type) => texts(type.InstanceStorageSupported),
  'instance-type': (type) => texts(type.InstanceType),
  'memory-info.size-in-mib': (type) => texts(type.MemoryInfo?.SizeInMiB),
  'network-info.efa-info.maximum-efa-interfaces': ({ NetworkInfo: network }) => texts(network?.EfaInfo?.MaximumEfaInterfaces),
  'network-info.efa-supported': ({ NetworkInfo: network }) => texts(network?.EfaSupported),
  'network-info.ena-support': ({ NetworkInfo: network }) => texts(network?.EnaSupport),
  'network-info.encryption-in-transit-supported': ({ NetworkInfo: network }) => texts(network?.EncryptionInTransitSupported),
  'network-info.flexible-ena-queues-support': ({ NetworkInfo: network }) => texts(network?.FlexibleEnaQueuesSupport),
  'network-info.ipv4-addresses-per-interface': ({ NetworkInfo: network }) => texts(network?.Ipv4AddressesPerInterface),
  'network-info.ipv6-addresses-per-interface': ({ NetworkInfo: network }) => texts(network?.Ipv6AddressesPerInterface),
  'network-info.ipv6-supported': ({ NetworkInfo: network }) => texts(network?.Ipv6Supported),
  'network-info.maximum-network-cards': ({ NetworkInfo: network }) => texts(network?.MaximumNetworkCards),
  'network-info.maximum-network-interfaces': ({ NetworkInfo: network }) => texts(network?.MaximumNetworkInterfaces),
  'network-info.network-performance': ({ NetworkInfo: network }) => texts(network?.NetworkPerformance),
  'nitro-enclaves-support': (type) => texts(type.NitroEnclavesSupport),
  'nitro-tpm-info.supported-versions': (type) => texts(type.NitroTpmInfo?.SupportedVersions),
  'nitro-tpm-support': (type) => texts(type.NitroTpmSupport),
  'processor-info.supported-architecture': ({ ProcessorInfo: processor }) => texts(processor?.SupportedArchitectures),
  'processor-info.supported-features': ({ ProcessorInfo: processor }) => texts(processor?.SupportedFeatures),
  'processor-info.sustained-clock-speed-in-ghz': ({ ProcessorInfo: processor }) => texts(processor?.SustainedClockSpeedInGhz),
  'reboot-migration-support': (type) => texts(type.RebootMigrationSupport),
  'supported-boot-mode': (type) => texts(type.SupportedBootModes),
  'supported-root-device-type': (type) => texts(type.SupportedRootDeviceTypes),
  'supported-usage-class': (type) => texts(type.SupportedUsageClasses),
  'supported-virtualization-type': (type) => texts(type.SupportedVirtualizationTypes),
  'vcpu-info.default-cores': ({ VCpuInfo: cpus }) => texts(cpus?.DefaultCores),
  'vcpu-info.default-threads-per-core': ({ VCpuInfo: cpus }) => texts(cpus?.DefaultThreadsPerCore),
  'vcpu-info.default-vcpus': ({ VCpuInfo: cpus }) => texts(cpus?.DefaultVCpus),
};
