import type { Pod } from '../../model/kube.ts';
import { PROBE_SHARE_OF_LIMITS } from '../constants.ts';
import { uidOf } from '../api.ts';
import { addResources, fits, subtractResources } from '../../model/resources.ts';
import type { Resources } from '../../model/resources.ts';
import { Candidates } from './candidates.ts';
import { explainRefusal } from './explain.ts';
import { conflicts } from './host-ports.ts';
import type { HostPort } from './host-ports.ts';
import { OpenNode } from './open-node.ts';
import { groupOptions } from './option-group.ts';
import type { OptionGroup } from './option-group.ts';
import { classify } from './pod-class.ts';
import type { ClassifiedPod, PodClass } from './pod-class.ts';
import { placeOf } from './rule.ts';
import type { Domains, Place, Rule } from './rule.ts';
import { Topology } from './topology.ts';
import type { NodeCandidate, Option, Plan, PoolOptions, SchedulingInput, Simulator } from './types.ts';

/**
 * By priority, pods keep the place that the last plan gave them: a node that is in progress for one must not be taken by another that can
 * run elsewhere. For the others first fit, by priority and then the most demanding pods first: onto existing nodes and those in
 * progress, then onto nodes planned in this round, then onto a new one of the first pool that can take the pod; all that with the pod's preferences, and again with
 * fewer and fewer of them. Pods that could not be placed are tried again as long as others could, since a pod may depend on a
 * later one. For those that are left in the end, one node may be a probe of doubtful options.
 */
export function createSimulator(): Simulator {
  // From plan to plan most pools have the same options.
  const known = new WeakMap<readonly Option[], readonly OptionGroup[]>();
  const groupsOf = (options: readonly Option[]): readonly OptionGroup[] => {
    const groups = known.get(options) ?? groupOptions(options);
    known.set(options, groups);
    return groups;
  };
  return { simulate: (input) => new Simulation(input, groupsOf).run() };
}

/** An existing node, or one in progress, with the pods that the plan has put onto it. */
class Target {
  readonly node: NodeCandidate;
  readonly place: Place;
  readonly #rejected = new Set<PodClass>();
  #free: Resources;
  #hostPorts: readonly HostPort[];

  constructor(node: NodeCandidate) {
    this.node = node;
    this.place = placeOf(node);
    this.#free = node.free;
    this.#hostPorts = node.hostPorts;
  }

  /** Whether no pod of the class fits any more, whatever else is planned. */
  rejects(podClass: PodClass): boolean {
    return this.#rejected.has(podClass);
  }

