import { allMatchPod, matchesPod } from './affinity-term.ts';
import type { AffinityTerm, NamespaceLabels } from './affinity-term.ts';
import type { Cluster, PodGroup } from './cluster.ts';
import type { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';
import { resolvable, unresolvable } from './rejection.ts';
import type { Rejection } from './rejection.ts';

/** Numbers by topology key and value. */
export class DomainSums {
  readonly #byKey = new Map<string, Map<string, number>>();

  /** Does nothing if the node lacks the label. */
  add({ labels }: NodeInfo, key: string, amount: number): void {
    const value = labels[key];
    if (value === undefined) return;
    let sums = this.#byKey.get(key);
    if (sums === undefined) this.#byKey.set(key, (sums = new Map<string, number>()));
    sums.set(value, (sums.get(value) ?? 0) + amount);
  }

  at({ labels }: NodeInfo, key: string): number {
    return this.#byKey.get(key)?.get(labels[key] ?? '') ?? 0;
  }

  /** The sum over all domains of the node. */
  total(node: NodeInfo): number {
    let total = 0;
    for (const key of this.#byKey.keys()) if (node.labels[key] !== undefined) total += this.at(node, key);
    return total;
  }

  /** Whether some domain has a positive number. */
  some(): boolean {
    for (const sums of this.#byKey.values()) for (const sum of sums.values()) if (sum !== 0) return true;
    return false;
  }

  /** Whether any number was ever added, even zero. */
  get isKept(): boolean {
    return this.#byKey.size > 0;
  }

  /** Whether any of the node's domains has a positive number. */
  hits(node: NodeInfo): boolean {
    for (const key of this.#byKey.keys()) if (node.labels[key] !== undefined && this.at(node, key) > 0) return true;
    return false;
  }
}

/**
 * Required affinity and anti-affinity of a pod, and the anti-affinity of existing pods to it, counted as in `filtering.go` of
 * the InterPodAffinity plugin.
 */
export class RequiredAffinity {
  readonly #pod: PodInfo;
  readonly #namespaceLabels: NamespaceLabels;
  readonly #near = new DomainSums();
  readonly #apart = new DomainSums();
  readonly #refusing = new DomainSums();

  constructor(pod: PodInfo, cluster: Cluster) {
    this.#pod = pod;
    this.#namespaceLabels = (name) => cluster.objects.namespaceLabels(name);
    const { required, requiredAnti } = pod.affinity;
    const looksAtAll = required.length + requiredAnti.length > 0;
    for (const group of cluster.groups()) {
      if (!looksAtAll && group.affinity.requiredAnti.length === 0) continue;
      const terms = this.#termsFor(group);
      if (terms === undefined) continue;
      for (const [name, { total }] of group.counts) {
        const node = cluster.node(name);
        if (node !== undefined) this.#count(terms, node, total);
      }
    }
  }

  rejection(node: NodeInfo): Rejection | undefined {
    if (!this.#isNear(node)) return unresolvable('InterPodAffinity', "node(s) didn't match pod affinity rules");
    if (this.#pod.affinity.requiredAnti.some(({ topologyKey }) => this.#apart.at(node, topologyKey) > 0)) {
      return resolvable('InterPodAffinity', "node(s) didn't match pod anti-affinity rules");
    }
    if (this.#refusing.hits(node)) return resolvable('InterPodAffinity', "node(s) didn't satisfy existing pods anti-affinity rules");
    return undefined;
  }

  /** Adds or removes a pod on a node. */
  adjust(pod: PodInfo, node: NodeInfo, delta: 1 | -1): void {
    const terms = this.#termsFor(pod);
    if (terms !== undefined) this.#count(terms, node, delta);
  }

  /** All terms must match in the node's domains; or nothing matches anywhere, and the pod is the first of its own kind. */
  #isNear(node: NodeInfo): boolean {
    const { required } = this.#pod.affinity;
    if (required.some(({ topologyKey }) => node.labels[topologyKey] === undefined)) return false;
    if (required.every(({ topologyKey }) => this.#near.at(node, topologyKey) > 0)) return true;
    return !this.#near.some() && allMatchPod(required, this.#pod, this.#namespaceLabels);
  }

  /** Which terms match such pods; undefined if none does. */
  #termsFor(other: Pick<PodGroup, 'namespace' | 'labels' | 'affinity'>): MatchedTerms | undefined {
    const { required, requiredAnti } = this.#pod.affinity;
    const near = allMatchPod(required, other, this.#namespaceLabels) ? required : [];
    const apart = requiredAnti.filter((term) => matchesPod(term, other, this.#namespaceLabels));
    const refusing = other.affinity.requiredAnti.filter((term) => matchesPod(term, this.#pod, this.#namespaceLabels));
    return near.length + apart.length + refusing.length === 0 ? undefined : { near, apart, refusing };
  }

  #count({ near, apart, refusing }: MatchedTerms, node: NodeInfo, count: number): void {
    for (const { topologyKey } of near) this.#near.add(node, topologyKey, count);
    for (const { topologyKey } of apart) this.#apart.add(node, topologyKey, count);
    for (const { topologyKey } of refusing) this.#refusing.add(node, topologyKey, count);
  }
}

interface MatchedTerms {
  readonly near: readonly AffinityTerm[];
  readonly apart: readonly AffinityTerm[];
  readonly refusing: readonly AffinityTerm[];
}
