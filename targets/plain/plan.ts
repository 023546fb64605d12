import type { DaemonSet, Pod, Taint } from '../../model/kube.ts';
import { matchesNode, nodeAlternatives } from '../../model/requirements.ts';
import { fits, podRequests, subtractResources } from '../../model/resources.ts';
import type { Resources } from '../../model/resources.ts';
import type { Labels } from '../../model/selector.ts';
import { REPELLING, untolerated } from '../../model/taints.ts';
import { LABEL } from '../../model/kube.ts';
import { daemonRequests } from './capacity.ts';
import type { Shape } from './capacity.ts';
import { labelsOf } from './groups.ts';
import type { Group, Offering } from './groups.ts';
import { malformedSpread } from './placement.ts';
import type { Placements } from './placement.ts';

/** A node that exists or is being launched, with room for pods. */
export interface Room {
  /** The name of its node; absent until it exists. */
  readonly node?: string;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly free: Resources;
}

/** What a group has, including launches in progress. */
export interface Holding {
  readonly group: string;
  readonly instanceType: string;
  readonly zone: string;
}

interface PlanInput {
  readonly pending: readonly Pod[];
  readonly rooms: readonly Room[];
  /** In the order in which they are tried. */
  readonly offerings: readonly Offering[];
  readonly isAvailable: (offering: Offering) => boolean;
  readonly shapeOf: (instanceType: string) => Shape | undefined;
  readonly allocatableOf: (instanceType: string) => Resources;
  readonly daemonSets: readonly DaemonSet[];
  readonly holdings: readonly Holding[];
  /** Changed by the plan: planned pods are added. */
  readonly placements: Placements;
}

interface Plan {
  readonly launches: readonly { readonly offering: Offering; readonly count: number }[];
  /** Pods that get a node of a launch, each with its offering. */
  readonly served: readonly { readonly pod: Pod; readonly offering: Offering }[];
  readonly unserved: readonly { readonly pod: Pod; readonly why: string }[];
  /** Existing nodes that are about to get pods. */
  readonly awaited: ReadonlySet<string>;
}

/** A room while the plan fills it. */
interface Bin extends Omit<Room, 'free'> {
  free: Resources;
  /** Of a planned launch. */
  readonly offering?: Offering;
}

/** First fit of the pending pods, large ones first, on existing and launching nodes, then on new ones. */
export function planScaleUp(input: PlanInput): Plan {
  const bins: Bin[] = input.rooms.map((room) => ({ ...room }));
  const served: { pod: Pod; offering: Offering }[] = [];
  const unserved: { pod: Pod; why: string }[] = [];
  const awaited = new Set<string>();
  const choice = new Choice(input);
  const pods = input.pending.map((pod) => ({ pod, requests: podRequests(pod.spec) }));
  for (const { pod, requests } of pods.sort((a, b) => sizeOf(b.requests) - sizeOf(a.requests))) {
    const malformed = malformedSpread(pod);
    if (malformed !== undefined) {
      unserved.push({ pod, why: malformed });
      continue;
    }
    const wanted = choice.offeringsFor(pod, requests);
    const reachable = wanted.available.map(labelsOf);
    const isFitting = ({ labels, taints, free }: Bin): boolean =>
      suits(pod, labels, taints) && fits(requests, free) && input.placements.objection(pod, labels, reachable) === undefined;
    let bin = bins.find(isFitting);
    if (bin === undefined) {
      const found = choice.choose(pod, wanted, bins.length);
      if ('why' in found) {
        unserved.push({ pod, why: found.why });
        continue;
      }
      bin = found.bin;
      bins.push(bin);
      input.placements.addNode(bin.labels);
    }
    bin.free = subtractResources(bin.free, requests);
    input.placements.place(pod, bin.labels);
    if (bin.offering !== undefined) served.push({ pod, offering: bin.offering });
    if (bin.node !== undefined) awaited.add(bin.node);
  }
  return { launches: countLaunches(bins), served, unserved, awaited };
}

/** The offerings that a pod could use, and those of them that are available. */
interface Wanted {
  readonly suiting: readonly Offering[];
  readonly large: readonly Offering[];
  readonly available: readonly Offering[];
}

/** Chooses where the next node is launched. */
class Choice {
  readonly #input: PlanInput;
  readonly #holdings: Holding[];
  readonly #empty = new Map<Offering, Resources>();