  /** Puts a pod onto it if it fits. */
  tryAdd(podClass: PodClass, rules: readonly Rule[]): boolean {
    const { node, place } = this;
    const isPossible =
      fits(podClass.requests, this.#free) &&
      podClass.repelledBy(node.taints) === undefined &&
      !conflicts(podClass.hostPorts, this.#hostPorts) &&
      podClass.filter.allowsNode(node.name, node.variants);
    // It must be allowed in every domain that the node may turn out to be in.
    const obstacle = rules.find((rule) => ![...place.domains(rule.key)].every((domain) => rule.allows(domain, node.name)));
    if (!isPossible || obstacle?.isRefusalFinal === true) this.#rejected.add(podClass);
    if (!isPossible || obstacle !== undefined) return false;
    this.#free = subtractResources(this.#free, podClass.requests);
    this.#hostPorts = [...this.#hostPorts, ...podClass.hostPorts];
    return true;
  }
}

class Simulation {
  readonly #pods: readonly ClassifiedPod[];
  readonly #pools: readonly PoolOptions[];
  readonly #groups: ReadonlyMap<PoolOptions, readonly OptionGroup[]>;
  readonly #targets: Candidates<Target>;
  /** Where pods were planned last, by their uid. */
  readonly #lastPlaces: ReadonlyMap<string, Target>;
  readonly #topology: Topology;
  readonly #open: OpenNode[] = [];
  readonly #plannedFor = new Candidates(this.#open);
  /** What the planned nodes of each pool may use of its limits. */
  readonly #used = new Map<PoolOptions, Resources>();
  readonly #nominations = new Map<string, Pod[]>();
  readonly #poolDomains = new Map<PoolOptions, Map<string, Domains>>();
  readonly #probeTurn: number | undefined;
  #placed = 0;
  /** How many pods had been placed when one of the class was refused: until there are more, the others are refused too. */
  readonly #refusedAt = new Map<PodClass, number>();

  constructor(input: SchedulingInput, groupsOf: (options: readonly Option[]) => readonly OptionGroup[]) {
    this.#pods = classify(input.pods, hasSoftTaints(input.pools));
    this.#topology = new Topology(
      input,
      this.#pods.map(({ variants: [first], pod }) => first?.pod ?? pod),
    );
    this.#pools = [...input.pools].sort((a, b) => b.weight - a.weight || (a.name < b.name ? -1 : 1));
    this.#groups = new Map(this.#pools.map((pool) => [pool, groupsOf(pool.options)]));
    this.#probeTurn = input.probeTurn;
    const accepting = input.nodes.filter((node) => node.accepting);
    const targets = accepting.sort((a, b) => (a.name < b.name ? -1 : 1)).map((node) => new Target(node));
    this.#targets = new Candidates(targets);
    this.#lastPlaces = placesIn(targets, input.places);
  }

  run(): Plan {
    let waiting: readonly ClassifiedPod[] = [];
    for (const pods of Map.groupBy(this.#pods, ({ pod }) => pod.spec.priority ?? 0).values()) {
      const others = this.#placeAll(pods, (pod) => this.#onLastPlace(pod));
      waiting = [...waiting, ...this.#placeAll(others, (pod) => this.#place(pod))];
    }
    waiting = this.#placeAll(waiting, (pod) => this.#place(pod));
    if (this.#probeTurn !== undefined && waiting.length > 0) waiting = this.#probe(waiting, this.#probeTurn);
    const reasonOf = this.#reasons();
    const refusals = waiting.map(({ pod, variants }) => ({
      pod,
      // Whoever only wants to know whether all pods are placed does not ask.
      get reason() {
        return reasonOf(variants);
      },
    }));
    return { launches: this.#open.map((node) => node.finish()), nominations: this.#nominations, refusals };
  }

  /** Tries again as long as some were placed. @returns those that could not be */
  #placeAll(pods: readonly ClassifiedPod[], place: (pod: ClassifiedPod) => boolean): readonly ClassifiedPod[] {
    let waiting = pods;
    for (;;) {
      const refused = waiting.filter((pod) => !place(pod));
      const isProgress = refused.length < waiting.length;
      waiting = refused;
      if (!isProgress || waiting.length === 0) return waiting;
    }
  }

  #onLastPlace({ pod, variants }: ClassifiedPod): boolean {
    const target = this.#lastPlaces.get(uidOf(pod));
    if (target === undefined) return false;
    for (const podClass of variants) {
      if (!target.tryAdd(podClass, this.#topology.rulesFor(podClass))) continue;
      this.#nominate(target, pod);
      this.#record(podClass, target.place);
      return true;
    }
    return false;
  }

  #nominate({ node: { name } }: Target, pod: Pod): void {
    const pods = this.#nominations.get(name);
    if (pods === undefined) this.#nominations.set(name, [pod]);
    else pods.push(pod);
  }

  /**
   * Plans one more node, of options that are only doubtful, for the class of pods whose turn it is, or the next one that can use them.
   * @returns the pods that are still refused
   */
  #probe(waiting: readonly ClassifiedPod[], turn: number): readonly ClassifiedPod[] {
    if (this.#pools.every(({ probes }) => probes.length === 0)) return waiting;
    const classes = [...new Map(waiting.map((one) => [one.variants[0], one])).values()];
    const first = turn % classes.length;
    for (const one of [...classes.slice(first), ...classes.slice(0, first)]) {
      if (!this.#placeOnProbe(one, waiting.length === 1)) continue;
      return waiting.filter((other) => other.pod !== one.pod && !this.#place(other));
    }
    return waiting;
  }

  /** @param isAlone no other pod waits: if no smaller node is to be had, it may take all that the limits leave */
  #placeOnProbe({ pod, variants }: ClassifiedPod, isAlone: boolean): boolean {
    for (const share of [PROBE_SHARE_OF_LIMITS, 1]) {
      const within = (pool: PoolOptions, options: readonly Option[]): readonly OptionGroup[] =>
        this.#withinLimits(pool, groupOptions(options), share);
      for (const podClass of variants) {
        const rules = this.#topology.rulesFor(podClass);
        const place = this.#onNew(pod, podClass, rules, (pool) =>
          pool.probes.length === 0 ? [] : within(pool, [...pool.options, ...pool.probes]),
        );
        if (place === undefined) continue;
        this.#record(podClass, place);
        return true;
      }
      const mayFit = (podClass: PodClass): boolean =>
        this.#pools.some((pool) => {
          if (podClass.avoided(pool.taints) !== undefined) return false;
          const allowed = pool.unavailable.filter((option) => podClass.filter.allowsOption(option, pool.open));
          return within(pool, allowed).some(({ room }) => fits(podClass.requests, room));
        });
      if (!isAlone && variants.some(mayFit)) return false;
    }
    return false;
  }

  #record(podClass: PodClass, place: Place): void {
    this.#placed += 1;
    this.#topology.place(podClass, place);
  }

  #place(classified: ClassifiedPod): boolean {
    const { pod, variants } = classified;
    const [first] = variants;
    // A rule that was in the way of its last place may have changed.
    if (this.#onLastPlace(classified)) return true;
    if (first === undefined || this.#refusedAt.get(first) === this.#placed) return false;
    for (const podClass of variants) {
      const rules = this.#topology.rulesFor(podClass);
      const place = this.#onTarget(pod, podClass, rules) ?? this.#onPlanned(pod, podClass, rules) ?? this.#onNew(pod, podClass, rules);
      if (place === undefined) continue;
      this.#record(podClass, place);
      return true;
    }
    this.#refusedAt.set(first, this.#placed);
    return false;
  }

  #onTarget(pod: Pod, podClass: PodClass, rules: readonly Rule[]): Place | undefined {
    const target = this.#targets.find(podClass, (one) => one.tryAdd(podClass, rules));
    if (target === undefined) return undefined;
    this.#nominate(target, pod);
    return target.place;
  }

  #onPlanned(pod: Pod, podClass: PodClass, rules: readonly Rule[]): Place | undefined {
    return this.#plannedFor.find(podClass, (node) => this.#addTo(node, pod, podClass, rules));
  }

