import type { Node } from '../../model/kube.ts';
import type { Cluster, GroupCount, NodeImage, PodGroup } from './cluster.ts';
import { FullNodes } from './full-nodes.ts';
import { NodeLoad, nodeInfo } from './node-info.ts';
import type { NodeInfo } from './node-info.ts';
import { NodeOrder } from './node-order.ts';
import { ObjectCache } from './object-cache.ts';
import type { PodInfo } from './pod-info.ts';

const NOBODY: readonly PodInfo[] = [];

interface Group extends PodGroup {
  readonly counts: Map<string, GroupCount>;
  /** How many of them stay, by topology key and domain: those keys that somebody asked for. */
  readonly sums: Map<string, Map<string, number>>;
}

/**
 * The scheduler's view of the cluster: what watches delivered, and its own decisions that they have not delivered yet. All
 * counts are updated pod by pod, so that a decision need not iterate over all pods.
 */
export class SchedulerCache implements Cluster {
  readonly objects = new ObjectCache(() => {
    this.#version += 1;
  });
  searchFrom = 0;
  #version = 0;
  readonly #nodes = new Map<string, NodeInfo>();
  /** By node name, including deleted nodes: one with that name may come back. */
  readonly #loads = new Map<string, NodeLoad>();
  readonly #nodeOf = new Map<string, string>();
  readonly #groups = new Map<string, Group>();
  /** By node name. */
  readonly #nominated = new Map<string, Map<string, PodInfo>>();
  readonly #nominationOf = new Map<string, string>();
  readonly #order = new NodeOrder();
  readonly #full = new FullNodes();
  #images: ReadonlyMap<string, NodeImage> | undefined;

  /** Changes with everything that may change whether a pod finds a node. */
  get version(): number {
    return this.#version;
  }

  /** Whether room is reserved for any pod. */
  get hasNominations(): boolean {
    return this.#nominationOf.size > 0;
  }

  nodes(): readonly NodeInfo[] {
    return this.#order.list();
  }

  full(kind: number): Uint8Array {
    return this.#full.of(kind, this.nodes());
  }

  node(name: string): NodeInfo | undefined {
    return this.#nodes.get(name);
  }

  groups(): Iterable<PodGroup> {
    return this.#groups.values();
  }

