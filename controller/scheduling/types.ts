import type { Offering } from '../../model/catalogue.ts';
import type { Pod, Taint } from '../../model/kube.ts';
import type { Requirements } from '../../model/requirements.ts';
import type { Resources } from '../../model/resources.ts';
import type { Labels } from '../../model/selector.ts';
import type { PoolRequirement } from '../api.ts';
import type { NodeType } from '../capacity/instance-types.ts';
import type { HostPort } from './host-ports.ts';
import type { MinimumValues } from './minimum-values.ts';

/** One thing that a new node of a pool may become. */
export interface Option {
  readonly type: NodeType;
  readonly offering: Offering;
  readonly usdPerHour: number;
  /** Labels of the node, but for its hostname. */
  readonly labels: Labels;
  /** What is left for other pods once those of DaemonSets have taken theirs. The same object for options that are alike. */
  readonly room: Resources;
}

/** A pool, with all that its nodes may become now. */
export interface PoolOptions {
  readonly name: string;
  readonly weight: number;
  readonly taints: readonly Taint[];
  /** Those with capacity, as far as is known. */
  readonly options: readonly Option[];
  /** Those that the pool allows but that have no capacity now: to tell "never" from "not now". */
  readonly unavailable: readonly Option[];
  /** Host ports that DaemonSets take of each node. */
  readonly hostPorts: readonly HostPort[];
  /** Labels of the user's own of which the pool leaves the value open: pods that ask for one decide it. */
  readonly open: Requirements;
  /** What each launch must have the choice of. */
  readonly minimums: MinimumValues;
  /** What may still be added; absent resources are without a limit. `nodes` counts nodes. */
  readonly remaining: Resources;
}

/** A node that is there or on its way. */
export interface NodeCandidate {
  /** Of the Node, or of the claim while there is no Node. */
  readonly name: string;
  /** All label sets that it may turn out to have: one for a real node, more for a claim that has no instance yet. */
  readonly variants: readonly Labels[];
  readonly taints: readonly Taint[];
  readonly free: Resources;
  /** Host ports that are taken. */
  readonly hostPorts: readonly HostPort[];
  /** Whether new pods may be planned onto it; nodes that are leaving only count for topology. */
  readonly accepting: boolean;
  /** Pods bound to it that are not terminating. */
  readonly pods: readonly Pod[];
}

/** Everything that a plan depends on. */
export interface SchedulingInput {
  /** Pods that need a place: their volumes' zones stand in their node affinity. */
  readonly pods: readonly Pod[];
  readonly nodes: readonly NodeCandidate[];
  readonly pools: readonly PoolOptions[];
  /** Labels of namespaces by name, for selectors of namespaces. */
  readonly namespaces: ReadonlyMap<string, Labels>;
}

/** A node to be launched. */
export interface PlannedNode {
  readonly pool: string;
  readonly requirements: readonly PoolRequirement[];
  /** Values of labels that its pool left open. */
  readonly labels: Labels;
  /** Of its pods and of DaemonSets. */
  readonly requests: Resources;
  readonly pods: readonly Pod[];
}

/** A pod that no node, there or to be launched, can take, and why. */
export interface Refusal {
  readonly pod: Pod;
  readonly reason: string;
}

/** What to do about the pending pods. */
export interface Plan {
  readonly launches: readonly PlannedNode[];
  /** Pods that fit on nodes that are there or on their way, by the node's name. */
  readonly nominations: ReadonlyMap<string, readonly Pod[]>;
  readonly refusals: readonly Refusal[];
}

/** The part that decides which nodes the pending pods need. Pure. */
export interface Simulator {
  simulate(input: SchedulingInput): Plan;
}

/** The part that tells pods that can't be acted on from the others. */
export interface PodValidator {
  /** What is wrong with a pod, naming the field; undefined if nothing is. Never throws. */
  problem(pod: Pod): string | undefined;
}
