import { expect, test } from '@playwright/test';
import { loadCatalogue } from '../../model/instance-catalogue.ts';
import { writeInstanceType } from './instance-type-view.ts';

const { types } = loadCatalogue();

/** A type as EC2 describes it. The client here would omit fields that nothing here reads. */
function view(name: string): unknown {
  const type = types.get(name);
  return type === undefined ? undefined : writeInstanceType(type);
}

test('a type is described with its disks, network cards, EBS and accelerators', () => {
  expect(view('m6id.large')).toMatchObject({
    EbsInfo: {
      EbsOptimizedSupport: 'default',
      EbsOptimizedInfo: {
        BaselineBandwidthInMbps: 650,
        BaselineThroughputInMBps: 81.25,
        MaximumBandwidthInMbps: 10_000,
        MaximumIops: 40_000,
      },
      NvmeSupport: 'required',
      MaximumEbsAttachments: 26,
    },
    InstanceStorageSupported: true,
    InstanceStorageInfo: { TotalSizeInGB: 118, Disks: [{ Count: 1, SizeInGB: 118, Type: 'ssd' }], NvmeSupport: 'required' },
    ProcessorInfo: { Manufacturer: 'Intel', SustainedClockSpeedInGhz: 3.5 },
    VCpuInfo: { DefaultCores: 1, DefaultThreadsPerCore: 2 },
    PlacementGroupInfo: { SupportedStrategies: ['cluster', 'partition', 'spread'] },
    HibernationSupported: true,
    SupportedBootModes: ['legacy-bios', 'uefi'],
  });
  expect(view('inf2.48xlarge')).toMatchObject({
    InferenceAcceleratorInfo: {
      Accelerators: [{ Name: 'Inferentia2', Manufacturer: 'AWS', Count: 12 }],
      TotalInferenceMemoryInMiB: 393_216,
    },
    NeuronInfo: { NeuronDevices: [{ Name: 'Inferentia2', Count: 12, CoreInfo: { Count: 2, Version: 2 } }] },
  });
  expect(view('p4d.24xlarge')).toMatchObject({
    NetworkInfo: {
      NetworkPerformance: '4x 100 Gigabit',
      MaximumNetworkCards: 4,
      MaximumNetworkInterfaces: 60,
      EfaInfo: { MaximumEfaInterfaces: 4 },
      NetworkCards: [0, 1, 2, 3].map((NetworkCardIndex) => ({ NetworkCardIndex, MaximumNetworkInterfaces: 15, PeakBandwidthInGbps: 100 })),
    },
  });
});

test('a type of which little is known is described with just that', () => {
  const type = types.get('m5.large');
  if (type === undefined) throw new Error('the catalogue has m5.large');
  const { details: _details, ...known } = type;
  const info = writeInstanceType(known);
  expect(info).toMatchObject({ VCpuInfo: { DefaultVCpus: 2 }, NetworkInfo: { NetworkCards: [{ MaximumNetworkInterfaces: 3 }] } });
  expect(Object.keys(info)).not.toContain('EbsInfo');
});

test("every type has the fields that Karpenter's AWS provider reads without a nil check", () => {
  for (const type of types.values()) {
    const { VCpuInfo, MemoryInfo, ProcessorInfo, NetworkInfo, GpuInfo, NeuronInfo, PlacementGroupInfo } = writeInstanceType(type);
    const [card] = NetworkInfo?.NetworkCards ?? [];
    const needed = [
      ...[VCpuInfo?.DefaultVCpus, MemoryInfo?.SizeInMiB, ProcessorInfo?.SupportedArchitectures?.[0], PlacementGroupInfo],
      ...[NetworkInfo?.DefaultNetworkCardIndex, NetworkInfo?.Ipv4AddressesPerInterface, card?.MaximumNetworkInterfaces],
      ...(GpuInfo?.Gpus ?? []).flatMap((gpu) => [gpu.Manufacturer, gpu.Count, gpu.MemoryInfo?.SizeInMiB]),
      ...(NeuronInfo?.NeuronDevices ?? []).flatMap((device) => [device.Count, device.CoreInfo?.Count]),
    ];
    expect(needed, type.type).not.toContain(undefined);
  }
});
