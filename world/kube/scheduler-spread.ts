import { LABEL } from '../../model/kube.ts';
import type { LabelSelector, Pod, TopologySpreadConstraint } from '../../model/kube.ts';
import { matchesNode } from '../../model/requirements.ts';
import type { NodeAlternative } from '../../model/requirements.ts';
import { matchesSelector } from '../../model/selector.ts';
import { REPELLING, untolerated } from '../../model/taints.ts';
import { globalMinimum, spreadSelector } from '../../model/topology.ts';
import type { NodeInfo, PodInfo } from './scheduler-cache.ts';

/** One constraint of a pod, with the counts of the moment. */
interface Spread {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly counts: ReadonlyMap<string, number>;
  /** 1 if the constraint's selector selects the pod itself. */
  readonly self: 0 | 1;
  readonly minimum: number;
}

export const MISSING_LABEL = "node(s) didn't match pod topology spread constraints (missing required label)";
const NOT_MATCHING = "node(s) didn't match pod topology spread constraints";

/** The pod to place, and what of it doesn't depend on a node. */
export interface SpreadContext {
  readonly pod: Pod;
  readonly info: PodInfo;
  readonly alternatives: readonly NodeAlternative[];
}

/**
 * The pod's DoNotSchedule constraints against all nodes, as the PodTopologySpread plugin prepares them. A selector
 * `{}` selects every pod, as documented; 1.34 itself counts none for it (kubernetes#141339, mended later).
 */
export function hardSpreads(context: SpreadContext, nodes: readonly NodeInfo[]): readonly Spread[] {
  const constraints = constraintsOf(context.pod, 'DoNotSchedule');
  if (constraints.length === 0) return [];
  const eligible = nodes.filter(({ labels }) => constraints.every(({ topologyKey }) => labels[topologyKey] !== undefined));
  return constraints.map((constraint) => {
    const { topologyKey, maxSkew, minDomains } = constraint;
    const selector = spreadSelector(constraint, context.info.labels);
    const counts = new Map<string, number>();
    for (const node of eligible) {
      if (!isIncluded(constraint, context, node)) continue;
      const domain = node.labels[topologyKey] ?? '';
      counts.set(domain, (counts.get(domain) ?? 0) + countMatching(node, selector, context.info.namespace));
    }
    const self = matchesSelector(selector, context.info.labels) ? 1 : 0;
    return { topologyKey, maxSkew, counts, self, minimum: globalMinimum(counts, minDomains) };
  });
}

/** Why a node would break a constraint; undefined if it breaks none. */
export function spreadRejection(spreads: readonly Spread[], node: NodeInfo): string | undefined {
  for (const { topologyKey, maxSkew, counts, self, minimum } of spreads) {
    const domain = node.labels[topologyKey];
    if (domain === undefined) return MISSING_LABEL;
    if ((counts.get(domain) ?? 0) + self - minimum > maxSkew) return NOT_MATCHING;
  }
  return undefined;
}

/** Whether a pod counts, or may count, for one of another's hard constraints. */
export function concernsSpread({ pod, info }: SpreadContext, other: PodInfo): boolean {
  return (
    other.namespace === info.namespace &&
    constraintsOf(pod, 'DoNotSchedule').some((constraint) => matchesSelector(spreadSelector(constraint, info.labels), other.labels))
  );
}

/** The scheduler's own constraints for pods of a controller without any: soft, counting the controller's pods. */
const SYSTEM_DEFAULTS = [
  { topologyKey: LABEL.hostname, maxSkew: 3 },
  { topologyKey: LABEL.zone, maxSkew: 5 },
];

/** One soft constraint, for scoring. */
interface SoftSpread {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly counts: ReadonlyMap<string, number>;
  readonly weight: number;
}

/**
 * Scores of the feasible nodes for the pod's ScheduleAnyway constraints, 0 to 100 each; undefined if it has none. A node
 * without one of the topology keys scores 0.
 */
