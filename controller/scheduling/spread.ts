import { LABEL } from '../../model/kube.ts';
import type { LabelSelector, Pod, Taint, TopologySpreadConstraint } from '../../model/kube.ts';
import { addResources, fits } from '../../model/resources.ts';
import { matchesSelector } from '../../model/selector.ts';
import { skewAfterPlacing, spreadSelector } from '../../model/topology.ts';
import type { PodClass } from './pod-class.ts';
import type { NodeCandidate, PoolOptions, SchedulingInput } from './types.ts';

/** A node, there or planned, as topology spread sees it. */
export interface Place {
  readonly name: string;
  readonly taints: readonly Taint[];
  /** The value of a label; undefined if it lacks it, or if it isn't known yet. */
  domain(key: string): string | undefined;
  /** Whether it will have the label, whatever its value. */
  hasLabel(key: string): boolean;
  /** Whether the pods' node selector and affinity allow it. */
  suits(podClass: PodClass): boolean;
}

/** A node that is there or on its way, as a place. */
export function placeOf(node: NodeCandidate): Place {
  const { name, taints, variants } = node;
  return {
    name,
    taints,
    domain: (key) => {
      const value = variants[0]?.[key];
      return variants.every((labels) => labels[key] === value) ? value : undefined;
    },
    hasLabel: (key) => variants.every((labels) => key in labels),
    suits: (podClass) => podClass.allowsNode(name, variants),
  };
}

/**
 * One hard spread constraint of one class of pods, with the count of matching pods in each domain as the scheduler would
 * count them once everything planned so far has come about.
 *
 * Domains are those of the nodes that count for the pods (by their nodeAffinityPolicy and nodeTaintsPolicy; a node must
 * have all topology keys of the pods), and those where a new node for them could be launched now. The scheduler knows
 * only the former: more domains make its global minimum smaller, so a plan that holds with all of them holds for it too.
 */
export class SpreadGroup {
  readonly index: number;
  readonly constraint: TopologySpreadConstraint;
  readonly counts = new Map<string, number>();
  readonly #podClass: PodClass;
  readonly #keys: readonly string[];
  readonly #selector: LabelSelector | undefined;
  readonly #matchesSelf: boolean;
  readonly #matchesClass = new Map<PodClass, boolean>();
  /** Matching pods planned onto nodes whose domain isn't known yet, by the node's name. */
  readonly #unplaced = new Map<string, number>();

  constructor(podClass: PodClass, { index, constraint }: PodClass['spreads'][number], input: SchedulingInput) {
    this.index = index;
    this.constraint = constraint;
    this.#podClass = podClass;
    this.#keys = podClass.spreads.map((spread) => spread.constraint.topologyKey);
    this.#selector = spreadSelector(constraint, podClass.labels);
    this.#matchesSelf = matchesSelector(this.#selector, podClass.labels);
    for (const node of input.nodes) {
      const domain = this.#countingDomain(placeOf(node));
      if (domain !== undefined) this.#add(domain, node.pods.filter((pod) => this.#matchesPod(pod)).length);
    }
    if (this.isByHost) return;
    for (const domain of launchableDomains(podClass, constraint.topologyKey, input.pools)) this.#add(domain, 0);
  }

  get isByHost(): boolean {
    return this.constraint.topologyKey === LABEL.hostname;
  }

  /** Whether a pod of the class may go to a domain, on the node of that name. */
  allows(domain: string, nodeName: string): boolean {
    const { maxSkew, minDomains } = this.constraint;
    const unplaced = this.#unplaced.get(nodeName) ?? 0;
    // A new node is an empty host, so that no host may have more than the allowed skew.
    if (this.isByHost) return (this.counts.get(domain) ?? 0) + unplaced + (this.#matchesSelf ? 1 : 0) <= maxSkew;
    return skewAfterPlacing(this.counts, domain, this.#matchesSelf, minDomains) + unplaced <= maxSkew;
  }

  /** Counts a pod that was planned onto a place, and those before it once it is known in which domain they are. */
  place(podClass: PodClass, place: Place): void {
    const count = (this.#unplaced.get(place.name) ?? 0) + (this.#selects(podClass) ? 1 : 0);
    if (count === 0) return;
    const domain = this.#countingDomain(place);
    if (domain === undefined) {
      this.#unplaced.set(place.name, count);
    } else {
      this.#unplaced.delete(place.name);
      this.#add(domain, count);
    }
  }

  #selects(podClass: PodClass): boolean {
    const known = this.#matchesClass.get(podClass);
    if (known !== undefined) return known;
    const matches = podClass.namespace === this.#podClass.namespace && matchesSelector(this.#selector, podClass.labels);
    this.#matchesClass.set(podClass, matches);
    return matches;
  }

  /** Whether pods on this place count, and in which domain: undefined if not, or if it isn't known yet. */
  #countingDomain(place: Place): string | undefined {
    const { nodeAffinityPolicy = 'Honor', nodeTaintsPolicy = 'Ignore' } = this.constraint;
    if (!this.#keys.every((key) => place.hasLabel(key))) return undefined;
    if (nodeAffinityPolicy === 'Honor' && !place.suits(this.#podClass)) return undefined;
    if (nodeTaintsPolicy === 'Honor' && this.#podClass.repelledBy(place.taints) !== undefined) return undefined;
    return place.domain(this.constraint.topologyKey);
  }

  #matchesPod(pod: Pod): boolean {
    return (pod.metadata.namespace ?? '') === this.#podClass.namespace && matchesSelector(this.#selector, pod.metadata.labels);
  }

  #add(domain: string, count: number): void {
    this.counts.set(domain, (this.counts.get(domain) ?? 0) + count);
  }
}

/** Domains where some pool could launch a node for a pod of the class now, alone on it. */
function launchableDomains(podClass: PodClass, key: string, pools: readonly PoolOptions[]): Set<string> {
  const domains = new Set<string>();
  for (const pool of pools) {
    if (podClass.repelledBy(pool.taints) !== undefined) continue;
    const requests = addResources(podClass.requests, pool.overhead);
    for (const option of pool.options) {
      const domain = option.labels[key];
      if (domain === undefined || domains.has(domain)) continue;
      if (podClass.allowsOption(option) && fits(requests, option.type.allocatable)) domains.add(domain);
    }
  }
  return domains;
}
