import type { PodAffinityTerm, TopologySpreadConstraint } from '../model/kube.ts';
import { LABEL } from '../model/kube.ts';
import { matchesSelector } from '../model/selector.ts';
import type { Seat } from './offers.ts';
import type { Load } from './load.ts';

/** Why the rules among pods keep some pods of a load from being served, or all of them. */
interface PlacementProblem {
  readonly none: boolean;
  readonly why: string;
}

/**
 * The first rule among pods (spread, affinity, anti-affinity; the required ones) that the places of a load can't meet
 * for all of its pods.
 */
export function placementProblem(load: Load, loads: readonly Load[], seats: readonly Seat[]): PlacementProblem | undefined {
  const { spec } = load.template;
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const problems = [
    ...(spec.topologySpreadConstraints ?? []).map((constraint) => spreadProblem(load, constraint, seats)),
    ...(podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => apartProblem(load, term, seats)),
    ...(podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => togetherProblem(load, term, loads, seats)),
  ];
  return problems.find((problem) => problem !== undefined);
}

/** The values that a label has over the places; undefined where each node has its own. */
function domainsOf(key: string, seats: readonly Seat[]): readonly string[] | undefined {
  if (key === LABEL.hostname) return undefined;
  return [...new Set(seats.flatMap(({ labels }) => labels[key] ?? []))].sort();
}

function spreadProblem(
  { replicas, template }: Load,
  { topologyKey, whenUnsatisfiable, maxSkew, minDomains = 1, labelSelector }: TopologySpreadConstraint,
  seats: readonly Seat[],
): PlacementProblem | undefined {
  if (whenUnsatisfiable !== 'DoNotSchedule') return undefined;
  const domains = domainsOf(topologyKey, seats);
  if (domains === undefined) return undefined;
  if (domains.length === 0) return { none: true, why: `it is spread over ${topologyKey}, a label that no node has` };
  // While there are fewer domains than it wants, none may have more than maxSkew of those that count.
  const served = domains.length * maxSkew;
  if (domains.length >= minDomains || served >= replicas || !matchesSelector(labelSelector, template.metadata?.labels)) return undefined;
  const why = `it wants ${minDomains} domains of ${topologyKey}, there are ${domains.length} (${domains.join(', ')}): at most ${served} of ${replicas} pods can run`;
  return { none: false, why };
}

/** Pods that must be apart from each other need a domain each. */
function apartProblem({ replicas, template }: Load, term: PodAffinityTerm, seats: readonly Seat[]): PlacementProblem | undefined {
  const domains = domainsOf(term.topologyKey, seats);
  if (domains === undefined || domains.length === 0 || domains.length >= replicas) return undefined;
  if (!matchesSelector(term.labelSelector, template.metadata?.labels)) return undefined;
  const why = `its pods must be apart over ${term.topologyKey}, which has ${domains.length} values (${domains.join(', ')}): at most ${domains.length} of ${replicas} can run`;
  return { none: false, why };
}

function togetherProblem(load: Load, term: PodAffinityTerm, loads: readonly Load[], seats: readonly Seat[]): PlacementProblem | undefined {
  const { topologyKey, labelSelector, namespaces = [load.namespace], namespaceSelector } = term;
  if (domainsOf(topologyKey, seats)?.length === 0)
    return { none: true, why: `it must be beside other pods over ${topologyKey}, a label that no node has` };
  // Which namespaces a selector means is not looked at.
  if (namespaceSelector !== undefined) return undefined;
  const others = loads.filter(
    ({ namespace, template }) => namespaces.includes(namespace) && matchesSelector(labelSelector, template.metadata?.labels),
  );
  if (others.length > 0) return undefined;
  return { none: true, why: `it must be beside pods (over ${topologyKey}) that no workload of these manifests has` };
}

/** Whether some rule over this label must hold for a load, so that it can't go round a domain that is lost. */
export function isBoundTo(key: string, { template }: Load): boolean {
  const { affinity, topologySpreadConstraints = [] } = template.spec;
  const terms = [
    ...(affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
  ];
  return (
    terms.some(({ topologyKey }) => topologyKey === key) ||
    topologySpreadConstraints.some(({ topologyKey, whenUnsatisfiable }) => topologyKey === key && whenUnsatisfiable === 'DoNotSchedule')
  );
}
