import type { PodDisruptionBudget } from '../../model/kube.ts';
import { conditionOf } from '../../model/conditions.ts';
import { matchesSelector } from '../../model/selector.ts';
import type { Random } from '../../runtime/random.ts';
import type { Cycle } from './cycle.ts';
import { Histogram } from './messages.ts';
import type { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';
import type { Rejection } from './rejection.ts';

/** The result of preemption. */
export type PreemptionOutcome =
  | { readonly kind: 'victims'; readonly nodeName: string; readonly victims: readonly PodInfo[] }
  /** No eviction would help: an earlier nomination is cleared. */
  | { readonly kind: 'hopeless'; readonly message: string; readonly examined: number }
  /** The pod may not preempt, or not now. */
  | { readonly kind: 'barred'; readonly message: string };

/** Pods of one node that would have to be evicted. */
interface Candidate {
  readonly node: NodeInfo;
  /** Most important first. */
  readonly victims: readonly PodInfo[];
  /** How many of them a disruption budget protects. */
  readonly violations: number;
}

/** Percentage and minimum of nodes to search for candidates (`DefaultPreemptionArgs`). */
const CANDIDATES = { percentage: 10, least: 100 } as const;
const NO_VICTIMS = { reasons: ['No preemption victims found for incoming pod'] } as const;
const NOT_HELPFUL = 'Preemption is not helpful for scheduling';

/**
 * Which pods of lower priority must be evicted so that the pod can run, as the DefaultPreemption plugin determines them: on
 * one node, as few as possible, respecting budgets if possible.
 * @param rejections why the pod can't go to each node; nodes without one are not considered
 */
export function preempt(cycle: Cycle, rejections: ReadonlyMap<NodeInfo, Rejection>, random: Random): PreemptionOutcome {
  const barrier = barrierTo(cycle, rejections);
  if (barrier !== undefined) return { kind: 'barred', message: barrier };
  const potential = [...rejections].filter(([, rejection]) => !rejection.unresolvable).map(([node]) => node);
  const failures = new Histogram();
  const candidates = potential.length === 0 ? [] : findCandidates(cycle, potential, { failures, random });
  if (candidates.length > 0) {
    const { node, victims } = pickCandidate(candidates, random);
    return { kind: 'victims', nodeName: node.name, victims };
  }
  const all = cycle.cluster.nodes().length;
  failures.add(NOT_HELPFUL, all - potential.length);
  const message = `0/${all} nodes are available: ${failures.toString()}.`;
  return { kind: 'hopeless', message, examined: potential.length };
}

/** Why the pod may not preempt, or not again yet (`PodEligibleToPreemptOthers`). */
function barrierTo({ pod, cluster }: Cycle, rejections: ReadonlyMap<NodeInfo, Rejection>): string | undefined {
  if (pod.pod.spec.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.';
  const node = cluster.node(pod.pod.status?.nominatedNodeName ?? '');
  if (node === undefined || (rejections.get(node)?.unresolvable ?? true)) return undefined;
  for (const other of node.load.pods.values()) {
    if (other.priority < pod.priority && isBeingPreempted(other)) return 'not eligible due to a terminating pod on the nominated node.';
  }
  return undefined;
}

function isBeingPreempted({ pod, terminating }: PodInfo): boolean {
  const condition = conditionOf(pod, 'DisruptionTarget');
  return terminating && condition?.status === 'True' && condition.reason === 'PreemptionByScheduler';
}

/** Examines the nodes, starting at a random one, until there are enough candidates, one of them without a violation. */
function findCandidates(
  cycle: Cycle,
  potential: readonly NodeInfo[],
  { failures, random }: { readonly failures: Histogram; readonly random: Random },
): Candidate[] {
  const enough = Math.max(CANDIDATES.least, Math.trunc((potential.length * CANDIDATES.percentage) / 100));
  const budgets = cycle.cluster.objects.budgets();
  const offset = random.int(0, potential.length - 1);
  const candidates: Candidate[] = [];
  for (let step = 0; step < potential.length; step += 1) {
    const node = potential[(offset + step) % potential.length];
    if (node === undefined) continue;
    const found = victimsOn(cycle, node, budgets);
    if ('reasons' in found) for (const reason of found.reasons) failures.add(reason);
    else candidates.push(found);
    if (candidates.length >= enough && candidates.some(({ violations }) => violations === 0)) break;
  }
  const innocent = candidates.filter(({ violations }) => violations === 0);
  return [...innocent, ...candidates.filter(({ violations }) => violations > 0)];
}

/** The fewest pods to evict from a node (`SelectVictimsOnNode`). */
function victimsOn(
  cycle: Cycle,
  node: NodeInfo,
  budgets: readonly PodDisruptionBudget[],
): Candidate | { readonly reasons: readonly string[] } {
  if (node.load.lowestPriority >= cycle.pod.priority) return NO_VICTIMS;
  const lower: PodInfo[] = [];
  for (const pod of node.load.pods.values()) if (pod.priority < cycle.pod.priority) lower.push(pod);
  const emptied = { ...node, load: node.load.copy() };
  const moved = new Set(lower);
  for (const pod of lower) cycle.move(pod, emptied, -1);
  try {
    const rejection = cycle.rejectionBesideNominated(emptied);
    if (rejection !== undefined) return rejection;
    const { violating, innocent } = byBudget([...lower].sort(byImportance), budgets);
    const victims: PodInfo[] = [];
    const spare = (pod: PodInfo): boolean => {
      cycle.move(pod, emptied, 1);
      moved.delete(pod);
      if (cycle.rejectionBesideNominated(emptied) === undefined) return true;
      cycle.move(pod, emptied, -1);
      moved.add(pod);
      victims.push(pod);
      return false;
    };
    const violations = violating.filter((pod) => !spare(pod)).length;
    for (const pod of innocent) spare(pod);
    return { node, victims: victims.sort(byImportance), violations };
  } finally {
    for (const pod of moved) cycle.move(pod, emptied, 1);
  }
}

/** Higher priority first, then the longest running; pods that haven't started are the least important of their priority. */
function byImportance(a: PodInfo, b: PodInfo): number {
  if (a.priority !== b.priority) return b.priority - a.priority;
  return startMs(a) === startMs(b) ? 0 : startMs(a) - startMs(b);
}

function startMs({ pod }: PodInfo): number {
  return pod.status?.startTime === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(pod.status.startTime);
}

/** Splits pods by whether their eviction, in this order, would violate a budget (`filterPodsWithPDBViolation`). */
function byBudget(
  pods: readonly PodInfo[],
  budgets: readonly PodDisruptionBudget[],
): { readonly violating: readonly PodInfo[]; readonly innocent: readonly PodInfo[] } {
  const left = new Map(budgets.map((budget) => [budget, budget.status?.disruptionsAllowed ?? 0]));
  const violating = new Set<PodInfo>();
  for (const pod of pods) {
    for (const budget of budgets) {
      if (!protects(budget, pod)) continue;
      const allowed = (left.get(budget) ?? 0) - 1;
      left.set(budget, allowed);
      if (allowed < 0) violating.add(pod);
    }
  }
  return { violating: [...violating], innocent: pods.filter((pod) => !violating.has(pod)) };
}

function protects({ metadata, spec, status }: PodDisruptionBudget, { pod, namespace, labels }: PodInfo): boolean {
  const { matchLabels = {}, matchExpressions = [] } = spec.selector ?? {};
  // Neither an empty selector nor a pod without labels matches here.
  if (Object.keys(matchLabels).length + matchExpressions.length === 0 || Object.keys(labels).length === 0) return false;
  if ((metadata.namespace ?? 'default') !== namespace || !matchesSelector(spec.selector, labels)) return false;
  return status?.disruptedPods?.[pod.metadata.name ?? ''] === undefined;
}

/** Larger than any priority, so that sums grow with the number of pods. */
const ABOVE_ALL_PRIORITIES = 2 ** 31;

/** `pickOneNodeForPreemption`: each rule decides among the candidates left by the previous one. */
function pickCandidate(candidates: readonly Candidate[], random: Random): Candidate {
  const rules: readonly ((candidate: Candidate) => number)[] = [
    ({ violations }) => -violations,
    ({ victims }) => -(victims[0]?.priority ?? 0),
    ({ victims }) => -victims.reduce((sum, { priority }) => sum + priority + ABOVE_ALL_PRIORITIES, 0),
    ({ victims }) => -victims.length,
    // Of the node's most important victims: the later the first of them started, the better.
    ({ victims }) => Math.min(...victims.filter(({ priority }) => priority === victims[0]?.priority).map(startMs)),
  ];
  let left = candidates;
  for (const rule of rules) {
    const scores = left.map(rule);
    const highest = Math.max(...scores);
    left = left.filter((_candidate, index) => scores[index] === highest);
    const [only] = left;
    if (left.length === 1 && only !== undefined) return only;
  }
  return random.pick(left);
}
