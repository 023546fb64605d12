import type { InstanceType } from '../../model/catalogue.ts';
import { podsPerNode } from '../../model/instance-catalogue.ts';
import type { KubeletSettings } from '../../model/node-settings.ts';
import { toWhole } from '../../model/quantity.ts';
import { addResources, parseResources, subtractResources } from '../../model/resources.ts';
import type { Resources } from '../../model/resources.ts';
import { ROOT_VOLUME } from '../../model/root-volume.ts';

const MIB = 2 ** 20;
const GIB = 2 ** 30;

/**
 * The share of an instance's advertised memory that hypervisor and kernel use. Measured values are between 2 and 7.5 %; it
 * is slightly less than the 7.5 % (`vmMemoryOverheadPercent`) that Karpenter assumes, as on most real types.
 */
export const VM_MEMORY_OVERHEAD = 0.0725;
const GB = 10 ** 9;

export interface NodeResources {
  readonly capacity: Resources;
  readonly allocatable: Resources;
}

/** The kubelet settings that determine allocatable. */
export interface KubeletLimits extends KubeletSettings {
  /** Another limit of pods, by the machine's cores; the lower one counts. 0 for none. */
  readonly podsPerCore?: number;
}

/** Where the pods of a node keep their data. */
export interface NodeDisks {
  /** Size of the root volume. By default that of the image. */
  readonly rootVolumeGiB?: number;
  /** `RAID0`: pods use all local disks as one, if the type has any. By default the root volume. */
  readonly localDisks?: 'RAID0';
}

/**
 * The capacity of a node of a type, and its allocatable: capacity - kube-reserved - system-reserved - hard eviction
 * thresholds, by default as nodeadm configures the kubelet (awslabs/amazon-eks-ami, nodeadm/internal/kubelet/config.go),
 * overridden key by key by the user data:
 * - pods: interfaces x (addresses per interface - 1) + 2;
 * - kube-reserved memory 255 MiB + 11 MiB per pod; CPU 6 % of the first core, 1 % of the second, 0.5 % of the next two,
 *   0.25 % of the rest; ephemeral storage 1 GiB;
 * - evictionHard memory.available 100 MiB, nodefs.available 10 %.
 * Without devices, which a node only has once their plugin has registered (`withDevices`).
 * @throws QuantityError for an invalid quantity
 */
export function nodeResources(type: InstanceType, settings: KubeletLimits = {}, disks: NodeDisks = {}): NodeResources {
  const networkPods = podsPerNode(type);
  const { maxPods = networkPods, podsPerCore = 0 } = settings;
  const capacity: Resources = {
    cpu: type.vcpu * 1000,
    memory: Math.floor(type.memoryMiB * (1 - VM_MEMORY_OVERHEAD) * 1024) * 1024,
    'ephemeral-storage': diskBytes(type, disks),
    pods: podsPerCore === 0 ? maxPods : Math.min(maxPods, podsPerCore * type.vcpu),
  };
  const kubeReserved: Resources = {
    cpu: reservedCpuMilli(type.vcpu),
    memory: (255 + 11 * networkPods) * MIB,
    'ephemeral-storage': GIB,
    ...parseResources(settings.kubeReserved),
  };
  const evictionHard: Record<string, string> = { 'memory.available': '100Mi', 'nodefs.available': '10%', ...settings.evictionHard };
  const kept: Resources = {
    memory: thresholdOf(evictionHard['memory.available'], capacity['memory']),
    'ephemeral-storage': thresholdOf(evictionHard['nodefs.available'], capacity['ephemeral-storage']),
  };
  const reserved = [kubeReserved, parseResources(settings.systemReserved), kept].reduce(addResources);
  return { capacity, allocatable: mapResources(subtractResources(capacity, reserved), (amount) => Math.max(0, amount)) };
}

/** The same with devices: nothing is reserved of them. @param devices amounts by resource name */
export function withDevices({ capacity, allocatable }: NodeResources, devices: Resources): NodeResources {
  return { capacity: addResources(capacity, devices), allocatable: addResources(allocatable, devices) };
}

/** The same for a machine with less than others of its type. @param shares of CPU and memory that are missing, 0 to 1 */
export function withShortfall(
  { capacity, allocatable }: NodeResources,
  shares: { readonly cpu: number; readonly memory: number },
): NodeResources {
  const missing: Resources = {
    cpu: Math.floor((capacity['cpu'] ?? 0) * shares.cpu),
    memory: Math.floor(((capacity['memory'] ?? 0) * shares.memory) / MIB) * MIB,
  };
  // Machines have whole cores: missing ones are reserved instead.
  const { memory = 0 } = missing;
  return {
    capacity: subtractResources(capacity, { memory }),
    allocatable: mapResources(subtractResources(allocatable, missing), (amount) => Math.max(0, amount)),
  };
}

/** As nodeadm sets them up; file systems take nothing here. */
function diskBytes({ details }: InstanceType, { rootVolumeGiB = ROOT_VOLUME.sizeGiB, localDisks }: NodeDisks): number {
  const local = localDisks === 'RAID0' ? details?.storage : undefined;
  return local === undefined ? rootVolumeGiB * GIB : local.disks * local.diskGB * GB;
}

/** A threshold of 100 % is none (k8s.io/kubernetes/pkg/kubelet/eviction). */
function thresholdOf(threshold = '0', capacity = 0): number {
  if (!threshold.endsWith('%')) return toWhole(threshold);
  const percent = Number(threshold.slice(0, -1));
  return percent === 100 ? 0 : Math.floor((capacity * percent) / 100);
}

function mapResources(resources: Resources, change: (amount: number) => number): Resources {
  return Object.fromEntries(Object.entries(resources).map(([name, amount]) => [name, change(amount)]));
}

/** Shares of the cores up to a number of millicores, in hundredths of a percent. */
const CPU_SHARES = [
  { uptoMilli: 1000, share: 600 },
  { uptoMilli: 2000, share: 100 },
  { uptoMilli: 4000, share: 50 },
  { uptoMilli: Infinity, share: 25 },
] as const;

function reservedCpuMilli(vcpu: number): number {
  let reserved = 0;
  let fromMilli = 0;
  for (const { uptoMilli, share } of CPU_SHARES) {
    const partMilli = Math.max(0, Math.min(vcpu * 1000, uptoMilli) - fromMilli);
    reserved += Math.trunc((partMilli * share) / 10_000);
    fromMilli = uptoMilli;
  }
  return reserved;
}
