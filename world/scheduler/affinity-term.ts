import type { LabelSelector, LabelSelectorRequirement, PodAffinityTerm } from '../../model/kube.ts';
import { matchesSelector } from '../../model/selector.ts';
import type { Labels } from '../../model/selector.ts';

/** A term of pod affinity or anti-affinity, with its defaults filled in. */
export interface AffinityTerm {
  readonly topologyKey: string;
  readonly selector: LabelSelector | undefined;
  readonly namespaces: ReadonlySet<string>;
  readonly namespaceSelector: LabelSelector | undefined;
}

export interface WeightedAffinityTerm extends AffinityTerm {
  readonly weight: number;
}

/** The labels of a namespace; undefined if it does not exist. */
export type NamespaceLabels = (namespace: string) => Labels | undefined;

/**
 * A term as `newAffinityTerm` of `pkg/scheduler/framework/types.go` reads it: without namespaces and namespace selector it
 * applies to the pod's own namespace. What `matchLabelKeys` and `mismatchLabelKeys` add to the selector is added here, since
 * it does no harm if the API server has already added it.
 */
export function readTerm(term: PodAffinityTerm, namespace: string, labels: Labels): AffinityTerm {
  const { topologyKey, labelSelector, namespaces = [], namespaceSelector, matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  const own = namespaces.length === 0 && (namespaceSelector === undefined || namespaceSelector === null);
  const added = [...byKey(matchLabelKeys, 'In', labels), ...byKey(mismatchLabelKeys, 'NotIn', labels)];
  const selector =
    labelSelector === undefined || labelSelector === null || added.length === 0
      ? labelSelector
      : { ...labelSelector, matchExpressions: [...(labelSelector.matchExpressions ?? []), ...added] };
  return { topologyKey, selector, namespaces: new Set(own ? [namespace] : namespaces), namespaceSelector };
}

function byKey(keys: readonly string[], operator: 'In' | 'NotIn', labels: Labels): LabelSelectorRequirement[] {
  return keys.flatMap((key) => {
    const value = labels[key];
    return value === undefined ? [] : [{ key, operator, values: [value] }];
  });
}

/** Whether a term matches a pod, wherever it runs. */
export function matchesPod(
  { selector, namespaces, namespaceSelector }: AffinityTerm,
  pod: { readonly namespace: string; readonly labels: Labels },
  namespaceLabels: NamespaceLabels,
): boolean {
  if (!namespaces.has(pod.namespace)) {
    if (namespaceSelector === undefined || namespaceSelector === null) return false;
    if (!matchesSelector(namespaceSelector, namespaceLabels(pod.namespace))) return false;
  }
  return matchesSelector(selector, pod.labels);
}

/** Whether all terms match the pod. False if there are none. */
export function allMatchPod(
  terms: readonly AffinityTerm[],
  pod: { readonly namespace: string; readonly labels: Labels },
  namespaceLabels: NamespaceLabels,
): boolean {
  return terms.length > 0 && terms.every((term) => matchesPod(term, pod, namespaceLabels));
}
