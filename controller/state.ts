import type { Cache, KubeClient } from '../clients/kube-client.ts';
import { createCache } from '../clients/cache.ts';
import { RESOURCES } from '../clients/resources.ts';
import type { KubeObject, Node, Pod, PodSpec } from '../model/kube.ts';
import type { Labels } from '../model/selector.ts';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../model/storage.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { Wire } from '../wire/wire.ts';
import type { EC2NodeClass, NodeClaim, NodePool } from './api.ts';
import { nameOf, nodePoolOf, uidOf } from './api.ts';
import { Gather } from './core/gather.ts';
import { View } from './core/view.ts';
import type { Storage } from './provisioning/volumes.ts';
import { EVERY_POOL, limitCache } from './scope.ts';
import type { PoolScope } from './scope.ts';

/** Labels of namespaces by name, for namespace selectors. */
export function namespaceLabels({ namespaces }: Pick<ClusterState, 'namespaces'>): ReadonlyMap<string, Labels> {
  return new Map(namespaces.list().map((namespace) => [nameOf(namespace), namespace.metadata.labels ?? {}]));
}

/** An apps/v1 DaemonSet, with the fields for its pods' requests. */
export interface DaemonSet extends KubeObject {
  spec: { template: { metadata?: { labels?: Record<string, string> }; spec: PodSpec } };
}

/** Callers within this time share a read from the server, which is made after all of their calls. */
const SHARED_READ = { idleMs: 50 };

/** What the autoscaler knows of the cluster: caches that may lag, overlaid with its own writes. */
export interface ClusterState {
  readonly pods: Cache<Pod>;
  /** All nodes, whoever created them: pods run on others' nodes too. */
  readonly nodes: View<Node>;
  /** The claims of its pools. */
  readonly claims: View<NodeClaim>;
  /** The pools that it handles. */
  readonly pools: View<NodePool>;
  readonly classes: View<EC2NodeClass>;
  readonly daemonSets: Cache<DaemonSet>;
  readonly namespaces: Cache<KubeObject>;
  readonly storage: Storage;
  /** Resolves when everything has been listed once. Before that, nothing counts as missing. */
  readonly synced: Promise<void>;
  isSynced(): boolean;
  /** When the caches started to fill, in ms since the epoch. */
  readonly startedMs: number;
  /** Pods bound to a node, from the cache. */
  podsOn(nodeName: string): Iterable<Pod>;
  /** The names of the nodes with such pods. */
  nodesWithPods(): Iterable<string>;
  /** Pods that are not bound to a node, from the cache. */
  unboundPods(): Iterable<Pod>;
  /** When a Node was first seen, by the monotonic clock; times in the object are from other clocks. */
  nodeSeenMs(node: Node): number;
  /** All pods, read from the server after this call: for irreversible decisions. */
  freshPods(): Promise<readonly Pod[]>;
  /** All claims of its pools, read from the server after this call. */
  freshClaims(): Promise<readonly NodeClaim[]>;
  /** Including those of other autoscalers' pools. */
  freshClaimsOfAll(): Promise<readonly NodeClaim[]>;
  /** The pools that others handle, from the cache. */
  poolsOfOthers(): readonly NodePool[];
  /** The Nodes of an instance, sorted by name: none, one, or by mistake several. */
  nodesOf(providerId: string): Node[];
  /** The claims of an instance, sorted by name: none, one, or by mistake several. */
  claimsOf(providerId: string): NodeClaim[];
  /** The Nodes that don't say yet whose they are. */
  nodesWithoutProviderId(): Node[];
}

