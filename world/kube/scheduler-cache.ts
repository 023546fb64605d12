import type { Node, Pod } from '../../model/kube.ts';
import { parseResources, podRequests } from '../../model/resources.ts';
import type { Resources } from '../../model/resources.ts';
import type { Labels } from '../../model/selector.ts';

/** What scheduling asks of a pod, read once. */
export interface PodInfo {
  readonly key: string;
  readonly uid: string;
  readonly namespace: string;
  readonly labels: Labels;
  readonly requests: Resources;
  readonly terminating: boolean;
  /** Uid of the controller that owns it. */
  readonly owner: string | undefined;
}

/** A node and the pods that are bound to it or assumed to be. */
export interface NodeInfo {
  readonly node: Node;
  readonly name: string;
  readonly labels: Labels;
  readonly allocatable: Resources;
  /** What its pods request together. */
  readonly used: Readonly<Record<string, number>>;
  readonly pods: ReadonlyMap<string, PodInfo>;
}

interface Slot {
  info: Omit<NodeInfo, 'used' | 'pods'> | undefined;
  readonly used: Record<string, number>;
  readonly pods: Map<string, PodInfo>;
}

export function keyOf({ metadata }: Pod): string {
  return `${metadata.namespace}/${metadata.name}`;
}

export function podInfo(pod: Pod): PodInfo {
  return {
    key: keyOf(pod),
    uid: pod.metadata.uid ?? '',
    namespace: pod.metadata.namespace ?? 'default',
    labels: pod.metadata.labels ?? {},
    requests: podRequests(pod.spec),
    terminating: pod.metadata.deletionTimestamp !== undefined,
    owner: pod.metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid,
  };
}

/** The scheduler's picture of the cluster: what watches told it, and its own decisions that they haven't told it yet. */
export class SchedulerCache {
  readonly #slots = new Map<string, Slot>();
  readonly #nodeOf = new Map<string, string>();
  #sorted: readonly NodeInfo[] | undefined;

  /** The nodes that exist, by name. */
  nodes(): readonly NodeInfo[] {
    this.#sorted ??= [...this.#slots.values()]
      .flatMap(({ info, used, pods }) => (info === undefined ? [] : [{ ...info, used, pods }]))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    return this.#sorted;
  }

  node(name: string): NodeInfo | undefined {
    return this.nodes().find((node) => node.name === name);
  }

  setNode(node: Node): void {
    const name = node.metadata.name ?? '';
    const allocatable = parseResources(node.status?.allocatable);
    this.#slot(name).info = { node, name, labels: node.metadata.labels ?? {}, allocatable };
    this.#sorted = undefined;
  }

  /** Its pods stay known, for a node of that name may come again. */
  removeNode(name: string): void {
    const slot = this.#slot(name);
    slot.info = undefined;
    if (slot.pods.size === 0) this.#slots.delete(name);
    this.#sorted = undefined;
  }

  has(key: string): boolean {
    return this.#nodeOf.has(key);
  }

  /** Puts a pod on a node, for a decision just made or one that a watch tells of. */
  assign(pod: PodInfo, nodeName: string): void {
    this.forget(pod.key);
    const slot = this.#slot(nodeName);
    slot.pods.set(pod.key, pod);
    this.#nodeOf.set(pod.key, nodeName);
    for (const [name, amount] of Object.entries(pod.requests)) slot.used[name] = (slot.used[name] ?? 0) + amount;
  }

  /** Takes a pod off its node. @returns the node's name, undefined if it was on none */
  forget(key: string): string | undefined {
    const nodeName = this.#nodeOf.get(key);
    if (nodeName === undefined) return undefined;
    this.#nodeOf.delete(key);
    const slot = this.#slot(nodeName);
    const pod = slot.pods.get(key);
    slot.pods.delete(key);
    for (const [name, amount] of Object.entries(pod?.requests ?? {})) slot.used[name] = (slot.used[name] ?? 0) - amount;
    if (slot.pods.size === 0 && slot.info === undefined) this.#slots.delete(nodeName);
    return nodeName;
  }

  #slot(name: string): Slot {
    const known = this.#slots.get(name);
    if (known !== undefined) return known;
    const slot: Slot = { info: undefined, used: {}, pods: new Map() };
    this.#slots.set(name, slot);
    return slot;
  }
}
