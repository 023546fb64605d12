import type { InstanceRequirementsRequest, InstanceTypeInfo } from '@aws-sdk/client-ec2';
import { Ec2Refusal, invalidValue, missingParameter } from '../../protocols/ec2/refusal.ts';
import { globMatcher } from './glob.ts';

/** The bounds of a number; what is absent does not bound. */
interface Range {
  readonly Min?: number | undefined;
  readonly Max?: number | undefined;
}

/** GPUs, FPGAs and chips of one kind in a type. */
interface Accelerator {
  readonly type: 'gpu' | 'fpga' | 'inference' | 'media';
  readonly name: string;
  readonly manufacturer: string;
  readonly count: number;
  readonly memoryMiB: number;
}

const MIB_PER_GIB = 1_024;
const RANGES = [
  'VCpuCount',
  'MemoryMiB',
  'MemoryGiBPerVCpu',
  'NetworkInterfaceCount',
  'TotalLocalStorageGB',
  'BaselineEbsBandwidthMbps',
  'AcceleratorCount',
  'AcceleratorTotalMemoryMiB',
  'NetworkBandwidthGbps',
] as const;

/**
 * Which types have the attributes that a request asks for; without price protection, which EC2 does not apply here either. Source:
 * InstanceRequirementsRequest, also of the defaults.
 * @throws Ec2Refusal for attributes that contradict each other, or that this world does not emulate
 */
export function requirementsMatcher(asked: InstanceRequirementsRequest): (type: InstanceTypeInfo) => boolean {
  check(asked);
  const allowed = asked.AllowedInstanceTypes?.map(globMatcher);
  const excluded = asked.ExcludedInstanceTypes?.map(globMatcher) ?? [];
  return (type) => {
    const { InstanceType: name = '', VCpuInfo: cpus, MemoryInfo: memory, InstanceStorageInfo: disks, NetworkInfo: network } = type;
    const [vcpu, memoryMiB] = [cpus?.DefaultVCpus ?? 0, memory?.SizeInMiB ?? 0];
    const accelerators = acceleratorsOf(type);
    const kinds = (disks?.Disks ?? []).map(({ Type: kind }) => kind);
    const gbps = network?.NetworkCards?.reduce((sum, { BaselineBandwidthInGbps: one = 0 }) => sum + one, 0);
    return (
      isWithin(vcpu, asked.VCpuCount) &&
      isWithin(memoryMiB, asked.MemoryMiB) &&
      isWithin(memoryMiB / MIB_PER_GIB / vcpu, asked.MemoryGiBPerVCpu) &&
      isAny(makerOf(type.ProcessorInfo?.Manufacturer), asked.CpuManufacturers) &&
      (allowed?.some((matches) => matches(name)) ?? true) &&
      !excluded.some((matches) => matches(name)) &&
      isAny(type.CurrentGeneration === true ? 'current' : 'previous', asked.InstanceGenerations) &&
      isWanted(type.BareMetal === true, asked.BareMetal ?? 'excluded') &&
      isWanted(type.BurstablePerformanceSupported === true, asked.BurstablePerformance ?? 'excluded') &&
      isWanted(disks !== undefined, asked.LocalStorage ?? 'included') &&
      (asked.LocalStorageTypes === undefined || disks === undefined || kinds.some((kind) => isAny(kind, asked.LocalStorageTypes))) &&
      isWithin(disks?.TotalSizeInGB ?? 0, asked.TotalLocalStorageGB) &&
      isWithin(type.EbsInfo?.EbsOptimizedInfo?.BaselineBandwidthInMbps ?? 0, asked.BaselineEbsBandwidthMbps) &&
      isWithin(network?.MaximumNetworkInterfaces ?? 0, asked.NetworkInterfaceCount) &&
      isWithin(gbps ?? 0, asked.NetworkBandwidthGbps) &&
      (asked.RequireHibernateSupport !== true || type.HibernationSupported === true) &&
      (asked.RequireEncryptionInTransit !== true || network?.EncryptionInTransitSupported === true) &&
      hasAccelerators(accelerators, asked)
    );
  };
}

