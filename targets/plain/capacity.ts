import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import type { DaemonSet, Node, Pod } from '../../model/kube.ts';
import { matchesNode, nodeAlternatives } from '../../model/requirements.ts';
import { addResources, parseResources, podRequests, subtractResources } from '../../model/resources.ts';
import type { Resources } from '../../model/resources.ts';
import type { Labels } from '../../model/selector.ts';
import { REPELLING, untolerated } from '../../model/taints.ts';
import type { Taint } from '../../model/kube.ts';
import { isActive } from './pods.ts';

/** The size of an instance type, from EC2. */
export interface Shape {
  readonly vcpu: number;
  readonly memoryMiB: number;
  /** Pods that can get an address. */
  readonly pods: number;
  /** Bare metal or with accelerators: only for pods that request it. */
  readonly isSpecial: boolean;
}

const MIB = 2 ** 20;
/** The most that hypervisor and kernel keep of a machine's memory, measured on many types. */
const MACHINE_SHARE = 0.075;
/** What is left for pods of the image's root volume of 20 GiB. */
const STORAGE_BYTES = 16 * 1024 * MIB;

export function toShape({ VCpuInfo, MemoryInfo, NetworkInfo, BareMetal, GpuInfo }: InstanceTypeInfo): Shape {
  const { NetworkCards: cards = [], DefaultNetworkCardIndex: card = 0, MaximumNetworkInterfaces: all = 1 } = NetworkInfo ?? {};
  const interfaces = cards[card]?.MaximumNetworkInterfaces ?? all;
  const addresses = NetworkInfo?.Ipv4AddressesPerInterface ?? 1;
  return {
    vcpu: VCpuInfo?.DefaultVCpus ?? 0,
    memoryMiB: MemoryInfo?.SizeInMiB ?? 0,
    pods: interfaces * (addresses - 1) + 2,
    isSpecial: BareMetal === true || GpuInfo !== undefined,
  };
}

/** Ordinary and small types first, because it has no prices. The sort is stable. */
export function bySize(a: Shape, b: Shape): number {
  return Number(a.isSpecial) - Number(b.isSpecial) || a.vcpu - b.vcpu || a.memoryMiB - b.memoryMiB;
}

/**
 * What pods may use on a node of a type, as long as no such node has reported: less than the machine has, by the reservations of
 * EKS's images (awslabs/amazon-eks-ami, nodeadm/internal/kubelet/config.go) and the kubelet's threshold for evictions.
 */
export function estimateAllocatable({ vcpu, memoryMiB, pods }: Shape): Resources {
  const reservedMilli = 60 + (vcpu > 1 ? 10 : 0) + Math.min(Math.max(0, vcpu - 2), 2) * 5 + Math.max(0, vcpu - 4) * 2.5;
  const usableMiB = memoryMiB * (1 - MACHINE_SHARE) - (255 + 11 * pods) - 100;
  return { cpu: Math.floor(vcpu * 1000 - reservedMilli), memory: Math.floor(usableMiB) * MIB, 'ephemeral-storage': STORAGE_BYTES, pods };
}

/** What DaemonSet pods use on a node with these labels and taints. @param present those already on the node */
export function daemonRequests(
  daemonSets: readonly DaemonSet[],
  { labels, taints }: { readonly labels: Labels; readonly taints: readonly Taint[] },
  present: readonly Pod[] = [],
): Resources {
  const owners = new Set(present.flatMap(({ metadata }) => metadata.ownerReferences?.map(({ uid }) => uid) ?? []));
  return daemonSets
    .filter(({ metadata }) => !owners.has(metadata.uid ?? ''))
    .map(({ spec }) => spec.template.spec)
    .filter((spec) => matchesNode(nodeAlternatives(spec), '', labels) && untolerated(taints, spec.tolerations, REPELLING) === undefined)
    .map((spec) => podRequests(spec))
    .reduce(addResources, {});
}

/** What a node has left for further pods, minus DaemonSet pods that are still missing. */
export function freeOn(node: Node, pods: readonly Pod[], daemonSets: readonly DaemonSet[], taints: readonly Taint[]): Resources {
  const present = pods.filter((pod) => pod.spec.nodeName === node.metadata.name && isActive(pod));
  const daemons = daemonRequests(daemonSets, { labels: node.metadata.labels ?? {}, taints }, present);
  const taken = present.map(({ spec }) => podRequests(spec)).reduce(addResources, daemons);
  return subtractResources(parseResources(node.status?.allocatable), taken);
}
