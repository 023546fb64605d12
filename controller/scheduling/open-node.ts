import { LABEL } from '../../model/kube.ts';
import type { Pod, Taint } from '../../model/kube.ts';
import { addResources, fits, maxResources } from '../../model/resources.ts';
import type { Resources } from '../../model/resources.ts';
import { INSTANCE_TYPES_PER_CLAIM } from '../constants.ts';
import type { PodClass } from './pod-class.ts';
import type { Place, SpreadGroup } from './spread.ts';
import type { Option, PlannedNode, PoolOptions } from './types.ts';

/** A node that is being planned: the more pods it takes, the fewer things it may become. */
export class OpenNode implements Place {
  readonly name: string;
  readonly pool: PoolOptions;
  readonly pods: Pod[] = [];
  #options: readonly Option[];
  #requests: Resources;
  readonly #classes = new Set<PodClass>();
  /** Classes that will never fit, since what it may become only shrinks. */
  readonly #rejected = new Set<PodClass>();

  constructor(name: string, pool: PoolOptions, options: readonly Option[]) {
    this.name = name;
    this.pool = pool;
    this.#options = options;
    this.#requests = pool.overhead;
  }

  get taints(): readonly Taint[] {
    return this.pool.taints;
  }

  domain(key: string): string | undefined {
    const value = this.#label(this.#options[0], key);
    return this.#options.every((option) => this.#label(option, key) === value) ? value : undefined;
  }

  hasLabel(key: string): boolean {
    return this.#options.every((option) => this.#label(option, key) !== undefined);
  }

  suits(podClass: PodClass): boolean {
    return this.#options.every((option) => podClass.allowsOption(option));
  }

  /** The most that it may take of its pool's limits. */
  get largest(): Resources {
    const capacities = this.#chosen().map((option) => option.type.capacity);
    return { ...capacities.reduce(maxResources, {}), nodes: 1 };
  }

  /** Plans a pod onto it if it fits. */
  tryAdd(pod: Pod, podClass: PodClass, spreads: readonly SpreadGroup[]): boolean {
    if (this.#rejected.has(podClass)) return false;
    const requests = addResources(this.#requests, podClass.requests);
    const suitable = this.#options.filter((option) => podClass.allowsOption(option) && fits(requests, option.type.allocatable));
    if (suitable.length === 0) {
      this.#rejected.add(podClass);
      return false;
    }
    const options = this.#narrow(suitable, spreads);
    if (options.length === 0) return false;
    this.#options = options;
    this.#requests = requests;
    this.#classes.add(podClass);
    this.pods.push(pod);
    return true;
  }

  /** What is to be launched. */
  finish(): PlannedNode {
    const options = this.#chosen();
    const values = (read: (option: Option) => string): string[] => [...new Set(options.map(read))].sort();
    return {
      pool: this.pool.name,
      requirements: [
        { key: LABEL.instanceType, operator: 'In', values: values((option) => option.type.name) },
        { key: LABEL.zone, operator: 'In', values: values((option) => option.offering.zone) },
        { key: LABEL.capacityType, operator: 'In', values: values((option) => option.offering.capacityType) },
      ],
      requests: this.#requests,
      pods: this.pods,
    };
  }

  /** Settles on one domain for each spread constraint: of those allowed, the one with the fewest pods. */
  #narrow(suitable: readonly Option[], spreads: readonly SpreadGroup[]): readonly Option[] {
    let options = suitable;
    for (const spread of spreads) {
      const key = spread.constraint.topologyKey;
      let best: { domain: string; count: number } | undefined;
      for (const domain of new Set(options.map((option) => this.#label(option, key)))) {
        if (domain === undefined || !spread.allows(domain, this.name)) continue;
        const count = spread.counts.get(domain) ?? 0;
        if (best === undefined || count < best.count || (count === best.count && domain < best.domain)) {
          best = { domain, count };
        }
      }
      if (best === undefined) return [];
      const { domain } = best;
      options = options.filter((option) => this.#label(option, key) === domain);
    }
    return options;
  }

  /** The cheapest types, in zones and capacity types of which every combination will do. */
  #chosen(): readonly Option[] {
    const sorted = [...this.#options].sort(byPrice);
    const types = new Set<string>();
    for (const { type } of sorted) if (types.size < INSTANCE_TYPES_PER_CLAIM) types.add(type.name);
    const cheapest = sorted.filter(({ type }) => types.has(type.name));
    if (this.#isEveryCombinationAllowed(cheapest)) return cheapest;
    // A pod with alternatives ("spot in a, or on demand in b"): a claim can only say "and".
    const [first] = cheapest;
    return cheapest.filter(
      ({ offering }) => offering.zone === first?.offering.zone && offering.capacityType === first.offering.capacityType,
    );
  }

  #isEveryCombinationAllowed(options: readonly Option[]): boolean {
    const alternatives = [...this.#classes].filter((podClass) => podClass.alternatives.length > 1);
    if (alternatives.length === 0) return true;
    const types = new Set(options.map(({ type }) => type.name));
    const zones = new Set(options.map(({ offering }) => offering.zone));
    const capacityTypes = new Set(options.map(({ offering }) => offering.capacityType));
    return [...this.pool.options, ...this.pool.unavailable]
      .filter(({ type, offering }) => types.has(type.name) && zones.has(offering.zone) && capacityTypes.has(offering.capacityType))
      .every((option) => alternatives.every((podClass) => podClass.allowsOption(option)));
  }

  #label(option: Option | undefined, key: string): string | undefined {
    return key === LABEL.hostname ? this.name : option?.labels[key];
  }
}

function byPrice(a: Option, b: Option): number {
  return a.usdPerHour - b.usdPerHour || (a.type.name < b.type.name ? -1 : 1);
}
