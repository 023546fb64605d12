import { z } from 'zod';

/** Megabits per second, operations per second, and megabytes per second if they are not an eighth of the megabits. */
const ebsRateSchema = z.array(z.number()).min(2).max(3).readonly();

/** Boolean features of an instance type. */
export const INSTANCE_FEATURES = [
  'auto-recovery',
  'burstable',
  'cluster-placement',
  'dedicated-hosts',
  'ena-srd',
  'encryption-in-transit',
  'flexible-ena-queues',
  'free-tier',
  'hibernation',
  'instance-store-root',
  'ipv6',
  'nitro-enclaves',
  'nitro-tpm',
  'paravirtual',
  'phc',
  'reboot-migration',
] as const;

const count = z.number().int().nonnegative();

/** The fixture's form of what DescribeInstanceTypes returns, except what `InstanceType` already has. */
export const instanceTypeDetailsSchema = z.strictObject({
  cpu: z.strictObject({
    manufacturer: z.string(),
    clockGhz: z.number().exactOptional(),
    threadsPerCore: z.number().int().positive(),
    features: z.array(z.enum(['amd-sev-snp', 'metal-compatibility', 'nested-virtualization'])).exactOptional(),
    /** It runs 32-bit images too. */
    i386: z.literal(true).exactOptional(),
  }),
  network: z.strictObject({
    performance: z.string(),
    ena: z.enum(['required', 'supported', 'unsupported']),
    /** In order; `count` cards of one kind in a row, by default one. The first is the default card. */
    cards: z
      .array(
        z.strictObject({
          interfaces: z.number().int().positive(),
          baselineGbps: z.number(),
          peakGbps: z.number(),
          /** By default that of the type. */
          performance: z.string().exactOptional(),
          efa: z.literal(true).exactOptional(),
          count: count.exactOptional(),
        }),
      )
      .min(1),
    /** The maximum; absent without EFA. */
    efaInterfaces: count.exactOptional(),
  }),
  ebs: z.strictObject({
    optimized: z.enum(['default', 'supported', 'unsupported']),
    nvme: z.enum(['required', 'supported', 'unsupported']),
    attachments: count,
    attachmentLimit: z.enum(['shared', 'dedicated']),
    /** Absent if EBS optimization is unsupported. */
    baseline: ebsRateSchema.exactOptional(),
    /** By default the baseline. */
    maximum: ebsRateSchema.exactOptional(),
  }),
  /** Local disks, all the same; absent without any. */
  storage: z
    .strictObject({
      disks: count,
      diskGB: count,
      type: z.enum(['hdd', 'ssd']),
      nvme: z.enum(['required', 'supported', 'unsupported']),
      encryption: z.enum(['required', 'unsupported']),
    })
    .exactOptional(),
  /** Other than GPUs. An Inferentia is both for inference and a Neuron device. */
  accelerators: z
    .array(
      z.strictObject({
        kind: z.enum(['fpga', 'inference', 'media', 'neuron']),
        name: z.string(),
        count,
        memoryMiB: count,
        /** Absent for Neuron devices, which are all made by AWS. */
        manufacturer: z.string().exactOptional(),
        /** Of one Neuron device. */
        cores: count.exactOptional(),
        coreVersion: count.exactOptional(),
      }),
    )
    .exactOptional(),
  bootModes: z.array(z.enum(['legacy-bios', 'uefi'])),
  features: z.array(z.enum(INSTANCE_FEATURES)),
});

export type InstanceTypeDetails = Readonly<z.infer<typeof instanceTypeDetailsSchema>>;
export type InstanceFeature = (typeof INSTANCE_FEATURES)[number];
