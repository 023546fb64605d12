import type { PodAffinityTerm, PodSpec, TopologySpreadConstraint } from '../model/kube.ts';
import { LABEL } from '../model/kube.ts';
import { matchesNode, nodeAlternatives } from '../model/requirements.ts';
import type { NodeAlternative } from '../model/requirements.ts';
import { fits, podRequests } from '../model/resources.ts';
import { matchesSelector } from '../model/selector.ts';
import type { Seat } from './offers.ts';
import type { Load } from './load.ts';

/** Why rules between pods prevent some or all pods of a load from being served. */
interface PlacementProblem {
  readonly none: boolean;
  readonly why: string;
}

/**
 * The first required rule between pods (spread, affinity, anti-affinity) that the seats of a load can't satisfy for all of its pods.
 * @param seatsOf the seats of another load, without regard to rules between pods
 */
export function placementProblem(
  load: Load,
  loads: readonly Load[],
  seats: readonly Seat[],
  seatsOf: (other: Load) => readonly Seat[],
): PlacementProblem | undefined {
  const { spec } = load.template;
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const problems = [
    ...(spec.topologySpreadConstraints ?? []).map((constraint) => spreadProblem(load, constraint, { loads, seats, seatsOf })),
    ...(podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => apartProblem(load, term, seats)),
    ...(podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) =>
      togetherProblem(load, term, { loads, seats, seatsOf }),
    ),
  ];
  return problems.find((problem) => problem?.none) ?? problems.find((problem) => problem !== undefined) ?? mixedProblem(load);
}

/** A load's seats, and all loads with theirs. */
interface Surroundings {
  readonly loads: readonly Load[];
  readonly seats: readonly Seat[];
  readonly seatsOf: (other: Load) => readonly Seat[];
}

