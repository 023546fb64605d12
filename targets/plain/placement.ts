import { LABEL } from '../../model/kube.ts';
import type { Pod, PodAffinityTerm, TopologySpreadConstraint } from '../../model/kube.ts';
import { matchesNode, nodeAlternatives } from '../../model/requirements.ts';
import { matchesSelector } from '../../model/selector.ts';
import type { Labels } from '../../model/selector.ts';
import { skewAfterPlacing, spreadProblem, spreadSelector } from '../../model/topology.ts';

/** A pod on a node, or planned to be. */
export interface Placed {
  readonly pod: Pod;
  readonly node: Labels;
}

/** Where pods are, as far as their rules about each other need it. */
export class Placements {
  readonly #nodes: Labels[];
  readonly #placed: Placed[];
  /** Pods with anti-affinity. */
  readonly #repelling: Placed[];
  /** Pods with host ports. */
  readonly #ported: Placed[];

  /** @param nodes labels of every node, including planned ones @param placed the pods on them, without terminating ones */
  constructor(nodes: readonly Labels[], placed: readonly Placed[]) {
    this.#nodes = [...nodes];
    this.#placed = [...placed];
    this.#repelling = placed.filter(({ pod }) => antiTermsOf(pod).length > 0);
    this.#ported = placed.filter(({ pod }) => hostPortsOf(pod).length > 0);
  }

  addNode(labels: Labels): void {
    this.#nodes.push(labels);
  }

  place(pod: Pod, node: Labels): void {
    this.#placed.push({ pod, node });
    if (antiTermsOf(pod).length > 0) this.#repelling.push({ pod, node });
    if (hostPortsOf(pod).length > 0) this.#ported.push({ pod, node });
  }

  /**
   * The rule that keeps a pod off a node, as text; undefined if there is none.
   * @param reachable labels of nodes that could be launched for it: their domains count even if empty
   */
  objection(pod: Pod, node: Labels, reachable: readonly Labels[]): string | undefined {
    const ports = hostPortsOf(pod);
    const here = ports.length === 0 ? [] : this.#ported.filter((other) => other.node[LABEL.hostname] === node[LABEL.hostname]);
    if (here.some((other) => hostPortsOf(other.pod).some((port) => ports.includes(port))))
      return 'the ports that it needs of its node are taken';
    for (const term of antiTermsOf(pod)) {
      if (this.#placed.some((other) => inSameDomain(term, node, other.node) && selects(term, pod, other.pod))) return keptApart(term);
    }
    for (const other of this.#repelling) {
      const term = antiTermsOf(other.pod).find((one) => inSameDomain(one, node, other.node) && selects(one, other.pod, pod));
      if (term !== undefined) return keptApart(term);
    }
    for (const term of pod.spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []) {
      if (!this.#isNearby(term, pod, node)) return `no pod that matches its affinity is in the same ${term.topologyKey}`;
    }
    for (const constraint of hardSpreads(pod)) {
      const why = this.#spreadObjection(constraint, pod, node, reachable);
      if (why !== undefined) return why;
    }
    return undefined;
  }

  #isNearby(term: PodAffinityTerm, pod: Pod, node: Labels): boolean {
    if (node[term.topologyKey] === undefined) return false;
    const wanted = this.#placed.filter((other) => selects(term, pod, other.pod));
    // The first pod of a group with affinity to itself may go anywhere.
    if (wanted.length === 0) return selects(term, pod, pod);
    return wanted.some((other) => inSameDomain(term, node, other.node));
  }

  #spreadObjection(constraint: TopologySpreadConstraint, pod: Pod, node: Labels, reachable: readonly Labels[]): string | undefined {
    const { topologyKey: key, maxSkew, minDomains } = constraint;
    const domain = node[key];
    if (domain === undefined) return `no node has the label ${key} of its spread constraint`;
    const selector = spreadSelector(constraint, pod.metadata.labels);
    const alternatives = nodeAlternatives(pod.spec);
    const counts = new Map<string, number>();
    for (const labels of [...this.#nodes, ...reachable]) {
      const value = labels[key];
      if (value !== undefined && matchesNode(alternatives, '', labels)) counts.set(value, 0);
    }
    for (const other of this.#placed) {
      const value = other.node[key];
      const isCounted = other.pod.metadata.namespace === pod.metadata.namespace && matchesSelector(selector, other.pod.metadata.labels);
      if (isCounted && value !== undefined && counts.has(value)) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    const skew = skewAfterPlacing(counts, domain, matchesSelector(selector, pod.metadata.labels), minDomains);
    return skew > maxSkew ? `its spread constraint over ${key} (maxSkew ${maxSkew}) can't be met` : undefined;
  }
}

/** A spread constraint of a pod that no scheduler would accept; undefined if there is none. */
export function malformedSpread({ spec }: Pod): string | undefined {
  for (const constraint of spec.topologySpreadConstraints ?? []) {
    const problem = spreadProblem(constraint);
    if (problem !== undefined) return `its spread constraint is malformed: ${problem.field}: ${problem.message}`;
  }
  return undefined;
}

function hardSpreads({ spec }: Pod): TopologySpreadConstraint[] {
  return spec.topologySpreadConstraints?.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule') ?? [];
}

function antiTermsOf({ spec }: Pod): readonly PodAffinityTerm[] {
  return spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}

/** `80/TCP`: the ports of its node that a pod uses. On whichever address: hardly any pod names one. */
function hostPortsOf({ spec: { containers, hostNetwork } }: Pod): string[] {
  const all = containers.flatMap(({ ports = [] }) => ports);
  return all.flatMap(({ containerPort, hostPort = hostNetwork === true ? containerPort : undefined, protocol = 'TCP' }) =>
    hostPort === undefined ? [] : [`${hostPort}/${protocol}`],
  );
}

function inSameDomain({ topologyKey }: PodAffinityTerm, a: Labels, b: Labels): boolean {
  return a[topologyKey] !== undefined && a[topologyKey] === b[topologyKey];
}

/** Whether a pod's term selects another pod. Namespace selectors are assumed to select all: only namespace names are known. */
function selects(term: PodAffinityTerm, { metadata: { namespace: own = '' } }: Pod, { metadata }: Pod): boolean {
  const { namespaces = [], namespaceSelector, labelSelector } = term;
  const named = namespaces.length === 0 && namespaceSelector === undefined ? [own] : namespaces;
  const isInReach = namespaceSelector !== undefined || named.includes(metadata.namespace ?? '');
  return isInReach && matchesSelector(labelSelector, metadata.labels);
}

function keptApart({ topologyKey }: PodAffinityTerm): string {
  return `anti-affinity keeps it apart from pods over ${topologyKey}`;
}
