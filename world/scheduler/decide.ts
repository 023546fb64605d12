import type { Random } from '../../runtime/random.ts';
import type { Cluster } from './cluster.ts';
import { Cycle } from './cycle.ts';
import { Histogram } from './messages.ts';
import type { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';
import { preempt } from './preemption.ts';
import type { Plugin, Rejection } from './rejection.ts';
import { scoreNodes } from './scores.ts';
import { planVolumes } from './volumes.ts';
import type { VolumePlan } from './volumes.ts';

export type Decision =
  | {
      readonly kind: 'node';
      readonly nodeName: string;
      /** What must be done to the pod's claims first; undefined if nothing. */
      readonly volumes: VolumePlan | undefined;
      /** How many nodes were examined. */
      readonly examined: number;
    }
  | {
      readonly kind: 'none';
      readonly message: string;
      /** Empty if no plugin rejected it: the pod is retried without waiting for a change. */
      readonly rejectedBy: ReadonlySet<Plugin>;
      /** The pods to evict so that it can run; the node becomes its nominated one. */
      readonly preemption: Preemption | undefined;
      /** Whether an earlier nomination is cleared. */
      readonly clearsNomination: boolean;
      /** How many nodes preemption examined. */
      readonly preemptible: number;
    };

export interface Preemption {
  readonly nodeName: string;
  /** Most important first. */
  readonly victims: readonly PodInfo[];
}

/**
 * Where a pod goes, as the default profile of kube-scheduler 1.34 decides (`pkg/scheduler/schedule_one.go` and its
 * plugins). `random` breaks ties. Not modelled: dynamic resources, extenders, and in-tree volumes of
 * kinds that CSI replaced.
 * @param kind equal for pods that differ in name and identity only: what is found about a node is then remembered for the next of them
 */
export function decide(pod: PodInfo, cluster: Cluster, random: Random, kind?: number): Decision {
  const nodes = cluster.nodes();
  if (nodes.length === 0) return refusal('no nodes available to schedule pods', new Set(), { clearsNomination: true });
  const none = `0/${nodes.length} nodes are available:`;
  const cycle = Cycle.start(pod, cluster, kind);
  if (!(cycle instanceof Cycle)) {
    // The post filter of DynamicResources then fails, since its own PreFilter did not run: `not found` is its error.
    return refusal(`${none} ${cycle.reasons.join(', ')}. not found`, new Set([cycle.plugin]), { clearsNomination: false });
  }
  const nominated = cluster.node(pod.pod.status?.nominatedNodeName ?? '');
  if (nominated !== undefined && cycle.rejectionBesideNominated(nominated) === undefined) return chosen(cycle, nominated, 1);

  const { feasible, examined } = findFeasible(cycle, nodes);
  const [only] = feasible;
  if (only !== undefined) return chosen(cycle, feasible.length === 1 ? only : best(cycle, feasible, random), examined);
  const rejections = rejectionsOf(cycle, nodes);
  const rejectedBy = new Set<Plugin>();
  for (const { plugin } of rejections.values()) rejectedBy.add(plugin);
  if (cycle.named !== undefined) rejectedBy.add('NodeAffinity');
  const reasons = new Histogram();
  for (const rejection of rejections.values()) for (const reason of rejection.reasons) reasons.add(reason);
  reasons.add("node(s) didn't satisfy plugin(s) [NodeAffinity]", nodes.length - rejections.size);
  const outcome = preempt(cycle, rejections, random);
  if (outcome.kind === 'victims')
    return refusal(`${none} ${reasons.toString()}.`, rejectedBy, { preemption: outcome, clearsNomination: false });
  const preemptible = outcome.kind === 'hopeless' ? outcome.examined : 0;
  // The message of DynamicResources about a pod without claims comes first.
  const message = `${none} ${reasons.toString()}. no new claims to deallocate, preemption: ${outcome.message}`;
  return refusal(message, rejectedBy, { clearsNomination: outcome.kind === 'hopeless', preemptible });
}

function chosen(cycle: Cycle, node: NodeInfo, examined: number): Decision {
  const plan = planVolumes(cycle.claims, node, cycle.cluster.objects);
  const isNeeded = !('plugin' in plan) && plan.bindings.length + plan.provisions.length > 0;
  return { kind: 'node', nodeName: node.name, volumes: isNeeded ? plan : undefined, examined };
}

function refusal(
  message: string,
  rejectedBy: ReadonlySet<Plugin>,
  about: { readonly preemption?: Preemption; readonly clearsNomination: boolean; readonly preemptible?: number },
): Decision {
  return { kind: 'none', message, rejectedBy, preemption: undefined, preemptible: 0, ...about };
}

/**
 * The nodes that the pod can go to, and how many were examined for that. As in the original, the search stops early in a large
 * cluster, and the next pod's search continues there; below 100 nodes all are examined.
 */
function findFeasible(cycle: Cycle, all: readonly NodeInfo[]): { readonly feasible: readonly NodeInfo[]; readonly examined: number } {
  const nodes = candidatesOf(cycle, all);
  const enough = enoughNodes(nodes.length);
  const first = firstOf(cycle, nodes);
  const full = cycle.kind === undefined || nodes !== all ? undefined : cycle.cluster.full(cycle.kind);
  const feasible: NodeInfo[] = [];
  let step = 0;
  for (; step < nodes.length && feasible.length < enough; step += 1) {
    const place = (first + step) % nodes.length;
    if (full?.[place] === 1) continue;
    const node = nodes[place];
    if (node === undefined) continue;
    if (cycle.rejectionBesideNominated(node) === undefined) feasible.push(node);
    else if (full !== undefined && cycle.isKnownFull(node)) full[place] = 1;
  }
  return { feasible, examined: step };
}

/** Why the pod can't go to each of the nodes, in the order of the search, if it can't go to any. */
function rejectionsOf(cycle: Cycle, all: readonly NodeInfo[]): ReadonlyMap<NodeInfo, Rejection> {
  const nodes = candidatesOf(cycle, all);
  const first = firstOf(cycle, nodes);
  const rejections = new Map<NodeInfo, Rejection>();
  for (let step = 0; step < nodes.length; step += 1) {
    const node = nodes[(first + step) % nodes.length];
    const rejection = node && cycle.rejectionBesideNominated(node);
    if (node !== undefined && rejection !== undefined) rejections.set(node, rejection);
  }
  return rejections;
}

/** All nodes, or those that the pod names. */
function candidatesOf({ named }: Cycle, all: readonly NodeInfo[]): readonly NodeInfo[] {
  return named === undefined ? all : all.filter(({ name }) => named.has(name));
}

/** Where the search begins. */
function firstOf({ cluster }: Cycle, { length }: readonly NodeInfo[]): number {
  return enoughNodes(length) < length ? cluster.searchFrom % length : 0;
}

/** The search continues while there are fewer feasible nodes than this (`minFeasibleNodesToFind`). */
const FEWEST_FEASIBLE = 100;
const SMALLEST_PERCENTAGE = 5;

/** How many feasible nodes are enough, with the default percentageOfNodesToScore. */
function enoughNodes(count: number): number {
  const percentage = Math.max(50 - Math.trunc(count / 125), SMALLEST_PERCENTAGE);
  return Math.max(FEWEST_FEASIBLE, Math.trunc((count * percentage) / 100));
}

function best(cycle: Cycle, feasible: readonly NodeInfo[], random: Random): NodeInfo {
  const scores = scoreNodes(cycle, feasible);
  const highest = Math.max(...scores);
  const winners = feasible.filter((_node, index) => scores[index] === highest);
  const [first] = winners;
  return winners.length === 1 && first !== undefined ? first : random.pick(winners);
}
