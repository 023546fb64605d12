import type { Taint } from '../../model/kube.ts';
import type { NodeFilter } from './node-filter.ts';
import type { PodClass } from './pod-class.ts';
import type { NodeCandidate, Option } from './types.ts';

/** A node, there or planned, as topology sees it. */
export interface Place {
  readonly name: string;
  readonly taints: readonly Taint[];
  /** The values that a label may turn out to have; undefined among them where it may be missing. */
  domains(key: string): ReadonlySet<string | undefined>;
  /** Whether what pods require of nodes suits it. */
  countsFor(filter: NodeFilter): boolean;
}

/** What one class of pods demands of the domains of one topology key, as things stand in the plan. */
export interface Rule {
  readonly key: string;
  /** Names the field of the pod, and why no domain of those that there are would do. */
  explain(options: readonly Option[]): string | undefined;
  /** Whether a pod of the class may go to a domain, on the node of that name. @param domain undefined for nodes without the label */
  allows(domain: string | undefined, nodeName: string): boolean;
  /** Of two domains that are allowed the one of lower rank is better. */
  rank(domain: string | undefined): number;
  /** Takes note of a pod of whatever class that was planned onto a place. */
  place(podClass: PodClass, place: Place): void;
}

/** The domain that a place is in for certain; undefined if it has none or it isn't known yet. */
export function domainOf(place: Place, key: string): string | undefined {
  const domains = place.domains(key);
  return domains.size === 1 ? [...domains][0] : undefined;
}

/** A node that is there or on its way, as a place. */
export function placeOf({ name, taints, variants }: NodeCandidate): Place {
  return {
    name,
    taints,
    domains: (key) => new Set(variants.map((labels) => labels[key])),
    countsFor: (filter) => filter.countsNode(name, variants),
  };
}
