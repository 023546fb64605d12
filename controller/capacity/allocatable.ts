import type { InstanceType } from '../../model/catalogue.ts';
import type { Resources } from '../../model/resources.ts';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
/** The share of a machine's memory that its hypervisor and kernel keep. Karpenter's default `vmMemoryOverheadPercent`. */
const VM_MEMORY_OVERHEAD = 0.075;
/** The root volume, and how much of it the kubelet keeps free before it evicts pods. */
const EPHEMERAL_STORAGE = 20 * GIB;
const EPHEMERAL_STORAGE_EVICTION = 0.1;
const EPHEMERAL_STORAGE_RESERVED = 1 * GIB;
const MEMORY_EVICTION = 100 * MIB;

/** The capacity that a node of a type will report. Pods by addresses: interfaces x (addresses - 1) + 2. */
export function capacityOf(type: Pick<InstanceType, 'vcpu' | 'memoryMiB' | 'networkInterfaces' | 'ipv4PerInterface'>): Resources {
  return {
    cpu: type.vcpu * 1000,
    memory: Math.ceil(type.memoryMiB * (1 - VM_MEMORY_OVERHEAD)) * MIB,
    'ephemeral-storage': EPHEMERAL_STORAGE,
    pods: type.networkInterfaces * (type.ipv4PerInterface - 1) + 2,
  };
}

/** What is left for pods: without the kubelet's reservations on EKS images, and the eviction thresholds. */
export function allocatableOf(capacity: Resources): Resources {
  const cpu = capacity['cpu'] ?? 0;
  const pods = capacity['pods'] ?? 0;
  return {
    ...capacity,
    cpu: cpu - reservedMillicores(cpu / 1000),
    memory: (capacity['memory'] ?? 0) - (255 + 11 * pods) * MIB - MEMORY_EVICTION,
    'ephemeral-storage': EPHEMERAL_STORAGE * (1 - EPHEMERAL_STORAGE_EVICTION) - EPHEMERAL_STORAGE_RESERVED,
    pods,
  };
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
