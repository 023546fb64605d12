import { z } from 'zod';

/** Megabits a second, operations a second, and megabytes a second where they are not an eighth of the megabits. */
const ebsRateSchema = z.array(z.number()).min(2).max(3).readonly();

/** What an instance type supports, of what is yes or no. */
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

/** The fixture's form of what DescribeInstanceTypes tells of a type beside what everybody needs. */
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
    /** In their order; `count` of one kind follow one another, by default one. The first is the default card. */
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
    /** Most of them; absent without EFA. */
    efaInterfaces: count.exactOptional(),
  }),
  ebs: z.strictObject({
    optimized: z.enum(['default', 'supported', 'unsupported']),
    nvme: z.enum(['required', 'supported', 'unsupported']),
    attachments: count,
    attachmentLimit: z.enum(['shared', 'dedicated']),
    /** Absent where EBS optimization is unsupported. */
    baseline: ebsRateSchema.exactOptional(),
    /** By default the baseline. */
    maximum: ebsRateSchema.exactOptional(),
  }),
  /** Local disks, all alike; absent without any. */
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
        /** Absent of Neuron devices, which are all of AWS. */
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