  sums(group: PodGroup, topologyKey: string): ReadonlyMap<string, number> {
    const { sums, counts } = group as Group;
    const known = sums.get(topologyKey);
    if (known !== undefined) return known;
    const found = new Map<string, number>();
    for (const [name, { total, terminating }] of counts) add(found, this.#nodes.get(name)?.labels[topologyKey], total - terminating);
    sums.set(topologyKey, found);
    return found;
  }

  nominated(nodeName: string): readonly PodInfo[] {
    if (this.#nominated.size === 0) return NOBODY;
    const pods = this.#nominated.get(nodeName);
    return pods === undefined ? NOBODY : [...pods.values()];
  }

  image(name: string): NodeImage | undefined {
    this.#images ??= imagesOn(this.#nodes.values());
    return this.#images.get(name);
  }

  setNode(node: Node): NodeInfo {
    const info = nodeInfo(node, this.#load(node.metadata.name ?? ''));
    const before = this.#nodes.get(info.name);
    this.#version += 1;
    this.#nodes.set(info.name, info);
    if (before?.node.status?.images !== node.status?.images) this.#images = undefined;
    this.#order.set(info, before);
    this.#full.forget(info.load);
    if (info.load.pods.size > 0) this.#dropSums(before, info);
    return info;
  }

  removeNode(name: string): void {
    const node = this.#nodes.get(name);
    this.#version += 1;
    this.#nodes.delete(name);
    if (node !== undefined) this.#order.remove(node);
    if (this.#loads.get(name)?.pods.size === 0) this.#loads.delete(name);
    else this.#dropSums(node, undefined);
    this.#images = undefined;
  }

  /** The node of a pod, real or assumed. */
  nodeOf(key: string): string | undefined {
    return this.#nodeOf.get(key);
  }

  pod(key: string): PodInfo | undefined {
    return this.#loads.get(this.#nodeOf.get(key) ?? '')?.pods.get(key);
  }

  /** Puts a pod on a node, after a decision or as reported by a watch. It is then no longer nominated. */
  assign(pod: PodInfo, nodeName: string): void {
    const before = this.pod(pod.key);
    const isKnown = before !== undefined && this.#nodeOf.get(pod.key) === nodeName;
    // Most changes of a pod on its node are of its status.
    const isSame =
      isKnown && before.pod.spec === pod.pod.spec && before.groupKey === pod.groupKey && before.terminating === pod.terminating;
    const version = isSame ? this.#version : this.#version + 1;
    this.forget(pod.key);
    this.nominate(pod, undefined);
    this.#version = version;
    const load = this.#load(nodeName);
    load.add(pod);
    this.#full.forget(load);
    this.#nodeOf.set(pod.key, nodeName);
    this.#count(pod, nodeName, 1);
  }

  /** Removes a pod from its node. @returns the pod and its node's name; undefined if it was on none */
  forget(key: string): { readonly pod: PodInfo; readonly nodeName: string } | undefined {
    const nodeName = this.#nodeOf.get(key);
    const load = nodeName === undefined ? undefined : this.#loads.get(nodeName);
    const pod = load?.pods.get(key);
    if (nodeName === undefined || load === undefined || pod === undefined) return undefined;
    this.#version += 1;
    this.#nodeOf.delete(key);
    load.remove(pod);
    this.#full.forget(load);
    if (load.pods.size === 0 && !this.#nodes.has(nodeName)) this.#loads.delete(nodeName);
    this.#count(pod, nodeName, -1);
    return { pod, nodeName };
  }

  /** Reserves room on a node for a pod that others are evicted for; without a node, releases it. */
  nominate(pod: PodInfo, nodeName: string | undefined): void {
    const before = this.#nominationOf.get(pod.key);
    if (before !== undefined && before !== nodeName) {
      const pods = this.#nominated.get(before);
      pods?.delete(pod.key);
      if (pods?.size === 0) this.#nominated.delete(before);
      this.#nominationOf.delete(pod.key);
    }
    if (nodeName === undefined) return;
    let pods = this.#nominated.get(nodeName);
    if (pods === undefined) this.#nominated.set(nodeName, (pods = new Map<string, PodInfo>()));
    pods.set(pod.key, pod);
    this.#nominationOf.set(pod.key, nodeName);
  }

  nominationOf(key: string): string | undefined {
    return this.#nominationOf.get(key);
  }

  #load(nodeName: string): NodeLoad {
    let load = this.#loads.get(nodeName);
    if (load === undefined) this.#loads.set(nodeName, (load = new NodeLoad()));
    return load;
  }

  #count(pod: PodInfo, nodeName: string, delta: 1 | -1): void {
    let group = this.#groups.get(pod.groupKey);
    if (group === undefined) this.#groups.set(pod.groupKey, (group = groupOf(pod)));
    const { total, terminating } = group.counts.get(nodeName) ?? { total: 0, terminating: 0 };
    if (!pod.terminating) for (const [key, sums] of group.sums) add(sums, this.#nodes.get(nodeName)?.labels[key], delta);
    if (total + delta > 0) {
      group.counts.set(nodeName, { total: total + delta, terminating: terminating + (pod.terminating ? delta : 0) });
      return;
    }
    group.counts.delete(nodeName);
    if (group.counts.size === 0) this.#groups.delete(pod.groupKey);
  }

  /** After a change of a node with pods: the sums by keys of which it has another value now. */
  #dropSums(before: NodeInfo | undefined, after: NodeInfo | undefined): void {
    for (const { sums } of this.#groups.values()) {
      for (const key of sums.keys()) if (before?.labels[key] !== after?.labels[key]) sums.delete(key);
    }
  }
}

function groupOf({ namespace, labels, affinity }: PodInfo): Group {
  const { required, requiredAnti, preferred, preferredAnti } = affinity;
  const hasAffinity = required.length + requiredAnti.length + preferred.length + preferredAnti.length > 0;
  return { namespace, labels, affinity, hasAffinity, counts: new Map(), sums: new Map() };
}

function add(sums: Map<string, number>, domain: string | undefined, count: number): void {
  if (domain !== undefined) sums.set(domain, (sums.get(domain) ?? 0) + count);
}

/** @param nodes in the order in which they were created */
function imagesOn(nodes: Iterable<NodeInfo>): ReadonlyMap<string, NodeImage> {
  const found = new Map<string, NodeImage>();
  for (const { node } of nodes) {
    const here = new Map((node.status?.images ?? []).flatMap(({ names, sizeBytes }) => names.map((name) => [name, sizeBytes] as const)));
    for (const [name, sizeBytes] of here) {
      const before = found.get(name);
      found.set(name, before === undefined ? { sizeBytes, nodes: 1 } : { ...before, nodes: before.nodes + 1 });
    }
  }
  return found;
}
