import type { InstanceType } from '../../model/catalogue.ts';
import type { KubeletSettings } from '../../model/node-settings.ts';
import { toWhole } from '../../model/quantity.ts';
import { addResources, parseResources, subtractResources } from '../../model/resources.ts';
import type { Resources } from '../../model/resources.ts';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
/** The share of a machine's memory that its hypervisor and kernel keep. Karpenter's default `vmMemoryOverheadPercent`. */
const VM_MEMORY_OVERHEAD = 0.075;
/** The root volume. */
const EPHEMERAL_STORAGE = 20 * GIB;
const EPHEMERAL_STORAGE_RESERVED = 1 * GIB;
/** How much the kubelet keeps free before it evicts pods. */
const EVICTION_HARD = { 'memory.available': '100Mi', 'nodefs.available': '10%' } as const;

/** The capacity that a node of a type will report. Pods by addresses: interfaces x (addresses - 1) + 2. */
export function capacityOf(type: Pick<InstanceType, 'vcpu' | 'memoryMiB' | 'networkInterfaces' | 'ipv4PerInterface'>): Resources {
  return {
    cpu: type.vcpu * 1000,
    memory: Math.ceil(type.memoryMiB * (1 - VM_MEMORY_OVERHEAD)) * MIB,
    'ephemeral-storage': EPHEMERAL_STORAGE,
    pods: type.networkInterfaces * (type.ipv4PerInterface - 1) + 2,
  };
}

/** What a node of this capacity reports with these settings, and what is left for pods without reservations and eviction thresholds. */
export interface NodeSize {
  readonly capacity: Resources;
  readonly allocatable: Resources;
}

/**
 * The size of a node under the settings of its kubelet, by default those of EKS images. What is reserved for the kubelet by default
 * depends on the network's limit of pods, whatever `maxPods` is.
 * @param capacity with the network's limit @throws QuantityError for an invalid quantity
 */
export function nodeSize(capacity: Resources, settings: KubeletSettings = {}): NodeSize {
  const { cpu = 0, memory = 0, pods = 0 } = capacity;
  const kubeReserved: Resources = {
    cpu: reservedMillicores(cpu / 1000),
    memory: (255 + 11 * pods) * MIB,
    'ephemeral-storage': EPHEMERAL_STORAGE_RESERVED,
    ...parseResources(settings.kubeReserved),
  };
  const thresholds = { ...EVICTION_HARD, ...settings.evictionHard };
  const keptFree: Resources = {
    memory: thresholdOf(thresholds['memory.available'], memory),
    'ephemeral-storage': thresholdOf(thresholds['nodefs.available'], EPHEMERAL_STORAGE),
  };
  const reserved = [kubeReserved, parseResources(settings.systemReserved), keptFree].reduce(addResources);
  const own = { ...capacity, pods: settings.maxPods ?? pods };
  const left = Object.entries(subtractResources(own, reserved)).map(([name, amount]) => [name, Math.max(0, amount)] as const);
  return { capacity: own, allocatable: Object.fromEntries(left) };
}

/** A threshold of 100 % is none, as in the kubelet. */
function thresholdOf(threshold: string, capacity: number): number {
  if (!threshold.endsWith('%')) return toWhole(threshold);
  const percent = Number(threshold.slice(0, -1));
  return percent === 100 ? 0 : Math.ceil((capacity * percent) / 100);
}

/** 6 % of the first core, 1 % of the second, 0.5 % of the next two, 0.25 % of the rest. Source: amazon-eks-ami. */
function reservedMillicores(cores: number): number {
  const steps = [
    { cores: 1, millicoresEach: 60 },
    { cores: 1, millicoresEach: 10 },
    { cores: 2, millicoresEach: 5 },
    { cores: Infinity, millicoresEach: 2.5 },
  ];
  let left = cores;
  let reserved = 0;
  for (const step of steps) {
    const taken = Math.min(left, step.cores);
    reserved += taken * step.millicoresEach;
    left -= taken;
  }
  return Math.ceil(reserved);
}
