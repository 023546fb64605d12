import { allMatchPod, matchesPod } from './affinity-term.ts';
import type { NamespaceLabels } from './affinity-term.ts';
import { rejectionByNode } from './node-filters.ts';
import type { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';
import type { Plugin } from './rejection.ts';
import { concernsSpread, constraintsOf, hasKeys } from './spread.ts';

/** A change in the cluster: before and after, one of them absent after a creation or deletion. */
export type ClusterEvent =
  | { readonly kind: 'node'; readonly before: NodeInfo | undefined; readonly after: NodeInfo | undefined }
  /** A pod on a node; the node in its current state, if it exists. */
  | { readonly kind: 'pod'; readonly before: PodInfo | undefined; readonly after: PodInfo | undefined; readonly node: NodeInfo | undefined }
  /** Room on a node is no longer reserved for a pod. */
  | { readonly kind: 'nomination'; readonly node: NodeInfo | undefined }
  | { readonly kind: 'storage' };

const OF_VOLUMES: readonly Plugin[] = ['VolumeRestrictions', 'NodeVolumeLimits', 'VolumeBinding', 'VolumeZone'];

/** What the hints of one event need. */
export interface HintContext {
  readonly namespaceLabels: NamespaceLabels;
  /** Whether the pod fits on a node, ignoring other pods' constraints, possibly after others have been evicted from it. */
  readonly hasRoom: (pod: PodInfo, node: NodeInfo | undefined) => boolean;
}

/**
 * Whether an event may make a pod schedulable that these plugins rejected: approximately the plugins' queueing hints. In
 * addition, nodes are checked with their current pods, to avoid useless attempts; and the end of a pod whose anti-affinity kept
 * another away counts, which the hint of InterPodAffinity misses.
 */
export function mayHelp(event: ClusterEvent, pod: PodInfo, rejectedBy: ReadonlySet<Plugin>, context: HintContext): boolean {
  const { namespaceLabels, hasRoom } = context;
  switch (event.kind) {
    case 'node':
      return nodeHelps(event, pod, rejectedBy, hasRoom);
    case 'pod':
      if (rejectedBy.has('PodTopologySpread') && [event.before, event.after].some((one) => one !== undefined && concernsSpread(pod, one))) {
        return true;
      }
      if (rejectedBy.has('InterPodAffinity') && affinityHelps(event, pod, namespaceLabels)) return true;
      return event.after === undefined && hasRoom(pod, event.node);
    case 'nomination':
      return hasRoom(pod, event.node);
    case 'storage':
      return OF_VOLUMES.some((plugin) => rejectedBy.has(plugin));
  }
}

function nodeHelps(
  { before, after }: { readonly before: NodeInfo | undefined; readonly after: NodeInfo | undefined },
  pod: PodInfo,
  rejectedBy: ReadonlySet<Plugin>,
  hasRoom: HintContext['hasRoom'],
): boolean {
  if (rejectedBy.has('PodTopologySpread')) {
    // Domains may have been added, removed or changed.
    const constraints = constraintsOf(pod, 'DoNotSchedule');
    if ([before, after].some((node) => node !== undefined && hasKeys(node, constraints))) return true;
  }
  return hasRoom(pod, after);
}

/** For one event, in which no node changes: pods of one workload get the same answer, and there may be thousands. */
export function roomByKind(kindOf: (pod: PodInfo) => number): HintContext['hasRoom'] {
  const known = new Map<NodeInfo, Map<number, boolean>>();
  return (pod, node) => {
    if (node === undefined) return false;
    const onNode = known.get(node) ?? new Map<number, boolean>();
    known.set(node, onNode);
    const kind = kindOf(pod);
    const answer = onNode.get(kind) ?? hasRoom(pod, node);
    onNode.set(kind, answer);
    return answer;
  };
}

function hasRoom(pod: PodInfo, node: NodeInfo): boolean {
  const rejection = rejectionByNode(pod, node);
  if (rejection === undefined) return true;
  return !rejection.unresolvable && [...node.load.pods.values()].some(({ priority }) => priority < pod.priority);
}

function affinityHelps(
  { before, after }: { readonly before: PodInfo | undefined; readonly after: PodInfo | undefined },
  { affinity, ...pod }: PodInfo,
  namespaceLabels: NamespaceLabels,
): boolean {
  const isWanted = (one: PodInfo | undefined): boolean => one !== undefined && allMatchPod(affinity.required, one, namespaceLabels);
  const isAvoided = (one: PodInfo | undefined): boolean =>
    one !== undefined &&
    (affinity.requiredAnti.some((term) => matchesPod(term, one, namespaceLabels)) ||
      one.affinity.requiredAnti.some((term) => matchesPod(term, pod, namespaceLabels)));
  return (!isWanted(before) && isWanted(after)) || (isAvoided(before) && !isAvoided(after));
}

/** Whether two versions of a node differ in anything that affects decisions. */
export function nodeChanged({ node: a }: NodeInfo, { node: b }: NodeInfo): boolean {
  const relevant = ({ metadata, spec, status }: NodeInfo['node']): string =>
    JSON.stringify([metadata.labels, spec?.taints ?? [], spec?.unschedulable ?? false, status?.allocatable]);
  return relevant(a) !== relevant(b);
}
