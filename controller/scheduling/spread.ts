import { LABEL } from '../../model/kube.ts';
import type { LabelSelector, Pod, TopologySpreadConstraint } from '../../model/kube.ts';
import { fits } from '../../model/resources.ts';
import { matchesSelector } from '../../model/selector.ts';
import { globalMinimum, skewAfterPlacing, spreadSelector } from '../../model/topology.ts';
import { findShortfall } from './minimum-values.ts';
import type { PodClass } from './pod-class.ts';
import { domainOf, placeOf } from './rule.ts';
import type { Place, Rule, Share } from './rule.ts';
import type { Option, PoolOptions, SchedulingInput } from './types.ts';

/**
 * One spread constraint of pods that are alike in all that it depends on, with the count of matching pods in each domain as the
 * scheduler would count them once the whole plan has been carried out.
 *
 * Domains are those of the nodes that count for the pods (by their nodeAffinityPolicy and nodeTaintsPolicy; a node must have all
 * topology keys of the pods), and those where a new node for them could be launched now. The scheduler only knows the former: more
 * domains make its global minimum smaller, so a plan that is valid with all of them is valid for it too.
 */
class SpreadRule implements Rule {
  readonly key: string;
  readonly #index: number;
  readonly #constraint: TopologySpreadConstraint;
  readonly #counts = new Map<string, number>();
  readonly #podClass: PodClass;
  readonly #keys: readonly string[];
  readonly #selector: LabelSelector | undefined;
  readonly #matchesSelf: boolean;
  readonly #matchesClass = new Map<PodClass, boolean>();
  /** Matching pods that are planned onto nodes whose domain isn't known yet, by the node's name. */
  readonly #unplaced = new Map<string, number>();

  constructor(podClass: PodClass, { index, constraint }: Spread, input: SchedulingInput, launchable: Iterable<string>) {
    this.key = constraint.topologyKey;
    this.#index = index;
    this.#constraint = constraint;
    this.#podClass = podClass;
    this.#keys = keysOf(podClass);
    this.#selector = spreadSelector(constraint, podClass.labels);
    this.#matchesSelf = matchesSelector(this.#selector, podClass.labels);
    for (const node of input.nodes) {
      const domain = this.#countingDomain(placeOf(node));
      if (domain !== undefined) this.#add(domain, node.pods.filter((pod) => this.#matchesPod(pod)).length);
    }
    for (const domain of launchable) this.#add(domain, 0);
  }

  /** By host there is no minimum that could grow. */
  get isRefusalFinal(): boolean {
    return this.#isByHost;
  }

  get #isByHost(): boolean {
    return this.key === LABEL.hostname;
  }

  allows(domain: string | undefined, nodeName: string): boolean {
    if (domain === undefined) return false;
    const { maxSkew, minDomains } = this.#constraint;
    const unplaced = this.#unplaced.get(nodeName) ?? 0;
    // A new node is an empty host, so no host may have more than the allowed skew.
    if (this.#isByHost) return (this.#counts.get(domain) ?? 0) + unplaced + (this.#matchesSelf ? 1 : 0) <= maxSkew;
    return skewAfterPlacing(this.#counts, domain, this.#matchesSelf, minDomains) + unplaced <= maxSkew;
  }

  rank(domain: string | undefined): number {
    return this.#counts.get(domain ?? '') ?? 0;
  }

  /** Counts a pod, and earlier ones once their domain is known. */
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

  explain(options: readonly Option[]): string | undefined {
    if (this.#isByHost) return undefined;
    const field = `spec.topologySpreadConstraints[${this.#index}]`;
    const { maxSkew, minDomains = 1 } = this.#constraint;
    if (!options.some((option) => this.key in option.labels)) return `${field}.topologyKey: no node would have the label ${this.key}`;
    if (this.#counts.size === 0) return `${field}: no node for it can be launched in any single domain of ${this.key}`;
    if (this.#counts.size < minDomains) {
      return `${field}.minDomains: ${minDomains} domains of ${this.key} are demanded, there are ${this.#counts.size}`;
    }
    const least = globalMinimum(this.#counts, minDomains);
    if (options.some((option) => (this.#counts.get(option.labels[this.key] ?? '') ?? 0) + 1 - least <= maxSkew)) return undefined;
    return `${field}.maxSkew: ${maxSkew} would be exceeded in every domain of ${this.key} that a node can be launched in`;
  }

  #selects(podClass: PodClass): boolean {
    const known = this.#matchesClass.get(podClass);
    if (known !== undefined) return known;
    const matches = podClass.namespace === this.#podClass.namespace && matchesSelector(this.#selector, podClass.labels);
    this.#matchesClass.set(podClass, matches);
    return matches;
  }

  /** The domain in which pods on this place count: undefined if they don't, or if it isn't known yet. */
  #countingDomain(place: Place): string | undefined {
    const { nodeAffinityPolicy = 'Honor', nodeTaintsPolicy = 'Ignore' } = this.#constraint;
    if (this.#keys.some((key) => place.domains(key).has(undefined))) return undefined;
    if (nodeAffinityPolicy === 'Honor' && !place.countsFor(this.#podClass.filter)) return undefined;
    if (nodeTaintsPolicy === 'Honor' && this.#podClass.repelledBy(place.taints) !== undefined) return undefined;
    return domainOf(place, this.key);
  }

  #matchesPod(pod: Pod): boolean {
    return (pod.metadata.namespace ?? '') === this.#podClass.namespace && matchesSelector(this.#selector, pod.metadata.labels);
  }

  #add(domain: string, count: number): void {
    this.#counts.set(domain, (this.#counts.get(domain) ?? 0) + count);
  }
}

/**
 * The rule for one spread constraint of a class. It is shared with classes that count the same pods in the same domains.
 * @param share finds a rule by what it depends on
 */
export function spreadRule(podClass: PodClass, spread: Spread, input: SchedulingInput, share: Share): Rule {
  const { index, constraint } = spread;
  const selector = spreadSelector(constraint, podClass.labels);
  // By host each new node is a domain of its own.
  const launchable = constraint.topologyKey === LABEL.hostname ? [] : [...launchableDomains(podClass, constraint.topologyKey, input.pools)];
  const { namespace, filter, spec, labels } = podClass;
  const key = JSON.stringify([
    [index, constraint, keysOf(podClass)],
    [namespace, selector, matchesSelector(selector, labels)],
    [filter.key, spec.tolerations, launchable],
  ]);
  return share(key, () => new SpreadRule(podClass, spread, input, launchable));
}

type Spread = PodClass['spreads'][number];

function keysOf({ spreads }: PodClass): string[] {
  return spreads.map(({ constraint }) => constraint.topologyKey);
}

/** Domains where some pool could launch a node for a single pod of the class now. */
function launchableDomains(podClass: PodClass, key: string, pools: readonly PoolOptions[]): Set<string> {
  const domains = new Set<string>();
  for (const pool of pools) {
    if (podClass.avoided(pool.taints) !== undefined) continue;
    const suits = (option: Option): boolean => podClass.filter.allowsOption(option, pool.open) && fits(podClass.requests, option.room);
    for (const [domain, options] of Map.groupBy(pool.options, ({ labels }) => labels[key])) {
      if (domain === undefined || domains.has(domain) || !options.some(suits)) continue;
      if (pool.minimums.size === 0 || findShortfall(pool.minimums, options.filter(suits)) === undefined) domains.add(domain);
    }
  }
  return domains;
}