  constructor(input: PlanInput) {
    this.#input = input;
    this.#holdings = [...input.holdings];
  }

  offeringsFor(pod: Pod, requests: Resources): Wanted {
    const suiting = this.#input.offerings.filter((offering) => suits(pod, labelsOf(offering), offering.group.taints));
    const large = suiting.filter((offering) => fits(requests, this.#emptyNode(offering)));
    return { suiting, large, available: large.filter((offering) => this.#input.isAvailable(offering)) };
  }

  /** The first type that fits, in the zone where the group has the fewest nodes. */
  choose(pod: Pod, { suiting, large, available }: Wanted, number: number): { readonly bin: Bin } | { readonly why: string } {
    if (suiting.length === 0) return { why: 'no group has the labels and taints that its selector, affinity and tolerations allow' };
    if (large.length === 0) return { why: "its requests don't fit a node of any group" };
    if (available.length === 0) return { why: 'EC2 has no capacity for any suitable group' };
    const allowed = available.filter((offering) => this.#isWithinLimits(offering));
    if (allowed.length === 0) return { why: 'every suitable group has reached its limits' };
    const reachable = available.map(labelsOf);
    let why: string | undefined;
    for (const offering of this.#inOrder(allowed)) {
      const labels = { ...labelsOf(offering), [LABEL.hostname]: `planned-${number}` };
      const objection = this.#input.placements.objection(pod, labels, reachable);
      if (objection === undefined) {
        this.#holdings.push({ ...offering, group: offering.group.name });
        return { bin: { labels, taints: offering.group.taints, free: this.#emptyNode(offering), offering } };
      }
      why ??= objection;
    }
    return { why: why ?? 'no suitable group' };
  }

  #inOrder(offerings: readonly Offering[]): Offering[] {
    const first = new Map<string, number>();
    offerings.forEach(({ group, instanceType }, index) => {
      const key = `${group.name}/${instanceType}`;
      if (!first.has(key)) first.set(key, index);
    });
    const rank = ({ group, instanceType }: Offering): number => first.get(`${group.name}/${instanceType}`) ?? 0;
    const inZone = ({ group, zone }: Offering): number =>
      this.#holdings.filter((one) => one.group === group.name && one.zone === zone).length;
    return [...offerings].sort((a, b) => rank(a) - rank(b) || inZone(a) - inZone(b));
  }

  #isWithinLimits({ group, instanceType }: Offering): boolean {
    const types = [...this.#holdings.filter((one) => one.group === group.name).map((one) => one.instanceType), instanceType];
    const sum = (of: (shape: Shape) => number): number =>
      types.reduce((total, type) => total + of(this.#input.shapeOf(type) ?? NOTHING), 0);
    const { nodes = Infinity, cpu = Infinity, memoryMiB = Infinity }: Group['limits'] = group.limits;
    return types.length <= nodes && sum(({ vcpu }) => vcpu) <= cpu && sum((shape) => shape.memoryMiB) <= memoryMiB;
  }

  /** What a new node of an offering has for pods. */
  #emptyNode(offering: Offering): Resources {
    let free = this.#empty.get(offering);
    if (free === undefined) {
      const { taints } = offering.group;
      const daemons = daemonRequests(this.#input.daemonSets, { labels: labelsOf(offering), taints });
      free = subtractResources(this.#input.allocatableOf(offering.instanceType), daemons);
      this.#empty.set(offering, free);
    }
    return free;
  }
}

const NOTHING: Shape = { vcpu: 0, memoryMiB: 0, pods: 0, isSpecial: false };

function countLaunches(bins: readonly Bin[]): Plan['launches'] {
  const counts = new Map<Offering, number>();
  for (const { offering } of bins) if (offering !== undefined) counts.set(offering, (counts.get(offering) ?? 0) + 1);
  return [...counts].map(([offering, count]) => ({ offering, count }));
}

function suits({ spec }: Pod, labels: Labels, taints: readonly Taint[]): boolean {
  return matchesNode(nodeAlternatives(spec), '', labels) && untolerated(taints, spec.tolerations, REPELLING) === undefined;
}

/** The sort key of pods: millicores and MiB, weighted alike. */
function sizeOf({ cpu = 0, memory = 0 }: Resources): number {
  return cpu + memory / 2 ** 22;
}
