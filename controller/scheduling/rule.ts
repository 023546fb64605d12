import type { Taint } from '../../model/kube.ts';
import type { NodeFilter } from './node-filter.ts';
import type { PodClass } from './pod-class.ts';
import type { NodeCandidate, Option } from './types.ts';

/** The values of a label; includes undefined if it may be missing. */
export type Domains = ReadonlySet<string | undefined>;

/** An existing or planned node, for topology. */
export interface Place {
  readonly name: string;
  readonly taints: readonly Taint[];
  /** The values that a label may turn out to have. */
  domains(key: string): Domains;
  /** Whether it matches the pods' node requirements. */
  countsFor(filter: NodeFilter): boolean;
}

/**
 * What pods require of the domains of one topology key, given the plan so far. Classes of pods that require the same share a rule, so that
 * there are few of them to be told of each pod.
 */
export interface Rule {
  readonly key: string;
  /** Whether a domain that it refuses stays refused, whatever else is planned. */
  readonly isRefusalFinal: boolean;
  /** Names the field of the pod, and why no existing domain is possible. */
  explain(options: readonly Option[]): string | undefined;
  /** Whether one of its pods may go to a domain, on the node of that name. @param domain undefined for nodes without the label */
  allows(domain: string | undefined, nodeName: string): boolean;
  /** Among allowed domains the one with the lowest rank is best. */
  rank(domain: string | undefined): number;
  /** Records a pod of any class that was planned onto a place. */
  place(podClass: PodClass, place: Place): void;
}

/** Finds a rule by everything that it depends on, or else creates it. */
export type Share = (key: string, create: () => Rule) => Rule;

/** The domain of a place; undefined if it has none or it isn't known yet. */
export function domainOf(place: Place, key: string): string | undefined {
  const domains = place.domains(key);
  return domains.size === 1 ? [...domains][0] : undefined;
}

/** An existing node, or one in progress, as a place. */
export function placeOf({ name, taints, variants }: NodeCandidate): Place {
  const known = new Map<string, Domains>();
  return {
    name,
    taints,
    domains: (key) => {
      const domains = known.get(key) ?? new Set(variants.map((labels) => labels[key]));
      known.set(key, domains);
      return domains;
    },
    countsFor: (filter) => filter.countsNode(name, variants),
  };
}