  #addTo(node: OpenNode, pod: Pod, podClass: PodClass, rules: readonly Rule[]): boolean {
    if (Object.keys(node.pool.remaining).length === 0) return node.tryAdd(pod, podClass, rules);
    const before = node.largest;
    if (!node.tryAdd(pod, podClass, rules)) return false;
    this.#use(node.pool, subtractResources(node.largest, before));
    return true;
  }

  #use(pool: PoolOptions, amounts: Resources): void {
    this.#used.set(pool, addResources(this.#used.get(pool) ?? {}, amounts));
  }

  #onNew(
    pod: Pod,
    podClass: PodClass,
    rules: readonly Rule[],
    groupsOf = (pool: PoolOptions): readonly OptionGroup[] => this.#withinLimits(pool),
  ): Place | undefined {
    for (const pool of this.#pools) {
      if (podClass.avoided(pool.taints) !== undefined) continue;
      const node = new OpenNode(`planned-${this.#open.length + 1}`, pool, groupsOf(pool), (key) => this.#domainsOf(pool, key));
      if (!node.tryAdd(pod, podClass, rules)) continue;
      if (Object.keys(pool.remaining).length > 0) {
        node.keepCheapest();
        this.#use(pool, node.largest);
      }
      this.#open.push(node);
      return node;
    }
    return undefined;
  }

  /** The domains of a topology key in which the pool can have nodes. */
  #domainsOf(pool: PoolOptions, key: string): Domains {
    const ofPool = this.#poolDomains.get(pool) ?? new Map<string, Domains>();
    this.#poolDomains.set(pool, ofPool);
    const known = ofPool.get(key);
    if (known !== undefined) return known;
    const domains = new Set<string | undefined>();
    for (const options of [pool.options, pool.probes]) for (const { labels } of options) domains.add(labels[key]);
    ofPool.set(key, domains);
    return domains;
  }

  /**
   * The options for a further node of the pool, if each planned one becomes its largest option.
   * @param groups by default the available ones
   * @param share of what the limits leave
   */
  #withinLimits(pool: PoolOptions, groups: readonly OptionGroup[] = this.#groups.get(pool) ?? [], share = 1): readonly OptionGroup[] {
    const limited = Object.keys(pool.remaining);
    if (limited.length === 0) return groups;
    const left = subtractResources(pool.remaining, this.#used.get(pool) ?? {});
    return groups.filter(({ type }) =>
      limited.every((resource) => (resource === 'nodes' ? 1 : (type.capacity[resource] ?? 0)) <= share * (left[resource] ?? 0)),
    );
  }

  /** Why the requirements of pods can't be satisfied when the plan is made: the same for all of a class. */
  #reasons(): (variants: readonly PodClass[]) => string {
    const known = new Map<PodClass, string>();
    const withinLimits = (pool: PoolOptions): PoolOptions['options'] => this.#withinLimits(pool).flatMap(({ options }) => options);
    return (variants) => {
      const last = variants.at(-1);
      if (last === undefined) return 'it cannot be planned';
      const reason = known.get(last) ?? explainRefusal(last, this.#topology.rulesFor(last), this.#pools, withinLimits);
      known.set(last, reason);
      return reason;
    };
  }
}

/** @param places names of nodes or claims */
function placesIn(targets: readonly Target[], places: ReadonlyMap<string, string> = new Map()): ReadonlyMap<string, Target> {
  const byName = new Map(targets.flatMap((target) => [target.node.claim, target.node.name].map((name) => [name, target])));
  return new Map(
    [...places].flatMap(([uid, name]) => {
      const target = byName.get(name);
      return target === undefined ? [] : [[uid, target]];
    }),
  );
}

function hasSoftTaints(pools: readonly PoolOptions[]): boolean {
  return pools.some(({ taints }) => taints.some(({ effect }) => effect === 'PreferNoSchedule'));
}
