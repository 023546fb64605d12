import { LABEL } from '../../model/kube.ts';
import type { Pod, Taint } from '../../model/kube.ts';
import type { Requirements } from '../../model/requirements.ts';
import { addResources, fits, maxResources, subtractResources } from '../../model/resources.ts';
import type { Resources } from '../../model/resources.ts';
import type { PoolRequirement } from '../api.ts';
import { INSTANCE_TYPES_PER_CLAIM } from '../constants.ts';
import { conflicts } from './host-ports.ts';
import type { HostPort } from './host-ports.ts';
import { chooseKeeping, findShortfall } from './minimum-values.ts';
import type { Narrowing, NodeFilter } from './node-filter.ts';
import { settleLabels } from './open-labels.ts';
import type { OptionGroup } from './option-group.ts';
import type { PodClass } from './pod-class.ts';
import type { Domains, Place, Rule } from './rule.ts';
import { chooseDomain } from './topology.ts';
import type { Option, PlannedNode, PoolOptions } from './types.ts';

/** A node that is being planned: the more pods it takes, the fewer options it has. */
export class OpenNode implements Place {
  readonly name: string;
  readonly pool: PoolOptions;
  readonly pods: Pod[] = [];
  #groups: readonly OptionGroup[];
  #open: Requirements;
  #requests: Resources = {};
  #hostPorts: readonly HostPort[];
  readonly #classes = new Set<PodClass>();
  /** Classes that will never fit: the options only shrink, and some rules never allow again what they have refused. */
  readonly #rejected = new Set<PodClass>();
  /** The demands for which it is full. */
  readonly #full = new Set<string>();
  /** By topology key: the domains of these groups, and at most those of smaller ones. */
  readonly #domains = new Map<string, { readonly groups: readonly OptionGroup[]; readonly domains: Domains }>();
  readonly #poolDomains: (key: string) => Domains;
  /** Cached results about the options, until these shrink. */
  #counts = new Map<NodeFilter, boolean>();
  #largest: Resources | undefined;

  /** @param poolDomains the domains of a key in which the pool can have nodes: the same for all of its nodes */
  constructor(
    name: string,
    pool: PoolOptions,
    groups: readonly OptionGroup[],
    poolDomains = (key: string): Domains => domainsOf(groups, key),
  ) {
    this.name = name;
    this.pool = pool;
    this.#groups = groups;
    this.#poolDomains = poolDomains;
    this.#open = pool.open;
    this.#hostPorts = pool.hostPorts;
  }

  get taints(): readonly Taint[] {
    return this.pool.taints;
  }

