import type {
  ArchitectureType,
  EbsInfo,
  EbsOptimizedInfo,
  FpgaInfo,
  GpuInfo,
  InferenceAcceleratorInfo,
  InstanceStorageInfo,
  InstanceTypeHypervisor,
  InstanceTypeInfo,
  MediaAcceleratorInfo,
  NetworkInfo,
  NeuronInfo,
  SupportedAdditionalProcessorFeature,
} from '@aws-sdk/client-ec2';
import type { InstanceType } from '../../model/catalogue.ts';
import { defined } from '../../model/defined.ts';
import type { InstanceFeature, InstanceTypeDetails } from '../../model/instance-type-details.ts';
import { toSdkType } from './sdk-types.ts';

/** The known details of a type, and whether it has a feature. */
interface Known {
  readonly details: InstanceTypeDetails;
  readonly has: (feature: InstanceFeature) => boolean;
}

/** Types already written: every page of every list has them again. */
const written = new WeakMap<InstanceType, InstanceTypeInfo>();

/**
 * A type as DescribeInstanceTypes describes it, in the SDK's shape. What the catalogue does not know is omitted, as are fields
 * that no autoscaler reads: valid core counts, network interface queues, connection time-outs, EBS cards.
 */
export function writeInstanceType(type: InstanceType): InstanceTypeInfo {
  const known = written.get(type) ?? write(type);
  written.set(type, known);
  return known;
}

function write(type: InstanceType): InstanceTypeInfo {
  const { details } = type;
  const basic: InstanceTypeInfo = {
    InstanceType: toSdkType(type.type),
    CurrentGeneration: type.currentGeneration,
    SupportedUsageClasses: [...type.usageClasses],
    SupportedRootDeviceTypes: ['ebs'],
    SupportedVirtualizationTypes: ['hvm'],
    BareMetal: type.bareMetal,
    ...(type.hypervisor === '' ? {} : { Hypervisor: type.hypervisor as InstanceTypeHypervisor }),
    ProcessorInfo: { SupportedArchitectures: [type.architecture satisfies ArchitectureType] },
    VCpuInfo: { DefaultVCpus: type.vcpu },
    MemoryInfo: { SizeInMiB: type.memoryMiB },
    NetworkInfo: {
      MaximumNetworkInterfaces: type.networkInterfaces,
      MaximumNetworkCards: 1,
      DefaultNetworkCardIndex: 0,
      NetworkCards: [{ NetworkCardIndex: 0, MaximumNetworkInterfaces: type.networkInterfaces }],
      Ipv4AddressesPerInterface: type.ipv4PerInterface,
    },
    ...defined({ GpuInfo: type.gpu && writeGpu(type.gpu) }),
  };
  return details === undefined
    ? basic
    : { ...basic, ...writeDetails(type, { details, has: (feature) => details.features.includes(feature) }) };
}

function writeDetails(type: InstanceType, known: Known): InstanceTypeInfo {
  const { details, has } = known;
  const { cpu, storage, bootModes } = details;
  return {
    SupportedRootDeviceTypes: has('instance-store-root') ? ['ebs', 'instance-store'] : ['ebs'],
    SupportedVirtualizationTypes: has('paravirtual') ? ['hvm', 'paravirtual'] : ['hvm'],
    ProcessorInfo: {
      SupportedArchitectures: [...(cpu.i386 === true ? (['i386'] as const) : []), type.architecture],
      ...defined({
        SustainedClockSpeedInGhz: cpu.clockGhz,
        // EC2 has some that the SDK does not know yet.
        SupportedFeatures: cpu.features as SupportedAdditionalProcessorFeature[] | undefined,
      }),
      Manufacturer: cpu.manufacturer,
    },
    VCpuInfo: { DefaultVCpus: type.vcpu, DefaultCores: type.vcpu / cpu.threadsPerCore, DefaultThreadsPerCore: cpu.threadsPerCore },
    InstanceStorageSupported: storage !== undefined,
    ...defined({ InstanceStorageInfo: storage && writeStorage(storage) }),
    EbsInfo: writeEbs(details.ebs),
    NetworkInfo: writeNetwork(type, known),
    PlacementGroupInfo: { SupportedStrategies: [...(has('cluster-placement') ? (['cluster'] as const) : []), 'partition', 'spread'] },
    ...writeAccelerators(details),
    FreeTierEligible: has('free-tier'),
    BurstablePerformanceSupported: has('burstable'),
    DedicatedHostsSupported: has('dedicated-hosts'),
    AutoRecoverySupported: has('auto-recovery'),
    HibernationSupported: has('hibernation'),
    SupportedBootModes: bootModes,
    NitroEnclavesSupport: supported(has('nitro-enclaves')),
    NitroTpmSupport: supported(has('nitro-tpm')),
    ...(has('nitro-tpm') ? { NitroTpmInfo: { SupportedVersions: ['2.0'] } } : {}),
    PhcSupport: supported(has('phc')),
    RebootMigrationSupport: supported(has('reboot-migration')),
  };
}

