import { LABEL } from '../../model/kube.ts';
import type { LabelSelector, TopologySpreadConstraint } from '../../model/kube.ts';
import { spreadSelector } from '../../model/topology.ts';
import type { Cycle } from './cycle.ts';
import { DEFAULT_CONSTRAINTS, defaultSelector } from './default-spread.ts';
import type { NodeInfo } from './node-info.ts';
import { constraintsOf, counts, hasKeys, isIncluded } from './spread.ts';

/** One soft constraint, with the current counts by domain; by node for `kubernetes.io/hostname`. */
interface SoftSpread {
  readonly constraint: TopologySpreadConstraint;
  readonly counts: ReadonlyMap<string, number>;
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
  const byNode = topologyKey === LABEL.hostname;
  // Sums of other domains do no harm: only those of scored nodes are read.
  const sums = new Map<string, number>();
  const add = (domain: string, count: number): void => {
    sums.set(domain, (sums.get(domain) ?? 0) + count);
  };
  for (const group of cluster.groups()) {
    if (!counts(selector, pod.namespace, group)) continue;
    if (byNode) {
      for (const { name } of scored) {
        const { total = 0, terminating = 0 } = group.counts.get(name) ?? {};
        add(name, total - terminating);
      }
    } else if (isScored === undefined && pod.alternatives === undefined) {
      for (const [domain, count] of cluster.sums(group, topologyKey)) add(domain, count);
    } else {
      for (const [name, { total, terminating }] of group.counts) {
        const node = cluster.node(name);
        if (node === undefined || isScored?.(node) === false || !isIncluded(constraint, pod, node, cycle.suits)) continue;
        add(node.labels[topologyKey] ?? '', total - terminating);
      }
    }
  }
  const domains = byNode ? scored.length : new Set(scored.map(({ labels }) => labels[topologyKey] ?? '')).size;
  return { constraint, counts: sums, weight: Math.log(domains + 2) };
}

function rawScore(soft: readonly SoftSpread[], { name, labels }: NodeInfo): number {
  let score = 0;
  for (const { constraint, counts, weight } of soft) {
    const { topologyKey, maxSkew } = constraint;
    const domain = labels[topologyKey];
    if (domain === undefined) continue;
    score += (counts.get(topologyKey === LABEL.hostname ? name : domain) ?? 0) * weight + (maxSkew - 1);
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