  domains(key: string): Domains {
    if (key === LABEL.hostname) return new Set([this.name]);
    const known = this.#domains.get(key);
    if (known?.groups === this.#groups) return known.domains;
    const domains = domainsOf(this.#groups, key, known?.domains ?? this.#poolDomains(key));
    this.#domains.set(key, { groups: this.#groups, domains });
    return domains;
  }

  countsFor(filter: NodeFilter): boolean {
    const known = this.#counts.get(filter);
    if (known !== undefined) return known;
    const counts = this.#groups.every(({ options }) => options.every((option) => filter.countsOption(option, this.#open)));
    this.#counts.set(filter, counts);
    return counts;
  }

  /** The most that it may use of its pool's limits. */
  get largest(): Resources {
    this.#largest ??= { ...this.#groups.map(({ type }) => type.capacity).reduce(maxResources, {}), nodes: 1 };
    return this.#largest;
  }

  /** Whether no pod of the class fits any more, whatever else is planned. */
  rejects(podClass: PodClass): boolean {
    return this.#rejected.has(podClass) || this.#full.has(podClass.demand);
  }

  /** Plans a pod onto it if it fits. */
  tryAdd(pod: Pod, podClass: PodClass, rules: readonly Rule[]): boolean {
    if (this.rejects(podClass)) return false;
    const isAvoided = podClass.avoided(this.taints) !== undefined;
    const obstacle = this.#obstacle(rules);
    if (isAvoided || obstacle?.isRefusalFinal === true) this.#rejected.add(podClass);
    if (isAvoided || obstacle !== undefined) return false;
    const requests = addResources(this.#requests, podClass.requests);
    let isSuited = false;
    for (const narrowing of conflicts(podClass.hostPorts, this.#hostPorts)
      ? []
      : this.#narrowings(podClass.filter, this.#classes.has(podClass))) {
      const suitable = this.#suitable(podClass, requests, narrowing);
      if (suitable.length === 0) continue;
      isSuited = true;
      const groups = this.#narrow(suitable, rules);
      if (groups === undefined || this.isTooNarrow(groups)) continue;
      this.#take(pod, podClass, groups);
      this.#requests = requests;
      this.#open = narrowing.open;
      return true;
    }
    // Rules may allow it later.
    if (!isSuited) this.#rejected.add(podClass);
    return false;
  }

  /** Whether these options offer less choice than its pool requires. */
  isTooNarrow(groups: readonly OptionGroup[] = this.#groups): boolean {
    const { minimums } = this.pool;
    if (minimums.size === 0) return false;
    return (
      findShortfall(
        minimums,
        groups.flatMap(({ options }) => options),
      ) !== undefined
    );
  }

  /** In a pool with limits a node is restricted to the cheapest options, so that it does not count as the largest one. */
  keepCheapest(): void {
    this.#setGroups(this.#cheapest());
  }

  /** The node to launch. */
  finish(): PlannedNode {
    const groups = this.#chosen();
    const options = groups.flatMap((group) => group.options);
    const values = (read: (option: Option) => string): string[] => [...new Set(options.map(read))].sort();
    // For DaemonSets the smallest overhead: the types are named, so that no more has to be kept free.
    const overhead = groups
      .map(({ type, room }) => subtractResources(type.allocatable, room))
      .reduce((least, one) => ((one['cpu'] ?? 0) < (least['cpu'] ?? 0) ? one : least));
    return {
      pool: this.pool.name,
      requirements: this.#withMinimums([
        { key: LABEL.instanceType, operator: 'In', values: values((option) => option.type.name) },
        { key: LABEL.zone, operator: 'In', values: values((option) => option.offering.zone) },
        { key: LABEL.capacityType, operator: 'In', values: values((option) => option.offering.capacityType) },
      ]),
      labels: settleLabels(this.#open),
      requests: Object.fromEntries(Object.entries(addResources(this.#requests, overhead)).filter(([, amount]) => amount > 0)),
      pods: this.pods,
    };
  }

  #withMinimums(requirements: readonly PoolRequirement[]): PoolRequirement[] {
    const others = [...this.pool.minimums.keys()].filter((key) => !requirements.some((one) => one.key === key));
    const all = [...requirements, ...others.map((key): PoolRequirement => ({ key, operator: 'Exists' }))];
    return all.map((requirement) => {
      const minValues = this.pool.minimums.get(requirement.key);
      return minValues === undefined ? requirement : { ...requirement, minValues };
    });
  }

  /** The quickest check for most nodes: a rule that refuses every domain in which the node can be. */
  #obstacle(rules: readonly Rule[]): Rule | undefined {
    return rules.find((rule) => {
      if (rule.key === LABEL.hostname) return !rule.allows(this.name, this.name);
      for (const domain of this.domains(rule.key)) if (rule.allows(domain, this.name)) return false;
      return true;
    });
  }

  /** How pods of a class may narrow its open labels; those that were added before have done so. */
  #narrowings(filter: NodeFilter, isKnown: boolean): readonly Narrowing[] {
    return isKnown ? [{ open: this.#open, alternatives: filter.alternatives }] : filter.narrowings(this.#open);
  }

  #suitable(podClass: PodClass, requests: Resources, { open, alternatives }: Narrowing): readonly OptionGroup[] {
    const fitting = this.#groups.filter(({ room }) => fits(requests, room));
    if (fitting.length === 0) this.#full.add(podClass.demand);
    // Pods of this class were added before, so the remaining options suit them.
    if (this.#classes.has(podClass) || podClass.filter.isFree) return fitting.length === this.#groups.length ? this.#groups : fitting;
    return fitting.flatMap((group) => {
      const [first] = group.options;
      // The labels of a group's options differ by zone and capacity type only.
      if (!podClass.filter.asksForPlace)
        return first !== undefined && podClass.filter.allowsOption(first, open, alternatives) ? [group] : [];
      const options = group.options.filter((option) => podClass.filter.allowsOption(option, open, alternatives));
      if (options.length === group.options.length) return [group];
      return options.length === 0 ? [] : [{ ...group, options }];
    });
  }

  /** Chooses one domain for each topology key of the rules except the host. */
  #narrow(suitable: readonly OptionGroup[], rules: readonly Rule[]): readonly OptionGroup[] | undefined {
    let groups = suitable;
    for (const [key, ofKey] of Map.groupBy(rules, (rule) => rule.key)) {
      if (key === LABEL.hostname) continue;
      const all = this.domains(key);
      const domains = groups === this.#groups ? all : domainsOf(groups, key, all);
      const best = chooseDomain(ofKey, domains, this.name);
      if (best === undefined) return undefined;
      if (domains.size === 1) continue;
      groups = groups.flatMap((group) => {
        const options = group.options.filter((option) => option.labels[key] === best.domain);
        return options.length === 0 ? [] : [{ ...group, options }];
      });
    }
    return groups;
  }

  #take(pod: Pod, podClass: PodClass, groups: readonly OptionGroup[]): void {
    this.#setGroups(groups);
    this.#hostPorts = [...this.#hostPorts, ...podClass.hostPorts];
    this.#classes.add(podClass);
    this.pods.push(pod);
  }

  #setGroups(groups: readonly OptionGroup[]): void {
    if (groups === this.#groups) return;
    this.#groups = groups;
    this.#counts = new Map();
    this.#largest = undefined;
  }

  /** The cheapest types, in zones and capacity types where every combination is possible. */
  #chosen(): readonly OptionGroup[] {
    const groups = this.#cheapest();
    if (this.#isEveryCombinationAllowed(groups)) return groups;
    // A pod with alternatives ("spot in a, or on demand in b"): a claim can only express "and".
    const first = groups[0]?.options.toSorted(byPrice)[0]?.offering;
    return groups.flatMap((group) => {
      const options = group.options.filter(({ offering }) => offering.zone === first?.zone && offering.capacityType === first.capacityType);
      return options.length === 0 ? [] : [{ ...group, options }];
    });
  }

  /** The groups of the cheapest types, cheapest first; of a probe those that were not refused for longest. */
  #cheapest(): readonly OptionGroup[] {
    const priced = this.#groups.map((group) => ({
      group,
      refusedAtMs: group.options.reduce((least, one) => Math.min(least, one.refusedAtMs ?? 0), Infinity),
      usd: group.options.reduce((least, one) => Math.min(least, one.usdPerHour), Infinity),
    }));
    priced.sort((a, b) => a.refusedAtMs - b.refusedAtMs || a.usd - b.usd || (a.group.type.name < b.group.type.name ? -1 : 1));
    const byType = Map.groupBy(priced, ({ group }) => group.type.name);
    const chosen = chooseKeeping(this.pool.minimums, [...byType.keys()], INSTANCE_TYPES_PER_CLAIM, (type) =>
      (byType.get(type) ?? []).flatMap(({ group }) => group.options.map(({ labels }) => labels)),
    );
    const types = new Set(chosen);
    return priced.map(({ group }) => group).filter(({ type }) => types.has(type.name));
  }

  #isEveryCombinationAllowed(groups: readonly OptionGroup[]): boolean {
    const alternatives = [...this.#classes].filter((podClass) => podClass.filter.alternatives.length > 1);
    if (alternatives.length === 0) return true;
    const options = groups.flatMap((group) => group.options);
    const types = new Set(options.map(({ type }) => type.name));
    const zones = new Set(options.map(({ offering }) => offering.zone));
    const capacityTypes = new Set(options.map(({ offering }) => offering.capacityType));
    return [...this.pool.options, ...this.pool.unavailable]
      .filter(({ type, offering }) => types.has(type.name) && zones.has(offering.zone) && capacityTypes.has(offering.capacityType))
      .every((option) => alternatives.every((podClass) => podClass.filter.allowsOption(option, this.#open)));
  }
}

/** @param most those of more options: with as many, no further option has to be looked at */
function domainsOf(groups: readonly OptionGroup[], key: string, most?: Domains): Domains {
  if (most?.size === 1) return most;
  const domains = new Set<string | undefined>();
  for (const { options } of groups) {
    for (const { labels } of options) domains.add(labels[key]);
    if (domains.size === most?.size) return most;
  }
  return domains;
}

function byPrice(a: Option, b: Option): number {
  return a.usdPerHour - b.usdPerHour || (a.type.name < b.type.name ? -1 : 1);
}
