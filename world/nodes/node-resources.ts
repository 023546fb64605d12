import type { InstanceType } from '../../model/catalogue.ts';
import { podsPerNode } from '../../model/instance-catalogue.ts';
import { subtractResources } from '../../model/resources.ts';
import type { Resources } from '../../model/resources.ts';

const MIB = 2 ** 20;
const GIB = 2 ** 30;

/** What the hypervisor and the kernel keep of an instance's advertised memory. Measured values lie between 2 and 7.5 %. */
export const VM_MEMORY_OVERHEAD = 0.0725;
/** The root volume that AL2023 images bring. */
const ROOT_VOLUME_BYTES = 20 * GIB;

interface NodeResources {
  readonly capacity: Resources;
  readonly allocatable: Resources;
}

/**
 * What a node of a type has, and what of it pods may take: capacity - kube-reserved - hard eviction thresholds, as
 * nodeadm configures the kubelet (awslabs/amazon-eks-ami, nodeadm/internal/kubelet/config.go):
 * - pods: interfaces x (addresses per interface - 1) + 2;
 * - kube-reserved memory 255 MiB + 11 MiB a pod; CPU 6 % of the first core, 1 % of the second, 0.5 % of the next two,
 *   0.25 % of the rest; ephemeral storage 1 GiB;
 * - evictionHard memory.available 100 MiB, nodefs.available 10 %.
 * @param maxPods overrides the network's limit, as the kubelet's `maxPods` does (what is reserved stays)
 */
export function nodeResources(type: InstanceType, maxPods?: number): NodeResources {
  const networkPods = podsPerNode(type);
  const capacity: Resources = {
    cpu: type.vcpu * 1000,
    memory: Math.floor(type.memoryMiB * (1 - VM_MEMORY_OVERHEAD) * 1024) * 1024,
    'ephemeral-storage': ROOT_VOLUME_BYTES,
    pods: maxPods ?? networkPods,
  };
  const reserved: Resources = {
    cpu: reservedCpuMilli(type.vcpu),
    memory: (255 + 11 * networkPods + 100) * MIB,
    'ephemeral-storage': GIB + ROOT_VOLUME_BYTES / 10,
  };
  return { capacity, allocatable: subtractResources(capacity, reserved) };
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