/** Starts the caches; the runtime's signal stops them. */
export function createClusterState(runtime: Runtime, wire: Wire, kube: KubeClient, scope: PoolScope = EVERY_POOL): ClusterState {
  const site = { ...runtime, wire };
  const { clock } = runtime;
  const pods = createCache<Pod>(site, RESOURCES.pods);
  const nodes = createCache<Node>(site, RESOURCES.nodes);
  const claims = createCache<NodeClaim>(site, RESOURCES.nodeclaims);
  const pools = createCache<NodePool>(site, RESOURCES.nodepools);
  const classes = createCache<EC2NodeClass>(site, RESOURCES.ec2nodeclasses);
  const daemonSets = createCache<DaemonSet>(site, RESOURCES.daemonsets);
  const namespaces = createCache(site, RESOURCES.namespaces);
  const volumeClaims = createCache<PersistentVolumeClaim>(site, RESOURCES.persistentvolumeclaims);
  const volumes = createCache<PersistentVolume>(site, RESOURCES.persistentvolumes);
  const storageClasses = createCache<StorageClass>(site, RESOURCES.storageclasses);
  const caches = [pods, nodes, claims, pools, classes, daemonSets, namespaces, volumeClaims, volumes, storageClasses];

  const { byNode: podsByNode, unbound } = indexPods(pods);
  const nodesSeenMs = timesSeen(nodes, clock);
  const nodeView = new View(nodes, clock, (node) => node.spec?.providerID);
  const isConfined = scope.id !== undefined;
  const isOwnClaim = (claim: NodeClaim): boolean => scope.owns(nodePoolOf(claim));
  const isOwnPool = (pool: NodePool): boolean => scope.owns(nameOf(pool));
  const ownClaims = isConfined ? limitCache(claims, isOwnClaim) : claims;
  const claimView = new View(ownClaims, clock, (claim) => claim.status?.providerID);
  const nameless = namesWithout(nodes, (node) => node.spec?.providerID);
  const podReads = new Gather(clock, SHARED_READ, () => kube.list<Pod>(RESOURCES.pods));
  const claimReads = new Gather(clock, SHARED_READ, async () => {
    const askedAtMs = clock.monotonicMs();
    const list = await kube.list<NodeClaim>(RESOURCES.nodeclaims);
    claimView.observe(isConfined ? list.filter(isOwnClaim) : list, askedAtMs);
    return list;
  });

  const startedMs = clock.nowMs();
  let isSynced = false;
  const synced = Promise.all(caches.map((cache) => cache.synced)).then(() => {
    isSynced = true;
  });
  // It rejects when the autoscaler is stopped early, possibly before anything awaits it.
  synced.catch(() => undefined);

  return {
    pods,
    nodes: nodeView,
    claims: claimView,
    pools: new View(isConfined ? limitCache(pools, isOwnPool) : pools, clock),
    classes: new View(classes, clock),
    daemonSets,
    namespaces,
    storage: {
      claim: (namespace, name) => volumeClaims.get(name, namespace),
      volume: (name) => volumes.get(name),
      storageClass: (name) => storageClasses.get(name),
    },
    synced,
    isSynced: () => isSynced,
    startedMs,
    podsOn: (nodeName) => podsByNode.get(nodeName)?.values() ?? [],
    nodesWithPods: () => podsByNode.keys(),
    unboundPods: () => unbound.values(),
    nodeSeenMs: (node) => nodesSeenMs.get(uidOf(node)) ?? clock.monotonicMs(),
    freshPods: () => podReads.add(undefined),
    freshClaims: isConfined ? () => claimReads.add(undefined).then((list) => list.filter(isOwnClaim)) : () => claimReads.add(undefined),
    freshClaimsOfAll: () => claimReads.add(undefined),
    poolsOfOthers: () => pools.list().filter((pool) => !isOwnPool(pool)),
    nodesOf: (providerId) => nodeView.listBy(providerId),
    claimsOf: (providerId) => claimView.listBy(providerId),
    nodesWithoutProviderId: () =>
      [...nameless].flatMap((name) => nodeView.get(name) ?? []).filter((node) => (node.spec?.providerID ?? '') === ''),
  };
}

/** The names of the objects for which there is no value yet. */
function namesWithout<T extends KubeObject>(cache: Cache<T>, valueOf: (object: T) => string | undefined): ReadonlySet<string> {
  const names = new Set<string>();
  cache.onChange((type, object) => {
    if (type === 'DELETED' || (valueOf(object) ?? '') !== '') names.delete(nameOf(object));
    else names.add(nameOf(object));
  });
  return names;
}

/** When each existing object was first seen, by the monotonic clock and its uid. */
function timesSeen(cache: Cache<KubeObject>, clock: Clock): ReadonlyMap<string, number> {
  const seenMs = new Map<string, number>();
  cache.onChange((type, object) => {
    if (type === 'DELETED') seenMs.delete(uidOf(object));
    else if (!seenMs.has(uidOf(object))) seenMs.set(uidOf(object), clock.monotonicMs());
  });
  return seenMs;
}

/** Pods by the name of their node, and those without one in the order in which they were seen. */
interface PodIndex {
  readonly byNode: ReadonlyMap<string, ReadonlyMap<string, Pod>>;
  readonly unbound: ReadonlyMap<string, Pod>;
}

function indexPods(pods: Cache<Pod>): PodIndex {
  const byNode = new Map<string, Map<string, Pod>>();
  const unbound = new Map<string, Pod>();
  const nodeOf = new Map<string, string>();
  pods.onChange((type, pod) => {
    const { nodeName = '' } = pod.spec;
    const key = `${pod.metadata.namespace ?? ''}/${nameOf(pod)}`;
    // A pod is bound once, but after a gap in the watch another one may have its name.
    const before = nodeOf.get(key);
    if (before !== undefined && before !== nodeName) leave(before, key);
    if (type === 'DELETED' || nodeName === '') nodeOf.delete(key);
    else nodeOf.set(key, nodeName);
    if (type !== 'DELETED' && nodeName === '') unbound.set(key, pod);
    else unbound.delete(key);
    if (nodeName === '') return;
    if (type === 'DELETED') leave(nodeName, key);
    else byNode.set(nodeName, (byNode.get(nodeName) ?? new Map<string, Pod>()).set(key, pod));
  });
  const leave = (nodeName: string, key: string): void => {
    const onNode = byNode.get(nodeName);
    onNode?.delete(key);
    if (onNode?.size === 0) byNode.delete(nodeName);
  };
  return { byNode, unbound };
}
