import type { Cluster } from './cluster.ts';
import { namedNodes, rejectionByNode, suitsNode } from './node-filters.ts';
import type { NodeInfo, OwnScores } from './node-info.ts';
import { RequiredAffinity } from './pod-affinity.ts';
import type { PodInfo } from './pod-info.ts';
import { unresolvable } from './rejection.ts';
import type { Rejection } from './rejection.ts';
import { hardSpreads } from './spread.ts';
import type { HardSpread, Suits } from './spread.ts';
import { VolumeFilters } from './volume-filters.ts';
import { claimsOfPod } from './volumes.ts';
import type { ClaimsOfPod } from './volumes.ts';

const NO_CLAIMS: ClaimsOfPod = { bound: [], unbound: [] };

/** One attempt to place a pod: the counts shared by all nodes, and the filters that use them. */
export class Cycle {
  readonly pod: PodInfo;
  readonly cluster: Cluster;
  /** The nodes that the pod names; undefined if it may go to any. */
  readonly named: ReadonlySet<string> | undefined;
  readonly claims: ClaimsOfPod;
  readonly suits: Suits;
  /** Equal for pods that no node alone can tell apart; undefined if nothing is remembered. */
  readonly kind: number | undefined;
  readonly #spreads: readonly HardSpread[];
  readonly #affinity: RequiredAffinity;
  readonly #volumes: VolumeFilters | undefined;

  private constructor(pod: PodInfo, cluster: Cluster, claims: ClaimsOfPod, kind: number | undefined) {
    const suiting = new Map<NodeInfo, boolean>();
    this.kind = kind;
    this.pod = pod;
    this.cluster = cluster;
    this.named = namedNodes(pod);
    this.claims = claims;
    this.suits = (node) => {
      let suits = suiting.get(node);
      if (suits === undefined) suiting.set(node, (suits = suitsNode(pod, node)));
      return suits;
    };
    this.#spreads = hardSpreads(pod, cluster, this.suits);
    this.#affinity = new RequiredAffinity(pod, cluster);
    this.#volumes = pod.volumes.length > 0 ? new VolumeFilters(pod, claims, cluster) : undefined;
  }

  /**
   * Computes the counts (PreFilter).
   * @param kind equal for pods that no node alone can tell apart; undefined if nothing is to be remembered
   * @returns a rejection if the pod can't go to any node
   */
  static start(pod: PodInfo, cluster: Cluster, kind: number | undefined): Cycle | Rejection {
    if (namedNodes(pod)?.size === 0) return unresolvable('NodeAffinity', 'pod affinity terms conflict');
    const claims = pod.volumes.length > 0 ? claimsOfPod(pod, cluster.objects) : NO_CLAIMS;
    return 'plugin' in claims ? claims : new Cycle(pod, cluster, claims, kind);
  }

  /** Why the pod can't go to a node in its current state, ignoring nominations. */
  rejection(node: NodeInfo): Rejection | undefined {
    const alone = this.#rejectionAlone(node) ?? this.#volumes?.rejection(node);
    if (alone !== undefined) return alone;
    for (const spread of this.#spreads) {
      const rejection = spread.rejection(node);
      if (rejection !== undefined) return rejection;
    }
    return this.#affinity.rejection(node);
  }

  /** `rejectionByNode`, which is asked about each node for each of thousands of like pods. */
  #rejectionAlone(node: NodeInfo): Rejection | undefined {
    const { load } = node;
    if (this.kind === undefined) return rejectionByNode(this.pod, node);
    if (load.known?.kind !== this.kind || load.known.node !== node) {
      load.known = { kind: this.kind, node, rejection: rejectionByNode(this.pod, node), scores: undefined };
    }
    return load.known.rejection;
  }

  /** Whether a node in its current state is known to refuse all pods of the kind, whatever is elsewhere. */
  isKnownFull(node: NodeInfo): boolean {
    const { known } = node.load;
    return known?.rejection !== undefined && known.kind === this.kind && known.node === node;
  }

  /** Scores of a node by itself. @param compute if they are not known */
  ownScores(node: NodeInfo, compute: (pod: PodInfo, node: NodeInfo) => OwnScores): OwnScores {
    const { known } = node.load;
    if (known === undefined || known.kind !== this.kind || known.node !== node) return compute(this.pod, node);
    return (known.scores ??= compute(this.pod, node));
  }

  /**
   * The same with nominated pods, like `RunFilterPluginsWithNominatedPods`: the pod must fit both beside and without the pods
   * of the same or higher priority that others were evicted for.
   */
  rejectionBesideNominated(node: NodeInfo): Rejection | undefined {
    const nominated = this.cluster.nominated(node.name);
    if (nominated.length === 0) return this.rejection(node);
    const others = nominated.filter(({ priority, uid }) => priority >= this.pod.priority && uid !== this.pod.uid);
    if (others.length === 0) return this.rejection(node);
    const load = node.load.copy();
    const crowded = { ...node, load };
    for (const other of others) this.move(other, crowded, 1);
    const rejection = this.rejection(crowded);
    for (const other of others) this.move(other, crowded, -1);
    return rejection ?? this.rejection(node);
  }

  /** Adds a pod to a node, or removes it, for what follows: in the node's load and in all counts. */
  move(other: PodInfo, node: NodeInfo, delta: 1 | -1): void {
    if (delta === 1) node.load.add(other);
    else node.load.remove(other);
    for (const spread of this.#spreads) spread.adjust(other, node, delta);
    this.#affinity.adjust(other, node, delta);
    this.#volumes?.adjust(other, delta);
  }
}
