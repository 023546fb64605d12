import type { Pod } from '../../model/kube.ts';
import { LABEL } from '../../model/kube.ts';
import { matchesNode, nodeAlternatives } from '../../model/requirements.ts';
import { addResources, fits, podRequests, subtractResources } from '../../model/resources.ts';
import type { Resources } from '../../model/resources.ts';
import { REPELLING, untolerated } from '../../model/taints.ts';
import { architectureOf } from './groups.ts';
import type { Group } from './groups.ts';

/** The size of an instance type, as EC2 states it. */
export interface Shape {
  readonly vcpu: number;
  readonly memoryMiB: number;
}

/** An instance that is on its way to becoming a node. */
export interface Upcoming {
  readonly group: Group;
}

/** What a node of a type offers to pods: less than the machine has, since system and kubelet take their share. */
const USABLE_RATIO = 0.85;
/** A type that offers few addresses may take fewer pods; the next scan then launches what is missing. */
const PODS_PER_NODE = 25;

interface Bin {
  readonly group: Group;
  free: Resources;
}

/**
 * First fit of the pending pods on what is upcoming, then on new instances of the smallest group that suits: so that
 * pods spread over zones by themselves.
 */
export function planScaleUp(input: {
  readonly pending: readonly Pod[];
  readonly groups: readonly Group[];
  readonly sizes: ReadonlyMap<string, number>;
  readonly upcoming: readonly Upcoming[];
  readonly shapeOf: (type: string) => Shape | undefined;
}): { readonly launches: ReadonlyMap<Group, number>; readonly unserved: readonly { readonly pod: Pod; readonly why: string }[] } {
  const { pending, groups, sizes, upcoming, shapeOf } = input;
  const bins: Bin[] = upcoming.map(({ group }) => ({ group, free: capacityOf(shapeOf(group.instanceType)) }));
  const launches = new Map<Group, number>();
  const unserved: { pod: Pod; why: string }[] = [];
  const sizeOf = (group: Group): number => (sizes.get(group.name) ?? 0) + (launches.get(group) ?? 0);
  for (const pod of pending) {
    const requests = podRequests(pod.spec);
    const bin = bins.find(({ group, free }) => suits(pod, group) && fits(requests, free));
    if (bin !== undefined) {
      bin.free = subtractResources(bin.free, requests);
      continue;
    }
    const suiting = groups.filter((group) => suits(pod, group));
    const large = suiting.filter((group) => fits(requests, capacityOf(shapeOf(group.instanceType))));
    const [group] = large.filter((one) => sizeOf(one) < one.maxSize).sort((a, b) => sizeOf(a) - sizeOf(b));
    if (group === undefined) {
      unserved.push({ pod, why: whyUnserved(suiting.length, large.length) });
      continue;
    }
    launches.set(group, (launches.get(group) ?? 0) + 1);
    bins.push({ group, free: subtractResources(capacityOf(shapeOf(group.instanceType)), requests) });
  }
  return { launches, unserved };
}

function whyUnserved(suiting: number, large: number): string {
  if (suiting === 0) return 'no group has the labels and taints that it asks for';
  return large === 0 ? "its requests don't fit an instance of any group" : 'every group that suits has reached its largest size';
}

function capacityOf(shape: Shape | undefined): Resources {
  if (shape === undefined) return {};
  return addResources(
    { pods: PODS_PER_NODE },
    { cpu: Math.floor(shape.vcpu * 1000 * USABLE_RATIO), memory: Math.floor(shape.memoryMiB * 2 ** 20 * USABLE_RATIO) },
  );
}

function suits(pod: Pod, group: Group): boolean {
  const labels = {
    ...group.labels,
    [LABEL.zone]: group.zone,
    [LABEL.instanceType]: group.instanceType,
    [LABEL.arch]: architectureOf(group.instanceType),
    [LABEL.os]: 'linux',
  };
  return matchesNode(nodeAlternatives(pod.spec), '', labels) && untolerated(group.taints, pod.spec.tolerations, REPELLING) === undefined;
}
