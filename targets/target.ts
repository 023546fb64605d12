import type { Pool } from '../model/catalogue.ts';
import type { ClusterConfig } from '../model/cluster.ts';
import type { ProgramEnvironment } from '../model/program-environment.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { Wire } from '../wire/wire.ts';
import type { TargetProgram } from './go/target-program.ts';

/**
 * Periods and time-outs that a target declares of itself, in milliseconds unless named otherwise: bounds are made of
 * them, so a generous target gets generous bounds, printed beside every verdict.
 */
export interface TargetConstants {
  /** From the first pending pod to the decision at the latest. */
  readonly batchMaxMs: number;
  /** How often a pod that could not be served is looked at again. */
  readonly retryPeriodMs: number;
  /** A launch that has not come about by then is given up. */
  readonly launchTimeoutMs: number;
  /** An instance whose node has not registered by then, counted from the launch, is given up and terminated. */
  readonly registrationTimeoutMs: number;
  /** An instance that nobody claims is found and terminated within this time. */
  readonly collectionMs: number;
  /** An empty node is removed when it was empty for so long. */
  readonly emptyAfterMs: number;
  /** From the decision to remove a node to the request that ends its instance, pods' grace periods apart. */
  readonly terminationMs: number;
  /** For how long an offering without capacity is left alone. */
  readonly unavailableOfferingMs: number;
  /** Most offerings (type x zone) in one launch request. */
  readonly offeringsPerLaunch: number;
  /** With `consolidation`: from the last pod that came to a node or left it to the decision that others can stand for it. */
  readonly consolidationMs?: number;
  /** With `drift`: from the change of a pool to the decision to replace a node of it. */
  readonly driftMs?: number;
}

/**
 * What a target can do beyond the core, which can't be declined: scenarios that need more name it.
 * `spot`: buys spot capacity and falls back to on-demand. `interruption`: reads the interruption queue and acts on what
 * it says. `maintenance`: acts on announced maintenance of hosts as soon as it is announced. `weights`: prefers pools of more weight. `taints`: pools with taints, start-up taints among them.
 * `expiry`: replaces nodes of the age that their pool names. `minimum-values`: launches only with the choice that a pool
 * asks for. `termination-grace`: ends a node that drains for longer than its pool allows. `static-capacity`: keeps the number
 * of nodes that a pool names. `volumes`: launches where the volumes of pods are, or can be made.
 * `consolidation`: takes nodes whose pods fit elsewhere, or on a cheaper one. `drift`: replaces nodes that are not as their
 * pool says any more. `disruption-budgets`: takes no more nodes at once than their pool allows. `do-not-disrupt`: takes no
 * node with a pod, or of a user, that opted out. `node-removal`: removes the Node of an instance that has ended, also where the
 * cloud controller does not. `node-limits`: launches no more nodes of a pool than its limit names; limits of processors and memory are
 * everybody's. `spot-consolidation`: replaces a spot node by a cheaper spot node.
 */
export const FEATURES = [
  'spot',
  'interruption',
  'maintenance',
  'weights',
  'taints',
  'expiry',
  'minimum-values',
  'termination-grace',
  'static-capacity',
  'volumes',
  'consolidation',
  'drift',
  'disruption-budgets',
  'do-not-disrupt',
  'node-removal',
  'node-limits',
  'spot-consolidation',
] as const;
export type Feature = (typeof FEATURES)[number];

/** What one incarnation of a target gets: two wires, a runtime, its configuration; nothing else of the world. */
export interface TargetSite {
  readonly runtime: Runtime;
  readonly kube: Wire;
  readonly aws: Wire;
  readonly cluster: ClusterConfig;
  /**
   * Serves both wires on loopback sockets, for a program outside this process. They are closed when the incarnation is
   * over. Absent in virtual time, which no such program could know.
   * @param kubeconfigPath a new file, removed at the end
   * @returns the variables that say how they are reached
   */
  readonly openSockets?: (kubeconfigPath: string, how?: SocketOptions) => Promise<ProgramEnvironment>;
}

/** Where something listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** How sockets are opened; by default on free ports of loopback. */
export interface SocketOptions {
  readonly listen?: { readonly kube: Address; readonly aws: Address };
  /** Called at each request. */
  readonly onRequest?: () => void;
}

/** How a target that somebody else runs comes to us. */
export interface ExternalAccess {
  readonly kube: Address;
  readonly aws: Address;
  /** How the target names this machine; by default what is listened on. */
  readonly host?: string;
  /** How long its first request is waited for. */
  readonly withinMs: number;
}

/** One running incarnation. */
export interface TargetProcess {
  /** Resolves once it would pass its readiness probe. */
  readonly ready: Promise<void>;
  /** Settles when it ended: resolves after `runtime.signal` was aborted and it stopped; anything else is an exit that is counted against it. */
  readonly done: Promise<void>;
  /**
   * Ends it as SIGKILL would; also called when it has ended. In process the harness silences clock and wires and nothing
   * more is needed; a program must be killed.
   * @returns for a program a promise that resolves when nothing is left of it on the machine
   */
  readonly kill?: () => Promise<void> | void;
}

/** How a program ended that should not have, in words that complete "it failed:". */
export class ProgramError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ProgramError';
  }
}

/** An autoscaler under test. */
export interface Target {
  readonly name: string;
  readonly summary: string;
  /** `real` for one that is a program outside this process: its world is in real time then. By default `virtual`. */
  readonly time?: 'virtual' | 'real';
  /** Somebody else runs it: it can be neither started nor ended from here. */
  readonly external?: ExternalAccess;
  /** Its region in the embedded world has few instance types beside those that the pools allow: it computes long on each. By default all. */
  readonly smallRegion?: true;
  readonly features: readonly Feature[];
  readonly constants: TargetConstants;
  /**
   * Most resident memory, in MiB, that the process of a trial may take with this target: itself, the world and the history
   * together. By default 1,536. For targets that run in that process and need more, as large WebAssembly modules do.
   */
  readonly memoryMiB?: number;
  /**
   * What a trial costs: tenths of a second of processor time, or with `heavy` many seconds. Where it is heavy, what multiplies trials by
   * hundreds has to be asked for. By default `light`.
   */
  readonly cost?: 'light' | 'heavy';
  /** The compiled program that it runs in a trial's process, which has to be built beforehand. Absent for targets without one. */
  readonly program?: TargetProgram;
  /** Resources of its own (plural names) whose objects must be gone when pools and workloads are. */
  readonly resources: readonly string[];
  /** Installs what it needs in a cluster before its first start (CRDs, configuration), as its operator would. */
  install(site: TargetSite): Promise<void>;
  /** Starts one incarnation. Must not block: work begins in `done`. */
  start(site: TargetSite): TargetProcess;
  /** Translates pools into its own objects and applies them, as its operator would. */
  applyPools(site: TargetSite, pools: readonly Pool[]): Promise<void>;
  /**
   * Takes pools away again: everything that the target made for them must then disappear.
   * @param left those that stay: what they share with the others, as a class of nodes, stays with them
   */
  removePools(site: TargetSite, pools: readonly Pool[], left: readonly Pool[]): Promise<void>;
  /**
   * The same autoscaler, confined to some pools: another may be at work beside it in the same cluster. Absent for one that can't
   * be: two of its kind would fight over one lease and each other's machines.
   * @param pools their names, with `*` and `!` as `scopeOf` in controller/scope.ts reads them. @throws Error for what is no name
   */
  readonly confinedTo?: (pools: readonly string[]) => Target;
}
