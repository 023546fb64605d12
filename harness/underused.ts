import type { Truth } from '../history/events.ts';
import type { Pool } from '../model/catalogue.ts';
import { drainHabitOf, hasOptedOut, isLeavingTaint } from '../model/drain.ts';
import { keepsNodes } from '../model/idle-nodes.ts';
import type { Period } from '../model/idle-nodes.ts';
import { WORKLOAD_LABEL } from '../model/kube.ts';
import type { Node, Pod, PodDisruptionBudget } from '../model/kube.ts';
import { ofFrozen } from '../model/of-frozen.ts';
import { addResources } from '../model/resources.ts';
import type { Resources } from '../model/resources.ts';
import { isTerminal } from '../world/controllers/pods.ts';
import type { ClusterPort } from '../world/ports.ts';
import { rejectionByNode } from '../world/scheduler/node-filters.ts';
import { NodeLoad, nodeInfo } from '../world/scheduler/node-info.ts';
import type { NodeInfo } from '../world/scheduler/node-info.ts';
import { podInfo } from '../world/scheduler/pod-info.ts';
import type { PodInfo } from '../world/scheduler/pod-info.ts';
import type { Clock } from '../runtime/clock.ts';
import { LOOK_PERIOD_MS, isOf, isReady, nameOf, selects } from './convergence.ts';
import type { Convergence, Waiting } from './convergence.ts';

/** Karpenter's labels of a node that it knows, and of one whose resources and taints are final. Source: `pkg/apis/v1/labels.go` */
const REGISTERED = 'karpenter.sh/registered';
const INITIALIZED = 'karpenter.sh/initialized';
const DO_NOT_DISRUPT = 'karpenter.sh/do-not-disrupt';

const infoOf = ofFrozen(podInfo);

/**
 * The pools whose nodes have to go once their pods fit elsewhere, for all of a time. Nodes that expire come and go by themselves. A bound is
 * for the pools as the scenario had them at first, so those that wait longer since are left out.
 */
export function consolidatingPools(pools: readonly Pool[], atFirst: readonly Pool[], period: Period): readonly Pool[] {
  const longestMs = Math.max(0, ...atFirst.map(waitMsOf));
  return pools.filter(
    (pool) =>
      pool.disruption?.consolidation === 'when-empty-or-underutilized' &&
      pool.replicas === undefined &&
      pool.expireAfterMs === undefined &&
      waitMsOf(pool) <= longestMs &&
      !keepsNodes(pool, 'underutilized', period),
  );
}

/** How long its nodes must be unchanged; 0 for the target's own time. */
function waitMsOf({ disruption }: Pool): number {
  const after = disruption?.consolidateAfterMs ?? 0;
  return after === 'never' ? 0 : after;
}

/** What a look at the nodes shows. */
export interface Underuse {
  /** Those that could go. */
  readonly nodes: readonly Waiting[];
  /** Pods or nodes come or go, so that the next look may show something else. */
  readonly isBusy: boolean;
  /** How many nodes there are. */
  readonly total: number;
}

/**
 * Waits until no node could go any more, and nothing comes or goes, for `quietMs`. Gives up when something could go and no node has gone for
 * `limitMs`: nodes may go one after the other, since one that takes the pods of another one has changed.
 * @returns undefined if nothing can be said, since things are on the move at once, or for as long again after the limit
 */
export async function untilConsolidated(options: {
  readonly clock: Clock;
  readonly limitMs: number;
  readonly quietMs: number;
  readonly look: () => Promise<Underuse>;
}): Promise<Convergence | undefined> {
  const { clock, limitMs, quietMs, look } = options;
  const first = await look();
  if (first.isBusy) return undefined;
  if (first.nodes.length === 0) return { waiting: [], sinceMs: clock.nowMs() };
  let { total } = first;
  let deadlineMs = clock.nowMs() + limitMs;
  let sinceMs: number | undefined;
  for (;;) {
    await clock.sleep(LOOK_PERIOD_MS);
    const seen = await look();
    const nowMs = clock.nowMs();
    if (seen.total < total) {
      ({ total } = seen);
      deadlineMs = nowMs + limitMs;
    }
    if (seen.nodes.length === 0 && !seen.isBusy) {
      sinceMs ??= nowMs;
      if (nowMs - sinceMs >= quietMs) return { waiting: [], sinceMs };
    } else {
      sinceMs = undefined;
      if (nowMs >= deadlineMs && !seen.isBusy) return { waiting: seen.nodes };
      if (nowMs >= deadlineMs + limitMs) return undefined;
    }
  }
}

/** Where nodes are looked at. */
export interface UnderuseSite {
  readonly cluster: ClusterPort;
  /** Truths of the workloads deployed, by name. */
  readonly truths: ReadonlyMap<string, Truth>;
  /** As last applied. */
  readonly pools: readonly Pool[];
  /** Those of them that remove such nodes. */
  readonly removing: readonly Pool[];
}

/**
 * Nodes whose pods all fit on one other node, so that they could go at once, whatever the order in which an autoscaler places pods. Only clear
 * cases count: no pod waits for a node or leaves one, and nothing but resources, taints, labels and host ports restricts where the pods
 * may be: no other pods, no volumes, no budget, no preferences.
 */
