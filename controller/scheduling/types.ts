import type { Offering } from '../../model/catalogue.ts';
import type { NodeSelectorTerm, Pod, Taint } from '../../model/kube.ts';
import type { Requirements } from '../../model/requirements.ts';
import type { Resources } from '../../model/resources.ts';
import type { Labels } from '../../model/selector.ts';
import type { PoolRequirement } from '../api.ts';
import type { NodeType } from '../capacity/instance-types.ts';
import type { HostPort } from './host-ports.ts';
import type { MinimumValues } from './minimum-values.ts';

/** One possible type and offering of a pool's new node. */
export interface Option {
  readonly type: NodeType;
  readonly offering: Offering;
  readonly usdPerHour: number;
  /** Labels of the node, except its hostname. */
  readonly labels: Labels;
  /** What is left for other pods after DaemonSets. Equal options share the same object. */
  readonly room: Resources;
  /** Of a probe: when it was last refused, by the monotonic clock in ms, 0 if never. Those that were not for longest go first. */
  readonly refusedAtMs?: number;
}

/** A pool, with all options of its new nodes. */
export interface PoolOptions {
  readonly name: string;
  readonly weight: number;
  readonly taints: readonly Taint[];
  /** Those with capacity, as far as known. */
  readonly options: readonly Option[];
  /** Those that the pool allows but that have no capacity now: to distinguish "never" from "not now". */
  readonly unavailable: readonly Option[];
  /** Those of the unavailable ones that may be tried now for pods that nothing else can serve: it is only doubtful that they have none. */
  readonly probes: readonly Option[];
  /** Host ports that DaemonSets use on each node. */
  readonly hostPorts: readonly HostPort[];
  /** The user's own labels whose value the pool leaves open: pods that require one decide it. */
  readonly open: Requirements;
  /** The minimum choice of each launch. */
  readonly minimums: MinimumValues;
  /** What may still be added; resources without a limit are absent. `nodes` counts nodes. */
  readonly remaining: Resources;
}

/** An existing node, or one in progress. */
export interface NodeCandidate {
  /** Of the Node, or of the claim if there is no Node yet. */
  readonly name: string;
  /** The name of its claim; absent for a node of others. */
  readonly claim?: string;
  /** All label sets that it may turn out to have: one for a real node, more for a claim without an instance. */
  readonly variants: readonly Labels[];
  readonly taints: readonly Taint[];
  readonly free: Resources;
  /** Host ports in use. */
  readonly hostPorts: readonly HostPort[];
  /** Whether new pods may be nominated to it; nodes that are being removed only count for topology. */
  readonly accepting: boolean;
  /** Pods bound to it that are not terminating. */
  readonly pods: readonly Pod[];
}

/** A pod that needs a node. */
export interface PodToPlace extends Pod {
  /**
   * Where its volumes are or can be created: alternatives, anywhere if there are none. They are not part of its node affinity, since
   * the scheduler does not ask them which nodes count for a spread.
   */
  readonly volumeTerms?: readonly NodeSelectorTerm[];
}

/** All inputs of a plan. */
export interface SchedulingInput {
  readonly pods: readonly PodToPlace[];
  readonly nodes: readonly NodeCandidate[];
  readonly pools: readonly PoolOptions[];
  /** Labels of namespaces by name, for namespace selectors. */
  readonly namespaces: ReadonlyMap<string, Labels>;
  /** Where the last plan put pods, by their uid: the name of a node or of a claim. They keep that place if they still fit. */
  readonly places?: ReadonlyMap<string, string>;
  /** If given, one node may be a probe. From plan to plan it counts up, so that each class of pods has its turn. */
  readonly probeTurn?: number;
}

/** A node to launch. */
export interface PlannedNode {
  readonly pool: string;
  readonly requirements: readonly PoolRequirement[];
  /** Values of labels that its pool left open. */
  readonly labels: Labels;
  /** Of its pods and of DaemonSets. */
  readonly requests: Resources;
  readonly pods: readonly Pod[];
}

/** A pod that no existing or new node can take, and why. */
export interface Refusal {
  readonly pod: Pod;
  readonly reason: string;
}

/** What to do about the pending pods. */
export interface Plan {
  readonly launches: readonly PlannedNode[];
  /** Pods that fit on existing nodes or those in progress, by the node's name. */
  readonly nominations: ReadonlyMap<string, readonly Pod[]>;
  readonly refusals: readonly Refusal[];
}

/** The part that decides which nodes the pending pods need. Pure. */
export interface Simulator {
  simulate(input: SchedulingInput): Plan;
}

/** The part that sorts out invalid pods. */
export interface PodValidator {
  /** The problem of a pod, with the field; undefined if there is none. Never throws. */
  problem(pod: Pod): string | undefined;
}