function writeGpu({ count, name, manufacturer, memoryMiB, workloads, partition = 1 }: NonNullable<InstanceType['gpu']>): GpuInfo {
  const logical = Math.max(count, 1);
  return {
    Gpus: [
      {
        Name: name,
        Manufacturer: manufacturer,
        Count: count,
        LogicalGpuCount: logical,
        GpuPartitionSize: partition,
        Workloads: [...workloads],
        MemoryInfo: { SizeInMiB: memoryMiB },
      },
    ],
    TotalGpuMemoryInMiB: logical * memoryMiB,
  };
}

function writeStorage({ disks, diskGB, type, nvme, encryption }: NonNullable<InstanceTypeDetails['storage']>): InstanceStorageInfo {
  return {
    TotalSizeInGB: disks * diskGB,
    Disks: [{ SizeInGB: diskGB, Count: disks, Type: type }],
    NvmeSupport: nvme,
    EncryptionSupport: encryption,
  };
}

function writeEbs({ optimized, nvme, attachments, attachmentLimit, baseline, maximum = baseline }: InstanceTypeDetails['ebs']): EbsInfo {
  return {
    EbsOptimizedSupport: optimized,
    EncryptionSupport: 'supported',
    ...defined({ EbsOptimizedInfo: baseline && maximum && writeEbsRates(baseline, maximum) }),
    NvmeSupport: nvme,
    MaximumEbsAttachments: attachments,
    AttachmentLimitType: attachmentLimit,
  };
}

function writeEbsRates(baseline: readonly number[], maximum: readonly number[]): EbsOptimizedInfo {
  const [baseMbps = 0, baseIops = 0, baseMBps = baseMbps / 8] = baseline;
  const [maxMbps = 0, maxIops = 0, maxMBps = maxMbps / 8] = maximum;
  return {
    BaselineBandwidthInMbps: baseMbps,
    BaselineThroughputInMBps: baseMBps,
    BaselineIops: baseIops,
    MaximumBandwidthInMbps: maxMbps,
    MaximumThroughputInMBps: maxMBps,
    MaximumIops: maxIops,
  };
}

function writeNetwork(type: InstanceType, { details: { network }, has }: Known): NetworkInfo {
  const cards = network.cards.flatMap(({ count = 1, ...card }) => Array.from({ length: count }, () => card));
  return {
    NetworkPerformance: network.performance,
    MaximumNetworkInterfaces: cards.reduce((sum, { interfaces }) => sum + interfaces, 0),
    MaximumNetworkCards: cards.length,
    DefaultNetworkCardIndex: 0,
    NetworkCards: cards.map((card, index) => ({
      NetworkCardIndex: index,
      NetworkPerformance: card.performance ?? network.performance,
      MaximumNetworkInterfaces: card.interfaces,
      BaselineBandwidthInGbps: card.baselineGbps,
      PeakBandwidthInGbps: card.peakGbps,
      InterfaceTypes: card.efa === true ? ['interface', 'efa', 'efa-only'] : ['interface'],
    })),
    Ipv4AddressesPerInterface: type.ipv4PerInterface,
    Ipv6AddressesPerInterface: has('ipv6') ? type.ipv4PerInterface : 0,
    Ipv6Supported: has('ipv6'),
    EnaSupport: network.ena,
    EfaSupported: network.efaInterfaces !== undefined,
    ...defined({ EfaInfo: network.efaInterfaces === undefined ? undefined : { MaximumEfaInterfaces: network.efaInterfaces } }),
    EncryptionInTransitSupported: has('encryption-in-transit'),
    EnaSrdSupported: has('ena-srd'),
    FlexibleEnaQueuesSupport: supported(has('flexible-ena-queues')),
  };
}

interface Accelerators {
  FpgaInfo?: FpgaInfo;
  InferenceAcceleratorInfo?: InferenceAcceleratorInfo;
  MediaAcceleratorInfo?: MediaAcceleratorInfo;
  NeuronInfo?: NeuronInfo;
}

function writeAccelerators({ accelerators = [] }: InstanceTypeDetails): Accelerators {
  const infos: Accelerators = {};
  for (const { kind, name, count, memoryMiB, manufacturer = 'AWS', cores = 0, coreVersion = 0 } of accelerators) {
    const device = { Name: name, Count: count, MemoryInfo: { SizeInMiB: memoryMiB } };
    const made = { ...device, Manufacturer: manufacturer };
    const totalMiB = count * memoryMiB;
    switch (kind) {
      case 'fpga':
        infos.FpgaInfo = { Fpgas: [made], TotalFpgaMemoryInMiB: totalMiB };
        break;
      case 'inference':
        infos.InferenceAcceleratorInfo = { Accelerators: [made], TotalInferenceMemoryInMiB: totalMiB };
        break;
      case 'media':
        infos.MediaAcceleratorInfo = { Accelerators: [made], TotalMediaMemoryInMiB: totalMiB };
        break;
      case 'neuron': {
        const core = { Count: cores, Version: coreVersion };
        infos.NeuronInfo = { NeuronDevices: [{ ...device, CoreInfo: core }], TotalNeuronDeviceMemoryInMiB: totalMiB };
        break;
      }
    }
  }
  return infos;
}

function supported(yes: boolean): 'supported' | 'unsupported' {
  return yes ? 'supported' : 'unsupported';
}
