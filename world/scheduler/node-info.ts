import type { Node, Taint } from '../../model/kube.ts';
import { parseResources } from '../../model/resources.ts';
import type { Resources } from '../../model/resources.ts';
import type { Labels } from '../../model/selector.ts';
import type { PodInfo } from './pod-info.ts';
import type { Rejection } from './rejection.ts';

/** A node with the pods that are bound to it or assumed to be. */
export interface NodeInfo {
  readonly node: Node;
  readonly name: string;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly allocatable: Resources;
  readonly load: NodeLoad;
}

/** What follows from a node with its pods for all pods of a kind. */
interface KnownOfKind {
  readonly kind: number;
  readonly node: NodeInfo;
  /** Why they can't go there, other pods' constraints aside. */
  readonly rejection: Rejection | undefined;
  scores: OwnScores | undefined;
}

/** The scores that don't depend on other nodes. */
export interface OwnScores {
  /** PreferNoSchedule taints that the pod doesn't tolerate. */
  readonly disliked: number;
  /** The weights of the preferred terms that the node meets. */
  readonly preferred: number;
  /** The weighted sum of how free the node is and how balanced. */
  readonly room: number;
  /** The images of the pod, one for each container, that the node has. */
  readonly images: readonly string[];
}

/** What the pods of a node use in total. */
export class NodeLoad {
  /** By key. */
  readonly pods = new Map<string, PodInfo>();
  /** What is known about the node and a kind of pods; forgotten when the load changes. */
  known: KnownOfKind | undefined;
  /** Index of the node in the order in which nodes are examined, as of the last look at that order. */
  place = 0;
  #lowestPriority: number | undefined;
  readonly #requested: Record<string, number> = {};
  readonly #assumed: Record<string, number> = {};

  /** Of its pods; infinite without any. */
  get lowestPriority(): number {
    if (this.#lowestPriority === undefined) {
      let lowest = Number.POSITIVE_INFINITY;
      for (const { priority } of this.pods.values()) lowest = Math.min(lowest, priority);
      this.#lowestPriority = lowest;
    }
    return this.#lowestPriority;
  }

  requested(resource: string): number {
    return this.#requested[resource] ?? 0;
  }

  /** With a default for each container without a request. */
  assumed(resource: string): number {
    return this.#assumed[resource] ?? 0;
  }

  add(pod: PodInfo): void {
    this.known = undefined;
    this.#lowestPriority = undefined;
    this.pods.set(pod.key, pod);
    change(this.#requested, pod.requests, 1);
    change(this.#assumed, pod.assumed, 1);
  }

  remove(pod: PodInfo): void {
    if (!this.pods.delete(pod.key)) return;
    this.known = undefined;
    this.#lowestPriority = undefined;
    change(this.#requested, pod.requests, -1);
    change(this.#assumed, pod.assumed, -1);
  }

  copy(): NodeLoad {
    const copy = new NodeLoad();
    for (const pod of this.pods.values()) copy.add(pod);
    return copy;
  }
}

function change(sums: Record<string, number>, amounts: Resources, factor: 1 | -1): void {
  for (const name in amounts) sums[name] = (sums[name] ?? 0) + factor * (amounts[name] ?? 0);
}

/** @throws QuantityError for an invalid quantity in allocatable */
export function nodeInfo(node: Node, load: NodeLoad): NodeInfo {
  return {
    node,
    name: node.metadata.name ?? '',
    labels: node.metadata.labels ?? {},
    taints: node.spec?.taints ?? [],
    allocatable: parseResources(node.status?.allocatable),
    load,
  };
}
