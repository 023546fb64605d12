import type {
  ArchitectureType,
  DescribeInstanceTypesRequest,
  DescribeInstanceTypesResult,
  InstanceTypeHypervisor,
  InstanceTypeInfo,
} from '@aws-sdk/client-ec2';
import type { InstanceType } from '../../../model/catalogue.ts';
import { Ec2Refusal, invalidValue } from '../../../protocols/ec2/refusal.ts';
import { constantAnswers } from '../constant-answers.ts';
import { matchFilters } from '../filters.ts';
import type { Attributes } from '../filters.ts';
import { cutPage } from '../pages.ts';
import { toSdkType } from '../sdk-types.ts';

const PAGE = { min: 5, max: 100, byDefault: 100 };
const IDS_MAX = 100;

const ATTRIBUTES: Attributes<InstanceType> = {
  'bare-metal': ({ bareMetal }) => [String(bareMetal)],
  'current-generation': ({ currentGeneration }) => [String(currentGeneration)],
  hypervisor: ({ hypervisor }) => (hypervisor === '' ? [] : [hypervisor]),
  'instance-type': ({ type }) => [type],
  'memory-info.size-in-mib': ({ memoryMiB }) => [String(memoryMiB)],
  'network-info.ipv4-addresses-per-interface': ({ ipv4PerInterface }) => [String(ipv4PerInterface)],
  'network-info.maximum-network-interfaces': ({ networkInterfaces }) => [String(networkInterfaces)],
  'processor-info.supported-architecture': ({ architecture }) => [architecture],
  'supported-root-device-type': () => ['ebs'],
  'supported-usage-class': ({ usageClasses }) => usageClasses,
  'supported-virtualization-type': () => ['hvm'],
  'vcpu-info.default-vcpus': ({ vcpu }) => [String(vcpu)],
};

/** Lists the catalogue's types. What the catalogue does not know (other accelerators than GPUs, bandwidth, local disks) is left out. */
export const describeInstanceTypes = constantAnswers((catalogue, request: DescribeInstanceTypesRequest): DescribeInstanceTypesResult => {
  const { InstanceTypes: names = [], Filters, MaxResults, NextToken } = request;
  if (names.length > IDS_MAX) throw invalidValue(`At most ${IDS_MAX} instance types can be asked for by one request`);
  if (names.length > 0 && MaxResults !== undefined) {
    throw new Ec2Refusal('InvalidParameterCombination', 'The parameter InstanceTypes cannot be used with the parameter MaxResults');
  }
  const unknown = names.filter((name) => !catalogue.types.has(name));
  if (unknown.length > 0) {
    throw new Ec2Refusal('InvalidInstanceType', `The following supplied instance types do not exist: [${unknown.join(', ')}]`);
  }
  const asked: ReadonlySet<string> = new Set(names);
  const matches = matchFilters(Filters, ATTRIBUTES);
  const types = [...catalogue.types.values()].filter((type) => (asked.size === 0 || asked.has(type.type)) && matches(type));
  const { items, nextToken } = cutPage(types, ({ type }) => type, { MaxResults, NextToken }, PAGE);
  return { InstanceTypes: items.map(writeType), ...(nextToken === undefined ? {} : { NextToken: nextToken }) };
});

function writeType(type: InstanceType): InstanceTypeInfo {
  return {
    InstanceType: toSdkType(type.type),
    CurrentGeneration: type.currentGeneration,
    SupportedUsageClasses: [...type.usageClasses],
    SupportedRootDeviceTypes: ['ebs'],
    SupportedVirtualizationTypes: ['hvm'],
    BareMetal: type.bareMetal,
    ...(type.hypervisor === '' ? {} : { Hypervisor: type.hypervisor as InstanceTypeHypervisor }),
    ProcessorInfo: { SupportedArchitectures: [type.architecture satisfies ArchitectureType], Manufacturer: manufacturerOf(type) },
    VCpuInfo: { DefaultVCpus: type.vcpu },
    MemoryInfo: { SizeInMiB: type.memoryMiB },
    InstanceStorageSupported: false,
    NetworkInfo: {
      MaximumNetworkInterfaces: type.networkInterfaces,
      MaximumNetworkCards: 1,
      DefaultNetworkCardIndex: 0,
      NetworkCards: [{ NetworkCardIndex: 0, MaximumNetworkInterfaces: type.networkInterfaces }],
      Ipv4AddressesPerInterface: type.ipv4PerInterface,
      EnaSupport: 'required',
    },
    ...(type.gpu === undefined
      ? {}
      : { GpuInfo: { Gpus: [{ Name: type.gpu.name, Manufacturer: type.gpu.manufacturer, Count: type.gpu.count }] } }),
    BurstablePerformanceSupported: /^t\d/.test(type.type),
  };
}

/** Read from the name: `m6a` has AMD's processors, `m6g` AWS's own, the others Intel's. */
function manufacturerOf({ type, architecture }: InstanceType): string {
  if (architecture === 'arm64') return 'AWS';
  return /^[a-z]+\d+a/.test(type) ? 'AMD' : 'Intel';
}