export function softSpreadScores(
  context: SpreadContext,
  nodes: readonly NodeInfo[],
  feasible: readonly NodeInfo[],
): Map<string, number> | undefined {
  const own = (context.pod.spec.topologySpreadConstraints ?? []).length > 0;
  const soft = own ? ownSoft(context, nodes, feasible) : defaultSoft(context, nodes, feasible);
  if (soft.length === 0) return undefined;
  const raw = new Map<string, number>();
  for (const { name, labels } of feasible) {
    if (own && soft.some(({ topologyKey }) => labels[topologyKey] === undefined)) continue;
    let score = 0;
    for (const { topologyKey, maxSkew, counts, weight } of soft) {
      const domain = labels[topologyKey];
      if (domain !== undefined) score += (counts.get(domain) ?? 0) * weight + (maxSkew - 1);
    }
    raw.set(name, Math.round(score));
  }
  const highest = Math.max(0, ...raw.values());
  const lowest = Math.min(...raw.values());
  return new Map(
    feasible.map(({ name }) => {
      const score = raw.get(name);
      if (score === undefined) return [name, 0];
      return [name, highest === 0 ? 100 : Math.trunc((100 * (highest + lowest - score)) / highest)];
    }),
  );
}

function ownSoft(context: SpreadContext, nodes: readonly NodeInfo[], feasible: readonly NodeInfo[]): SoftSpread[] {
  const constraints = constraintsOf(context.pod, 'ScheduleAnyway');
  const hasAll = ({ labels }: NodeInfo): boolean => constraints.every(({ topologyKey }) => labels[topologyKey] !== undefined);
  return constraints.map((constraint) => {
    const selector = spreadSelector(constraint, context.info.labels);
    const included = nodes.filter((node) => hasAll(node) && isIncluded(constraint, context, node));
    const count = (node: NodeInfo): number => countMatching(node, selector, context.info.namespace);
    return softSpread(constraint, included, feasible.filter(hasAll), count);
  });
}

function defaultSoft({ info }: SpreadContext, nodes: readonly NodeInfo[], feasible: readonly NodeInfo[]): SoftSpread[] {
  if (info.owner === undefined) return [];
  const count = ({ pods }: NodeInfo): number => {
    let siblings = 0;
    for (const { owner, terminating } of pods.values()) if (owner === info.owner && !terminating) siblings += 1;
    return siblings;
  };
  return SYSTEM_DEFAULTS.map((constraint) => softSpread(constraint, nodes, feasible, count));
}

function softSpread(
  { topologyKey, maxSkew }: { readonly topologyKey: string; readonly maxSkew: number },
  included: readonly NodeInfo[],
  feasible: readonly NodeInfo[],
  count: (node: NodeInfo) => number,
): SoftSpread {
  const domains = new Set(feasible.map(({ labels }) => labels[topologyKey]));
  const counts = new Map<string, number>();
  for (const node of included) {
    const domain = node.labels[topologyKey];
    if (domain !== undefined && domains.has(domain)) counts.set(domain, (counts.get(domain) ?? 0) + count(node));
  }
  return { topologyKey, maxSkew, counts, weight: Math.log(domains.size + 2) };
}

function constraintsOf(pod: Pod, action: TopologySpreadConstraint['whenUnsatisfiable']): TopologySpreadConstraint[] {
  return (pod.spec.topologySpreadConstraints ?? []).filter(({ whenUnsatisfiable }) => whenUnsatisfiable === action);
}

function isIncluded(constraint: TopologySpreadConstraint, { pod, alternatives }: SpreadContext, node: NodeInfo): boolean {
  const { nodeAffinityPolicy = 'Honor', nodeTaintsPolicy = 'Ignore' } = constraint;
  if (nodeAffinityPolicy === 'Honor' && !matchesNode(alternatives, node.name, node.labels)) return false;
  return nodeTaintsPolicy === 'Ignore' || untolerated(node.node.spec?.taints, pod.spec.tolerations, REPELLING) === undefined;
}

function countMatching({ pods }: NodeInfo, selector: LabelSelector | undefined, namespace: string): number {
  if (selector === undefined) return 0;
  let count = 0;
  for (const pod of pods.values()) {
    if (!pod.terminating && pod.namespace === namespace && matchesSelector(selector, pod.labels)) count += 1;
  }
  return count;
}
