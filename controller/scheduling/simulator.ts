import type { Pod } from '../../model/kube.ts';
import { addResources, fits, subtractResources } from '../../model/resources.ts';
import type { Resources } from '../../model/resources.ts';
import { explainRefusal } from './explain.ts';
import { OpenNode } from './open-node.ts';
import { classify } from './pod-class.ts';
import type { PodClass } from './pod-class.ts';
import { SpreadGroup, placeOf } from './spread.ts';
import type { Place } from './spread.ts';
import type { NodeCandidate, Plan, PoolOptions, SchedulingInput, Simulator } from './types.ts';

/**
 * First fit, the most demanding pods first: onto nodes that are there or on their way, then onto nodes planned in this
 * round, then onto a new one of the first pool that can take the pod. Soft constraints are not looked at.
 */
export function createSimulator(): Simulator {
  return { simulate: (input) => new Simulation(input).run() };
}

/** A node that is there or on its way, with what the plan has put onto it. */
interface Target {
  readonly node: NodeCandidate;
  readonly place: Place;
  readonly rejected: Set<PodClass>;
  free: Resources;
}

class Simulation {
  readonly #input: SchedulingInput;
  readonly #pools: readonly PoolOptions[];
  readonly #targets: readonly Target[];
  readonly #open: OpenNode[] = [];
  readonly #groups = new Map<PodClass, readonly SpreadGroup[]>();
  readonly #nominations = new Map<string, Pod[]>();

  constructor(input: SchedulingInput) {
    this.#input = input;
    this.#pools = [...input.pools].sort((a, b) => b.weight - a.weight || (a.name < b.name ? -1 : 1));
    this.#targets = input.nodes
      .filter((node) => node.accepting)
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((node) => ({ node, place: placeOf(node), rejected: new Set(), free: node.free }));
  }

  run(): Plan {
    const pods = classify(this.#input.pods);
    // Before anything is placed: a group counts the pods of all classes.
    for (const { podClass } of pods) {
      if (this.#groups.has(podClass)) continue;
      this.#groups.set(
        podClass,
        podClass.spreads.map((spread) => new SpreadGroup(podClass, spread, this.#input)),
      );
    }
    const refusals = pods
      .filter(({ pod, podClass }) => !this.#place(pod, podClass))
      .map(({ pod, podClass }) => ({ pod, reason: this.#explain(podClass) }));
    return { launches: this.#open.map((node) => node.finish()), nominations: this.#nominations, refusals };
  }

  #place(pod: Pod, podClass: PodClass): boolean {
    const place = this.#onTarget(pod, podClass) ?? this.#onPlanned(pod, podClass) ?? this.#onNew(pod, podClass);
    if (place === undefined) return false;
    for (const groups of this.#groups.values()) for (const group of groups) group.place(podClass, place);
    return true;
  }

  #onTarget(pod: Pod, podClass: PodClass): Place | undefined {
    const groups = this.#groups.get(podClass) ?? [];
    for (const target of this.#targets) {
      if (target.rejected.has(podClass)) continue;
      const { node, place } = target;
      const isPossible = fits(podClass.requests, target.free) && podClass.repelledBy(node.taints) === undefined && place.suits(podClass);
      if (!isPossible) {
        target.rejected.add(podClass);
        continue;
      }
      const isSpread = groups.every((group) => {
        const domain = place.domain(group.constraint.topologyKey);
        return domain !== undefined && group.allows(domain, node.name);
      });
      if (!isSpread) continue;
      target.free = subtractResources(target.free, podClass.requests);
      this.#nominations.set(node.name, [...(this.#nominations.get(node.name) ?? []), pod]);
      return place;
    }
    return undefined;
  }

  #onPlanned(pod: Pod, podClass: PodClass): Place | undefined {
    return this.#open.find(
      (node) => podClass.repelledBy(node.taints) === undefined && node.tryAdd(pod, podClass, this.#groups.get(podClass) ?? []),
    );
  }

  #onNew(pod: Pod, podClass: PodClass): Place | undefined {
    for (const pool of this.#pools) {
      if (podClass.repelledBy(pool.taints) !== undefined) continue;
      const node = new OpenNode(`planned-${this.#open.length + 1}`, pool, this.#withinLimits(pool));
      if (!node.tryAdd(pod, podClass, this.#groups.get(podClass) ?? [])) continue;
      this.#open.push(node);
      return node;
    }
    return undefined;
  }

  /** What a further node of the pool may become, if each planned one becomes the largest that it may. */
  #withinLimits(pool: PoolOptions): PoolOptions['options'] {
    const limited = Object.keys(pool.remaining);
    if (limited.length === 0) return pool.options;
    const planned = this.#open.filter((node) => node.pool === pool).map((node) => node.largest);
    const left = subtractResources(pool.remaining, planned.reduce(addResources, {}));
    return pool.options.filter(({ type }) => {
      const capacity: Resources = { ...type.capacity, nodes: 1 };
      return limited.every((resource) => (capacity[resource] ?? 0) <= (left[resource] ?? 0));
    });
  }

  #explain(podClass: PodClass): string {
    return explainRefusal(podClass, this.#groups.get(podClass) ?? [], this.#pools, (pool) => this.#withinLimits(pool));
  }
}