export async function underusedNodes({ cluster, truths, pools, removing }: UnderuseSite): Promise<Underuse> {
  const [pods, nodes] = await Promise.all([cluster.list<Pod>('pods'), cluster.list<Node>('nodes')]);
  const there = pods.filter((pod) => !isTerminal(pod));
  const kindOf = ({ metadata }: Pod): Truth['kind'] | undefined => truths.get(metadata.labels?.[WORKLOAD_LABEL] ?? '')?.kind;
  const mayTakeRoom = (pod: Pod): boolean => pod.spec.nodeName === undefined && kindOf(pod) !== 'impossible';
  const isMoving = ({ metadata }: Pod | Node): boolean => metadata.deletionTimestamp !== undefined;
  const isBusy = there.some((pod) => mayTakeRoom(pod) || isMoving(pod)) || nodes.some((node) => isMoving(node) || isClosed(node));
  if (isBusy || there.some(keepsOthersAway)) return { nodes: [], isBusy, total: nodes.length };
  const byNode = Map.groupBy(there, ({ spec }) => spec.nodeName ?? '');
  const places = nodes.map((node) => placeOf(node, byNode.get(node.metadata.name ?? '') ?? [], (pod) => kindOf(pod) === 'daemon'));
  const budgets = await cluster.list<PodDisruptionBudget>('poddisruptionbudgets');
  const mayGo = ({ node, pods: present, users }: NodePlace): boolean =>
    users.length > 0 &&
    isFinal(node) &&
    !hasOptedOut(node) &&
    isOnlyOf(node, pools, removing) &&
    present.every((pod) => !optsOut(pod) && !budgets.some((one) => selects(one, pod))) &&
    users.every(mayGoAnywhere);
  // Idle nodes go instead.
  const open = places.filter(({ node, users }) => users.length > 0 && isFinal(node) && !isDisliked(node));
  const found = places.filter(mayGo).flatMap((place) => {
    const other = open.find((one) => one !== place && fitsOn(one, place));
    return other === undefined
      ? []
      : [{ object: nameOf('nodes', place.node), why: `all pods that keep it fit on node ${other.node.metadata.name ?? ''}` }];
  });
  return { nodes: found, isBusy, total: nodes.length };
}

/** A node with its pods. */
interface NodePlace {
  readonly node: Node;
  readonly pods: readonly Pod[];
  /** Those that don't come and go with the node. */
  readonly users: readonly Pod[];
  readonly info: NodeInfo;
  /** What these request together. */
  readonly requests: Resources;
}

function placeOf(node: Node, pods: readonly Pod[], isDaemon: (pod: Pod) => boolean): NodePlace {
  const load = new NodeLoad();
  for (const pod of pods) load.add(infoOf(pod));
  const users = pods.filter((pod) => !isDaemon(pod) && !isBoundToNode(pod));
  const requests = users.map((pod) => infoOf(pod).requests).reduce<Resources>(addResources, {});
  return { node, pods, users, info: nodeInfo(node, load), requests };
}

/** Whether nodes are removed by all pools that it may belong to. */
function isOnlyOf(node: Node, pools: readonly Pool[], removing: readonly Pool[]): boolean {
  const own = pools.filter((pool) => isOf(pool, node));
  return own.length > 0 && own.every((pool) => removing.includes(pool));
}

/** Ready, and as it will stay. */
function isFinal(node: Node): boolean {
  const {
    metadata: { labels = {} },
    spec,
  } = node;
  return isReady(node) && spec?.unschedulable !== true && (labels[REGISTERED] === undefined || labels[INITIALIZED] === 'true');
}

/** About to be removed. */
function isClosed({ spec }: Node): boolean {
  return spec?.taints?.some(isLeavingTaint) === true;
}

/** An autoscaler may take a preference as a rule. */
function isDisliked({ spec }: Node): boolean {
  return spec?.taints?.some(({ effect }) => effect === 'PreferNoSchedule') === true;
}

function keepsOthersAway({ spec: { affinity } }: Pod): boolean {
  return affinity?.podAntiAffinity !== undefined;
}

/** Also for some time only, and also as a pod of a DaemonSet. Source: Karpenter, `IsDoNotDisruptActive` and `ValidatePodsDisruptable`, v1.14 */
function optsOut(pod: Pod): boolean {
  const { annotations = {} } = pod.metadata;
  return drainHabitOf(pod) !== undefined || DO_NOT_DISRUPT in annotations;
}

/** It comes and goes with its node, as pods of DaemonSets and static pods do. */
function isBoundToNode({ metadata: { ownerReferences = [] } }: Pod): boolean {
  return ownerReferences.some(({ kind }) => kind === 'DaemonSet' || kind === 'Node');
}

/** It is replaced if it is evicted, and no other pods, volumes, claims or preferences say where it has to be. */
function mayGoAnywhere({ metadata, spec }: Pod): boolean {
  const { affinity, topologySpreadConstraints = [], volumes = [] } = spec;
  return (
    (metadata.ownerReferences ?? []).length > 0 &&
    affinity?.podAffinity === undefined &&
    affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution === undefined &&
    topologySpreadConstraints.length === 0 &&
    !('resourceClaims' in spec) &&
    volumes.every((volume) => volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined)
  );
}

/** Whether a node has room for the pods of another one, all together. */
function fitsOn({ info }: NodePlace, { users, requests }: NodePlace): boolean {
  const { allocatable, load } = info;
  for (const name in requests) {
    const amount = requests[name] ?? 0;
    if (amount > 0 && amount > (allocatable[name] ?? 0) - load.requested(name)) return false;
  }
  const full = { ...info, load: load.copy() };
  return users.map(asNew).every((pod) => {
    const fits = rejectionByNode(pod, full) === undefined;
    full.load.add(pod);
    return fits;
  });
}

/** As the pod that takes its place will be: on no node yet. */
function asNew({ spec: { nodeName: _, ...spec }, ...pod }: Pod): PodInfo {
  return podInfo({ ...pod, spec });
}