function check(asked: InstanceRequirementsRequest): void {
  for (const name of ['VCpuCount', 'MemoryMiB'] as const) {
    if (asked[name]?.Min === undefined) throw missingParameter(`InstanceRequirements.${name}.Min`);
  }
  for (const name of RANGES) {
    const { Min: min = 0, Max: max = Infinity }: Range = asked[name] ?? {};
    if (min > max) throw invalidValue(`Invalid value for ${name}: the minimum ${min} is more than the maximum ${max}`);
  }
  if (asked.AllowedInstanceTypes !== undefined && asked.ExcludedInstanceTypes !== undefined) {
    const message = 'AllowedInstanceTypes and ExcludedInstanceTypes cannot be used together';
    throw new Ec2Refusal('InvalidParameterCombination', message);
  }
  if (asked.BaselinePerformanceFactors !== undefined) {
    throw new Ec2Refusal('UnsupportedOperation', 'This world does not emulate BaselinePerformanceFactors');
  }
}

/** Types without accelerators have what is asked for unless some are: a minimum, a kind, a maker, a name. */
function hasAccelerators(accelerators: readonly Accelerator[], asked: InstanceRequirementsRequest): boolean {
  const named = accelerators.filter(
    ({ type, name, manufacturer }) =>
      isAny(type, asked.AcceleratorTypes) && isAny(manufacturer, asked.AcceleratorManufacturers) && isAny(name, asked.AcceleratorNames),
  );
  const isNamed = [asked.AcceleratorTypes, asked.AcceleratorManufacturers, asked.AcceleratorNames].some((list) => (list ?? []).length > 0);
  const memoryMiB = accelerators.reduce((sum, one) => sum + one.count * one.memoryMiB, 0);
  const count = accelerators.reduce((sum, one) => sum + one.count, 0);
  return (!isNamed || named.length > 0) && isWithin(count, asked.AcceleratorCount) && isWithin(memoryMiB, asked.AcceleratorTotalMemoryMiB);
}

function acceleratorsOf(info: InstanceTypeInfo): Accelerator[] {
  const { GpuInfo: gpu, FpgaInfo: fpga, InferenceAcceleratorInfo: inference, MediaAcceleratorInfo: media } = info;
  const lists = [
    // A part of a GPU counts as one.
    ['gpu', gpu?.Gpus?.map((one) => ({ ...one, Count: one.LogicalGpuCount ?? one.Count }))],
    ['fpga', fpga?.Fpgas],
    ['inference', inference?.Accelerators],
    ['media', media?.Accelerators],
  ] as const;
  return lists.flatMap(([type, list]) =>
    (list ?? []).map(({ Name: name = '', Manufacturer: manufacturer, Count: count = 0, MemoryInfo: memory }) => ({
      type,
      name: nameOf(name),
      manufacturer: makerOf(manufacturer),
      count,
      memoryMiB: memory?.SizeInMiB ?? 0,
    })),
  );
}

/** As requests spell a manufacturer. */
function makerOf(manufacturer = ''): string {
  const name = manufacturer.toLowerCase();
  return name === 'aws' ? 'amazon-web-services' : name;
}

/** As requests spell an accelerator: `Radeon Pro V520` is `radeon-pro-v520`, and an FPGA goes by the name of its chip. */
function nameOf(name: string): string {
  const chip = /\((\w+)\)/.exec(name)?.[1];
  return (chip ?? name).toLowerCase().replaceAll(' ', '-');
}

function isWithin(value: number, { Min: min = 0, Max: max = Infinity }: Range = {}): boolean {
  return value >= min && value <= max;
}

function isAny(value: string | undefined, wanted: readonly string[] | undefined): boolean {
  return wanted === undefined || wanted.length === 0 || (value !== undefined && wanted.includes(value));
}

/** @param how `included`, `required` or `excluded` */
function isWanted(has: boolean, how: string): boolean {
  return how === 'included' || has === (how === 'required');
}
