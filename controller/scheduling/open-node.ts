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
import type { NodeFilter } from './node-filter.ts';
import { settleLabels } from './open-labels.ts';
import type { OptionGroup } from './option-group.ts';
import type { PodClass } from './pod-class.ts';
import type { Place, Rule } from './rule.ts';
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
  /** Classes that will never fit, since the options only shrink. */
  readonly #rejected = new Set<PodClass>();
  /** Cached results about the options, until these shrink. */
  #domains = new Map<string, ReadonlySet<string | undefined>>();
  #counts = new Map<NodeFilter, boolean>();
  #largest: Resources | undefined;

  constructor(name: string, pool: PoolOptions, groups: readonly OptionGroup[]) {
    this.name = name;
    this.pool = pool;
    this.#groups = groups;
    this.#open = pool.open;
    this.#hostPorts = pool.hostPorts;
  }

  get taints(): readonly Taint[] {
    return this.pool.taints;
  }

  domains(key: string): ReadonlySet<string | undefined> {
    if (key === LABEL.hostname) return new Set([this.name]);
    const known = this.#domains.get(key);
    if (known !== undefined) return known;
    const domains = new Set<string | undefined>();
    for (const { options } of this.#groups) for (const { labels } of options) domains.add(labels[key]);
    this.#domains.set(key, domains);
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
    return (this.#largest ??= { ...this.#groups.map(({ type }) => type.capacity).reduce(maxResources, {}), nodes: 1 });
  }

  /** Plans a pod onto it if it fits. */
  tryAdd(pod: Pod, podClass: PodClass, rules: readonly Rule[]): boolean {
    if (this.#rejected.has(podClass) || !this.#isHostAllowed(rules)) return false;
    const requests = addResources(this.#requests, podClass.requests);
    const open = podClass.filter.narrow(this.#open);
    const suitable = open === undefined || conflicts(podClass.hostPorts, this.#hostPorts) ? [] : this.#suitable(podClass, requests, open);
    if (open === undefined || suitable.length === 0) {
      this.#rejected.add(podClass);
      return false;
    }
    const groups = this.#narrow(suitable, rules);
    if (groups === undefined || this.isTooNarrow(groups)) return false;
    this.#take(pod, podClass, groups);
    this.#requests = requests;
    this.#open = open;
    return true;
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

  /** The quickest check for most nodes: one of its pods is enough to exclude the next one. */
  #isHostAllowed(rules: readonly Rule[]): boolean {
    return rules.every((rule) => rule.key !== LABEL.hostname || rule.allows(this.name, this.name));
  }

  #suitable(podClass: PodClass, requests: Resources, open: Requirements): readonly OptionGroup[] {
    const fitting = this.#groups.filter(({ room }) => fits(requests, room));
    // Pods of this class were added before, so the remaining options suit them.
    if (this.#classes.has(podClass) || podClass.filter.isFree) return fitting.length === this.#groups.length ? this.#groups : fitting;
    return fitting.flatMap((group) => {
      const options = group.options.filter((option) => podClass.filter.allowsOption(option, open));
      if (options.length === group.options.length) return [group];
      return options.length === 0 ? [] : [{ ...group, options }];
    });
  }

  /** Chooses one domain for each topology key of the rules except the host. */
  #narrow(suitable: readonly OptionGroup[], rules: readonly Rule[]): readonly OptionGroup[] | undefined {
    let groups = suitable;
    for (const [key, ofKey] of Map.groupBy(rules, (rule) => rule.key)) {
      if (key === LABEL.hostname) continue;
      const domains = domainsOf(groups, key);
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
    this.#domains = new Map();
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

function domainsOf(groups: readonly OptionGroup[], key: string): Set<string | undefined> {
  const domains = new Set<string | undefined>();
  for (const { options } of groups) for (const { labels } of options) domains.add(labels[key]);
  return domains;
}

function byPrice(a: Option, b: Option): number {
  return a.usdPerHour - b.usdPerHour || (a.type.name < b.type.name ? -1 : 1);
}
