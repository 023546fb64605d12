import type { Taint } from '../../model/kube.ts';
import type { NodeFilter } from './node-filter.ts';
import type { PodClass } from './pod-class.ts';
import type { NodeCandidate, Option } from './types.ts';

/** An existing or planned node, for topology. */
export interface Place {
  readonly name: string;
  readonly taints: readonly Taint[];
  /** The values that a label may turn out to have; includes undefined if it may be missing. */
  domains(key: string): ReadonlySet<string | undefined>;
  /** Whether it matches the pods' node requirements. */
  countsFor(filter: NodeFilter): boolean;
}

/** What one class of pods requires of the domains of one topology key, given the plan so far. */
export interface Rule {
  readonly key: string;
  /** Names the field of the pod, and why no existing domain is possible. */
  explain(options: readonly Option[]): string | undefined;
  /** Whether a pod of the class may go to a domain, on the node of that name. @param domain undefined for nodes without the label */
  allows(domain: string | undefined, nodeName: string): boolean;
  /** Among allowed domains the one with the lowest rank is best. */
  rank(domain: string | undefined): number;
  /** Records a pod of any class that was planned onto a place. */
  place(podClass: PodClass, place: Place): void;
}

/** The domain of a place; undefined if it has none or it isn't known yet. */
export function domainOf(place: Place, key: string): string | undefined {
  const domains = place.domains(key);
  return domains.size === 1 ? [...domains][0] : undefined;
}

/** An existing node, or one in progress, as a place. */
export function placeOf({ name, taints, variants }: NodeCandidate): Place {
  return {
    name,
    taints,
    domains: (key) => new Set(variants.map((labels) => labels[key])),
    countsFor: (filter) => filter.countsNode(name, variants),
  };
}
