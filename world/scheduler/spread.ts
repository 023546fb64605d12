import type { LabelSelector, TopologySpreadConstraint } from '../../model/kube.ts';
import { matchesSelector } from '../../model/selector.ts';
import { REPELLING, untolerated } from '../../model/taints.ts';
import { globalMinimum, spreadSelector } from '../../model/topology.ts';
import type { Cluster, PodGroup } from './cluster.ts';
import type { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';
import { resolvable, unresolvable } from './rejection.ts';
import type { Rejection } from './rejection.ts';

/** Whether a node matches a pod's node selector and required node affinity. */
export type Suits = (node: NodeInfo) => boolean;

/**
 * One DoNotSchedule constraint of a pod against the pods on all nodes, prepared as in `filtering.go` of the
 * PodTopologySpread plugin.
 */
export class HardSpread {
  readonly #constraint: TopologySpreadConstraint;
  readonly #selector: LabelSelector | undefined;
  readonly #namespace: string;
  readonly #included = new Set<string>();
  readonly #counts = new Map<string, number>();
  /** 1 if the constraint's selector selects the pod itself. */
  readonly #self: 0 | 1;
  #minimum: number | undefined;

  /** @param eligible the nodes that have the topology keys of all of the pod's hard constraints */
  constructor(constraint: TopologySpreadConstraint, pod: PodInfo, { cluster, eligible, suits }: SpreadScope) {
    this.#constraint = constraint;
    this.#selector = spreadSelector(constraint, pod.labels);
    this.#namespace = pod.namespace;
    this.#self = matchesSelector(this.#selector, pod.labels) ? 1 : 0;
    for (const node of eligible) {
      if (!isIncluded(constraint, pod, node, suits)) continue;
      this.#included.add(node.name);
      this.#add(node, 0);
    }
    for (const group of cluster.groups()) {
      if (!counts(this.#selector, this.#namespace, group)) continue;
      for (const [name, { total, terminating }] of group.counts) {
        const node = this.#included.has(name) ? cluster.node(name) : undefined;
        if (node !== undefined) this.#add(node, total - terminating);
      }
    }
  }

  /** Why the pod would break the constraint on a node; undefined if it would not. */
  rejection({ labels }: NodeInfo): Rejection | undefined {
    const { topologyKey, maxSkew, minDomains } = this.#constraint;
    const domain = labels[topologyKey];
    if (domain === undefined) return unresolvable('PodTopologySpread', `${NOT_MATCHING} (missing required label)`);
    this.#minimum ??= globalMinimum(this.#counts, minDomains ?? 1);
    const skew = (this.#counts.get(domain) ?? 0) + this.#self - this.#minimum;
    return skew > maxSkew ? resolvable('PodTopologySpread', NOT_MATCHING) : undefined;
  }

  /** Adds or removes a pod on a node. As in the original, terminating pods are no exception here. */
  adjust(pod: PodInfo, node: NodeInfo, delta: 1 | -1): void {
    if (pod.namespace === this.#namespace && this.#included.has(node.name) && matchesSelector(this.#selector, pod.labels)) {
      this.#add(node, delta);
    }
  }

  #add({ labels }: NodeInfo, count: number): void {
    const domain = labels[this.#constraint.topologyKey] ?? '';
    this.#counts.set(domain, (this.#counts.get(domain) ?? 0) + count);
    this.#minimum = undefined;
  }
}

const NOT_MATCHING = "node(s) didn't match pod topology spread constraints";

interface SpreadScope {
  readonly cluster: Cluster;
  readonly eligible: readonly NodeInfo[];
  readonly suits: Suits;
}

/** The pod's DoNotSchedule constraints. */
export function hardSpreads(pod: PodInfo, cluster: Cluster, suits: Suits): readonly HardSpread[] {
  const constraints = constraintsOf(pod, 'DoNotSchedule');
  if (constraints.length === 0) return [];
  const eligible = cluster.nodes().filter((node) => hasKeys(node, constraints));
  return constraints.map((constraint) => new HardSpread(constraint, pod, { cluster, eligible, suits }));
}

export function constraintsOf(
  { pod }: PodInfo,
  action: TopologySpreadConstraint['whenUnsatisfiable'],
): readonly TopologySpreadConstraint[] {
  return (pod.spec.topologySpreadConstraints ?? []).filter(({ whenUnsatisfiable }) => whenUnsatisfiable === action);
}

export function hasKeys({ labels }: NodeInfo, constraints: readonly TopologySpreadConstraint[]): boolean {
  return constraints.every(({ topologyKey }) => labels[topologyKey] !== undefined);
}

/** Whether the pods of a node count for a constraint, by its inclusion policies. */
export function isIncluded(constraint: TopologySpreadConstraint, { pod }: PodInfo, node: NodeInfo, suits: Suits): boolean {
  const { nodeAffinityPolicy = 'Honor', nodeTaintsPolicy = 'Ignore' } = constraint;
  if (nodeAffinityPolicy === 'Honor' && !suits(node)) return false;
  return nodeTaintsPolicy === 'Ignore' || untolerated(node.taints, pod.spec.tolerations, REPELLING) === undefined;
}

/**
 * Whether a constraint's selector counts a group of pods. As in 1.34, and unlike the documentation, the selector `{}`
 * counts none (kubernetes#141339, fixed later), though it selects the pod itself.
 */
export function counts(selector: LabelSelector | undefined, namespace: string, group: PodGroup): boolean {
  return group.namespace === namespace && !isEmpty(selector) && matchesSelector(selector, group.labels);
}

function isEmpty(selector: LabelSelector | null | undefined): boolean {
  if (selector === undefined || selector === null) return false;
  return Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0;
}

/** Whether a pod, when added or removed, may change what the other's hard constraints allow. */
export function concernsSpread(waiting: PodInfo, { namespace, labels }: PodInfo): boolean {
  return (
    namespace === waiting.namespace &&
    constraintsOf(waiting, 'DoNotSchedule').some((constraint) => matchesSelector(spreadSelector(constraint, waiting.labels), labels))
  );
}
