import { LABEL } from '../../model/kube.ts';
import type { LabelSelector, TopologySpreadConstraint } from '../../model/kube.ts';
import { spreadSelector } from '../../model/topology.ts';
import type { PodGroup } from './cluster.ts';
import type { Cycle } from './cycle.ts';
import { DEFAULT_CONSTRAINTS, defaultSelector } from './default-spread.ts';
import type { NodeInfo } from './node-info.ts';
import { constraintsOf, counts, hasKeys, isIncluded } from './spread.ts';

/** One soft constraint. */
interface SoftSpread {
  readonly constraint: TopologySpreadConstraint;
  /** The current count in a node's domain; on the node itself for `kubernetes.io/hostname`. */
  readonly countAt: (node: NodeInfo, domain: string) => number;
  readonly weight: number;
}

/**
 * Scores of the feasible nodes for the pod's ScheduleAnyway constraints, 0 to 100 each, in their order (`scoring.go` of
 * PodTopologySpread); undefined if it has none. A node without one of the topology keys scores 0, except under the
 * default constraints, which tolerate a missing key.
 */
export function softSpreadScores(cycle: Cycle, feasible: readonly NodeInfo[]): readonly number[] | undefined {
  const own = (cycle.pod.pod.spec.topologySpreadConstraints ?? []).length > 0;
  const constraints = own ? constraintsOf(cycle.pod, 'ScheduleAnyway') : DEFAULT_CONSTRAINTS;
  const selectorOfAll = own ? undefined : defaultSelector(cycle.pod, cycle.cluster.objects);
  if (constraints.length === 0 || (!own && selectorOfAll === undefined)) return undefined;
  const isScored = (node: NodeInfo): boolean => !own || hasKeys(node, constraints);
  const scored = feasible.filter(isScored);
  const soft = constraints.map((constraint) => {
    const selector = own ? spreadSelector(constraint, cycle.pod.labels) : selectorOfAll;
    return softSpread({ cycle, constraint, selector, scored, isScored: own ? isScored : undefined });
  });
  return normalize(feasible.map((node) => (isScored(node) ? rawScore(soft, node) : undefined)));
}

function softSpread(options: {
  readonly cycle: Cycle;
  readonly constraint: TopologySpreadConstraint;
  readonly selector: LabelSelector | undefined;
  readonly scored: readonly NodeInfo[];
  /** Which nodes' pods count; undefined for all. */
  readonly isScored: ((node: NodeInfo) => boolean) | undefined;
}): SoftSpread {
  const { cycle, constraint, selector, scored, isScored } = options;
  const { cluster, pod } = cycle;
  const { topologyKey } = constraint;
  const groups = [...cluster.groups()].filter((group) => counts(selector, pod.namespace, group));
  if (topologyKey === LABEL.hostname) {
    return { constraint, countAt: ({ name }) => staying(groups, name), weight: weightOf(scored.length) };
  }
  // Sums of other domains do no harm: only those of scored nodes are read.
  const sums = new Map<string, number>();
  const add = (domain: string, count: number): void => {
    sums.set(domain, (sums.get(domain) ?? 0) + count);
  };
  for (const group of groups) {
    if (isScored === undefined && pod.alternatives === undefined) {
      for (const [domain, count] of cluster.sums(group, topologyKey)) add(domain, count);
    } else {
      for (const [name, { total, terminating }] of group.counts) {
        const node = cluster.node(name);
        if (node === undefined || isScored?.(node) === false || !isIncluded(constraint, pod, node, cycle.suits)) continue;
        add(node.labels[topologyKey] ?? '', total - terminating);
      }
    }
  }
  const domains = new Set(scored.map(({ labels }) => labels[topologyKey] ?? '')).size;
  return { constraint, countAt: (_node, domain) => sums.get(domain) ?? 0, weight: weightOf(domains) };
}

function weightOf(domains: number): number {
  return Math.log(domains + 2);
}

/** How many pods of some groups are on a node and not terminating. */
function staying(groups: readonly PodGroup[], nodeName: string): number {
  let sum = 0;
  for (const { counts } of groups) {
    const count = counts.get(nodeName);
    if (count !== undefined) sum += count.total - count.terminating;
  }
  return sum;
}

function rawScore(soft: readonly SoftSpread[], node: NodeInfo): number {
  let score = 0;
  for (const { constraint, countAt, weight } of soft) {
    const { topologyKey, maxSkew } = constraint;
    const domain = node.labels[topologyKey];
    if (domain === undefined) continue;
    score += countAt(node, domain) * weight + (maxSkew - 1);
  }
  return Math.round(score);
}

function normalize(raw: readonly (number | undefined)[]): number[] {
  const known = raw.filter((score) => score !== undefined);
  const highest = Math.max(0, ...known);
  const lowest = Math.min(...known);
  return raw.map((score) => {
    if (score === undefined) return 0;
    return highest === 0 ? 100 : Math.trunc((100 * (highest + lowest - score)) / highest);
  });
}
