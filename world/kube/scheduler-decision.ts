import type { Pod } from '../../model/kube.ts';
import { matchesNode, nodeAlternatives } from '../../model/requirements.ts';
import { shortages } from '../../model/resources.ts';
import { REPELLING, tolerates, untolerated } from '../../model/taints.ts';
import type { Random } from '../../runtime/random.ts';
import { podInfo } from './scheduler-cache.ts';
import type { NodeInfo, PodInfo } from './scheduler-cache.ts';
import { MISSING_LABEL, hardSpreads, softSpreadScores, spreadRejection } from './scheduler-spread.ts';
import type { SpreadContext } from './scheduler-spread.ts';

const PLUGINS = ['NodeUnschedulable', 'TaintToleration', 'NodeAffinity', 'NodeResourcesFit', 'PodTopologySpread'] as const;
export type Plugin = (typeof PLUGINS)[number];

/** Why a pod can't go to a node. */
interface Rejection {
  readonly plugin: Plugin;
  readonly reasons: readonly string[];
  /** Whether the eviction of other pods could not help either. */
  readonly unresolvable: boolean;
}

export type Decision =
  | { readonly kind: 'node'; readonly nodeName: string }
  | { readonly kind: 'none'; readonly message: string; readonly rejectedBy: ReadonlySet<Plugin> };

const CORDON = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' } as const;

/** A pod as the plugins look at it. */
export function contextOf(pod: Pod, info: PodInfo = podInfo(pod)): SpreadContext {
  return { pod, info, alternatives: nodeAlternatives(pod.spec) };
}

/** The filters that look at one node alone, in the order of the plugins: the first that rejects decides. */
export function rejectionByNode({ pod, info, alternatives }: SpreadContext, node: NodeInfo): Rejection | undefined {
  const { spec = {} } = node.node;
  if (spec.unschedulable === true && !(pod.spec.tolerations ?? []).some((one) => tolerates(one, CORDON))) {
    return { plugin: 'NodeUnschedulable', reasons: ['node(s) were unschedulable'], unresolvable: true };
  }
  if (untolerated(spec.taints, pod.spec.tolerations, REPELLING) !== undefined) {
    return { plugin: 'TaintToleration', reasons: ['node(s) had untolerated taint(s)'], unresolvable: true };
  }
  if (!matchesNode(alternatives, node.name, node.labels)) {
    return { plugin: 'NodeAffinity', reasons: ["node(s) didn't match Pod's node affinity/selector"], unresolvable: true };
  }
  const available: Record<string, number> = {};
  for (const name in info.requests) available[name] = (node.allocatable[name] ?? 0) - (node.used[name] ?? 0);
  const short = shortages(info.requests, available);
  if (short.length === 0) return undefined;
  return {
    plugin: 'NodeResourcesFit',
    reasons: short.map((name) => (name === 'pods' ? 'Too many pods' : `Insufficient ${name}`)),
    unresolvable: shortages(info.requests, node.allocatable).some((name) => name !== 'pods'),
  };
}

/**
 * Where a pod goes, as the default profile of kube-scheduler 1.34 decides, without pod affinity, volumes, host ports,
 * preferred node affinity, preemption and the scores of ImageLocality and NodeResourcesBalancedAllocation; all nodes are
 * looked at, whatever their number. Of the best nodes `random` picks one.
 */
export function decide(context: SpreadContext, nodes: readonly NodeInfo[], random: Random): Decision {
  if (nodes.length === 0) return { kind: 'none', message: 'no nodes available to schedule pods', rejectedBy: new Set(PLUGINS) };
  const spreads = hardSpreads(context, nodes);
  const feasible: NodeInfo[] = [];
  const rejections: Rejection[] = [];
  for (const node of nodes) {
    const rejection = rejectionByNode(context, node) ?? asRejection(spreadRejection(spreads, node));
    if (rejection === undefined) feasible.push(node);
    else rejections.push(rejection);
  }
  if (feasible.length > 0) return { kind: 'node', nodeName: best(context, nodes, feasible, random) };
  return { kind: 'none', message: explain(rejections), rejectedBy: new Set(rejections.map(({ plugin }) => plugin)) };
}

function asRejection(reason: string | undefined): Rejection | undefined {
  if (reason === undefined) return undefined;
  return { plugin: 'PodTopologySpread', reasons: [reason], unresolvable: reason === MISSING_LABEL };
}

/** The message of a FitError, with what the post-filters of 1.34 add for a pod that may not displace any other. */
function explain(rejections: readonly Rejection[]): string {
  const none = `0/${rejections.length} nodes are available`;
  const reasons = histogram(rejections.flatMap((rejection) => rejection.reasons));
  const preemption = histogram(
    rejections.map(({ unresolvable }) =>
      unresolvable ? 'Preemption is not helpful for scheduling' : 'No preemption victims found for incoming pod',
    ),
  );
  return `${none}: ${reasons}. no new claims to deallocate, preemption: ${none}: ${preemption}.`;
}

function histogram(reasons: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(', ');
}

/** Weights of the default profile. */
const SPREAD_WEIGHT = 2;
const TAINT_WEIGHT = 3;

function best(context: SpreadContext, nodes: readonly NodeInfo[], feasible: readonly NodeInfo[], random: Random): string {
  const [only] = feasible;
  if (feasible.length === 1 && only !== undefined) return only.name;
  const spread = softSpreadScores(context, nodes, feasible);
  const taints = taintScores(context.pod, feasible);
  let highest = -1;
  let winners: string[] = [];
  for (const node of feasible) {
    const score =
      leastAllocated(context.info, node) + SPREAD_WEIGHT * (spread?.get(node.name) ?? 0) + TAINT_WEIGHT * (taints.get(node.name) ?? 0);
    if (score > highest) [highest, winners] = [score, []];
    if (score === highest) winners.push(node.name);
  }
  return winners.length === 1 ? (winners[0] ?? '') : random.pick(winners);
}

/** What a pod without requests is taken to use, for scores only. */
const DEFAULT_REQUEST: Readonly<Record<string, number>> = { cpu: 100, memory: 200 * 2 ** 20 };

function leastAllocated({ requests }: PodInfo, { allocatable, used, pods }: NodeInfo): number {
  let score = 0;
  for (const [name, assumed] of Object.entries(DEFAULT_REQUEST)) {
    const capacity = allocatable[name] ?? 0;
    let unstated = 0;
    for (const pod of pods.values()) if ((pod.requests[name] ?? 0) === 0) unstated += assumed;
    const asked = (used[name] ?? 0) + unstated + (requests[name] || assumed);
    if (capacity > 0 && asked <= capacity) score += Math.trunc(((capacity - asked) * 100) / capacity);
  }
  return Math.trunc(score / 2);
}

/** Nodes with the fewest PreferNoSchedule taints that the pod doesn't tolerate score 100. */
function taintScores(pod: Pod, feasible: readonly NodeInfo[]): Map<string, number> {
  const counts = feasible.map(({ name, node }) => {
    const taints = (node.spec?.taints ?? []).filter(
      (taint) => untolerated([taint], pod.spec.tolerations, ['PreferNoSchedule']) !== undefined,
    );
    return [name, taints.length] as const;
  });
  const highest = Math.max(0, ...counts.map(([, count]) => count));
  return new Map(counts.map(([name, count]) => [name, highest === 0 ? 100 : 100 - Math.trunc((100 * count) / highest)]));
}
