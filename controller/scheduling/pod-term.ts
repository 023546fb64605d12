import type { LabelSelector, LabelSelectorRequirement, PodAffinityTerm } from '../../model/kube.ts';
import { matchesSelector } from '../../model/selector.ts';
import type { Labels } from '../../model/selector.ts';

/** What terms of pod affinity need to know of a pod. */
export interface PodIdentity {
  readonly namespace: string;
  readonly labels: Labels;
}

/** A term of affinity or anti-affinity of one pod, prepared for comparison with other pods. */
export class PodTerm {
  readonly topologyKey: string;
  /** Equal for terms over one topology key that select the same pods. */
  readonly key: string;
  readonly #owner: PodIdentity;
  readonly #term: PodAffinityTerm;
  readonly #selector: LabelSelector | undefined;
  readonly #namespaces: ReadonlyMap<string, Labels>;

  constructor(term: PodAffinityTerm, owner: PodIdentity, namespaces: ReadonlyMap<string, Labels>) {
    this.topologyKey = term.topologyKey;
    this.#term = term;
    this.#owner = owner;
    this.#namespaces = namespaces;
    this.#selector = selectorOf(term, owner.labels);
    const { topologyKey, namespaces: named, namespaceSelector } = term;
    this.key = JSON.stringify([topologyKey, this.#selector, owner.namespace, named, namespaceSelector]);
  }

  selects({ namespace, labels }: PodIdentity): boolean {
    return this.#coversNamespace(namespace) && matchesSelector(this.#selector, labels);
  }

  /** Named and selected namespaces; the owner's own if neither is given. An empty selector covers all. */
  #coversNamespace(namespace: string): boolean {
    const { namespaces = [], namespaceSelector } = this.#term;
    if (namespaces.includes(namespace)) return true;
    if (namespaceSelector === undefined || namespaceSelector === null)
      return namespaces.length === 0 && namespace === this.#owner.namespace;
    return matchesSelector(namespaceSelector, this.#namespaces.get(namespace) ?? {});
  }
}

/** Merges `matchLabelKeys` and `mismatchLabelKeys` into the selector, like the API server. */
function selectorOf(
  { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] }: PodAffinityTerm,
  labels: Labels,
): LabelSelector | undefined {
  if (labelSelector === undefined || labelSelector === null) return undefined;
  const expressions = (keys: readonly string[], operator: 'In' | 'NotIn'): LabelSelectorRequirement[] =>
    keys.flatMap((key) => {
      const value = labels[key];
      return value === undefined ? [] : [{ key, operator, values: [value] }];
    });
  const added = [...expressions(matchLabelKeys, 'In'), ...expressions(mismatchLabelKeys, 'NotIn')];
  return { ...labelSelector, matchExpressions: [...(labelSelector.matchExpressions ?? []), ...added] };
}