/** Whether rules that each can be satisfied can be so together depends on where the first pods go. */
function mixedProblem({ template: { spec } }: Load): PlacementProblem | undefined {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  if ((podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).length === 0) return undefined;
  const isApart = (podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).length > 0;
  const isSpread = (spec.topologySpreadConstraints ?? []).some(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule');
  if (!isApart && !isSpread) return undefined;
  return {
    none: false,
    why: `it must be near other pods and also ${isApart ? 'away from some' : 'spread'}: it depends on where the first ones go`,
  };
}

/** The values of a label over all seats; undefined if each node has its own. */
function domainsOf(key: string, seats: readonly Seat[]): readonly string[] | undefined {
  if (key === LABEL.hostname) return undefined;
  return [...new Set(seats.flatMap(({ labels }) => labels[key] ?? []))].sort();
}

function spreadProblem(
  load: Load,
  { topologyKey, whenUnsatisfiable, maxSkew, minDomains = 1, labelSelector, nodeAffinityPolicy }: TopologySpreadConstraint,
  { loads, seats, seatsOf }: Surroundings,
): PlacementProblem | undefined {
  const { replicas, template } = load;
  if (whenUnsatisfiable !== 'DoNotSchedule') return undefined;
  const domains = domainsOf(topologyKey, seats);
  if (domains === undefined) return undefined;
  if (domains.length === 0) return { none: true, why: `it is spread over ${topologyKey}, a label that no node has` };
  // With fewer domains than minDomains, no domain may have more than maxSkew of the counted pods.
  const served = domains.length * maxSkew;
  if (served >= replicas || !matchesSelector(labelSelector, template.metadata?.labels)) return undefined;
  if (domains.length >= minDomains) {
    const { containers } = template.spec;
    const alternatives = nodeAlternatives(nodeAffinityPolicy === 'Ignore' ? { containers } : template.spec);
    for (const other of loads) {
      if (other === load || other.isDaemon) continue;
      const domain = domainBeyond(topologyKey, domains, alternatives, seatsOf(other));
      if (domain === undefined) continue;
      const why = `nodes for ${other.name} may have ${topologyKey} ${domain}, where it can't run, but which counts for its spread: at most ${served} of ${replicas} pods can run then`;
      return { none: false, why };
    }
    return undefined;
  }
  const why = `it requires ${minDomains} domains of ${topologyKey}, and there are ${domains.length} (${domains.join(', ')}): at most ${served} of ${replicas} pods can run`;
  return { none: false, why };
}

/**
 * A domain of other seats that is none of these, on nodes that count for the spread of a pod with these alternatives. The scheduler
 * asks neither whether the pod fits there nor, by default, whether it tolerates the taints.
 */
function domainBeyond(
  key: string,
  domains: readonly string[],
  alternatives: readonly NodeAlternative[],
  others: readonly Seat[],
): string | undefined {
  const seat = others.find(({ labels }) => {
    const domain = labels[key];
    return domain !== undefined && !domains.includes(domain) && matchesNode(alternatives, '', labels);
  });
  return seat?.labels[key];
}

/** Pods with anti-affinity to each other need one domain each. */
function apartProblem({ replicas, template }: Load, term: PodAffinityTerm, seats: readonly Seat[]): PlacementProblem | undefined {
  const domains = domainsOf(term.topologyKey, seats);
  if (domains === undefined || domains.length === 0 || domains.length >= replicas) return undefined;
  if (!matchesSelector(term.labelSelector, template.metadata?.labels)) return undefined;
  const why = `its pods must not share a value of ${term.topologyKey}, which has ${domains.length} values (${domains.join(', ')}): at most ${domains.length} of ${replicas} can run`;
  return { none: false, why };
}

function togetherProblem(load: Load, term: PodAffinityTerm, { loads, seats, seatsOf }: Surroundings): PlacementProblem | undefined {
  const { topologyKey, labelSelector, namespaces = [load.namespace], namespaceSelector } = term;
  if (domainsOf(topologyKey, seats)?.length === 0)
    return { none: true, why: `it must share ${topologyKey} with other pods, a label that no node has` };
  // Namespace selectors are not evaluated.
  if (namespaceSelector !== undefined) return undefined;
  const isMeant = ({ namespace, template }: Load): boolean =>
    namespaces.includes(namespace) && matchesSelector(labelSelector, template.metadata?.labels);
  const others = loads.filter(isMeant);
  if (others.length === 0) return { none: true, why: `it must share ${topologyKey} with pods that no workload of these manifests has` };
  if (topologyKey === LABEL.hostname && isMeant(load)) return oneHostProblem(load, others, seats);
  // The neighbours decide the domain: they may be unservable, or where this load can't follow.
  const unsure = others.filter((one) => one.name !== load.name && !canFollow(topologyKey, seats, one, seatsOf(one)));
  if (unsure.length === 0 || load.replicas === 0) return undefined;
  return {
    none: false,
    why: `it must share ${topologyKey} with pods of ${unsure.map(({ name }) => name).join(', ')}: it depends on where they are`,
  };
}

/** All pods must share one node: the first may get one that is too small for the others. */
function oneHostProblem(load: Load, others: readonly Load[], seats: readonly Seat[]): PlacementProblem | undefined {
  const { replicas, template } = load;
  if (replicas > 1 && usesHostPorts(template.spec))
    return { none: false, why: 'its pods must share one node, and use the same port of it' };
  if (others.length > 1) return { none: false, why: 'it must share one node with pods of other workloads' };
  const together = Object.fromEntries(Object.entries(podRequests(template.spec)).map(([name, value]) => [name, value * replicas]));
  if (seats.every(({ room }) => fits(together, room))) return undefined;
  return { none: false, why: `its ${replicas} pods must share one node, and not all of its nodes have room for them` };
}

/** Whether there are seats wherever pods of another load may be, and these are sure to be somewhere. */
function canFollow(topologyKey: string, seats: readonly Seat[], other: Load, others: readonly Seat[]): boolean {
  const mine = domainsOf(topologyKey, seats);
  const theirs = domainsOf(topologyKey, others);
  if (mine === undefined || theirs === undefined || theirs.length === 0 || other.replicas === 0 || other.isDaemon) return false;
  // Where those are that must be near others again depends on these.
  const { podAffinity } = other.template.spec.affinity ?? {};
  if ((podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).length > 0) return false;
  return theirs.every((domain) => mine.includes(domain));
}

/** Whether each pod of a load may need a node of its own: a required rule over hostnames applies to it, or it uses ports of the node. */
export function isAlone(load: Load): boolean {
  return isBoundTo(LABEL.hostname, load) || usesHostPorts(load.template.spec);
}

/** With host networking every container port is one, as the API server defaults it. */
function usesHostPorts({ containers, initContainers = [], hostNetwork = false }: PodSpec): boolean {
  const sidecars = initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...containers, ...sidecars].some(({ ports = [] }) => ports.some(({ hostPort = 0 }) => hostNetwork || hostPort > 0));
}

/** Whether a required rule over this label applies to a load, so that it can't avoid a lost domain. */
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
