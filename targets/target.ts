import type { ServiceAccountName } from '../model/service-account.ts';
import type { MemoryKind } from '../history/usage.ts';
import type { Pool } from '../model/catalogue.ts';
import type { ClusterConfig } from '../model/cluster.ts';
import type { ProgramEnvironment } from '../model/program-environment.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { Wire } from '../wire/wire.ts';
import type { TargetProgram } from './go/target-program.ts';

/**
 * Periods and time-outs that a target declares, in milliseconds unless the name says otherwise. Bounds are derived from them, so
 * a slow target gets generous bounds, which are printed with every verdict.
 */
export interface TargetConstants {
  /** Longest time from the first pending pod to the decision. */
  readonly batchMaxMs: number;
  /** How often an unserved pod is retried. */
  readonly retryPeriodMs: number;
  /** How long it does not know that a launch has failed for lack of capacity; by default it knows at once, from the answer. */
  readonly launchFailureMs?: number;
  /** A launch that has not completed by then is abandoned. */
  readonly launchTimeoutMs: number;
  /** An instance whose node has not registered by then, counted from the launch, is abandoned and terminated. */
  readonly registrationTimeoutMs: number;
  /** An instance without an owner is found and terminated within this time. */
  readonly collectionMs: number;
  /** An empty node is removed after being empty for this long. */
  readonly emptyAfterMs: number;
  /** The part of `emptyAfterMs`, and of `consolidationMs`, that a pool's `consolidateAfterMs` replaces; by default none. */
  readonly consolidateAfterMs?: number;
  /** From the decision to remove a node to the request that terminates its instance, without pods' grace periods. */
  readonly terminationMs: number;
  /** How long an offering without capacity is avoided. */
  readonly unavailableOfferingMs: number;
  /** Most offerings (type x zone) in one launch request. */
  readonly offeringsPerLaunch: number;
  /** With `consolidation`: from the last pod change on a node to the decision that other nodes can replace it. */
  readonly consolidationMs?: number;
  /** With `drift`: from the change of a pool to the decision to replace one of its nodes. */
  readonly driftMs?: number;
}

/**
 * What a target supports beyond the core, which is mandatory. Scenarios name the features that they need.
 * `spot`: uses spot capacity and falls back to on-demand. `interruption`: reads the interruption queue and acts on its
 * messages. `maintenance`: acts on announced host maintenance as soon as it is announced. `weights`: prefers pools with a
 * higher weight. `taints`: pools with taints, including startup taints. `expiry`: replaces nodes at the age that their pool
 * sets. `minimum-values`: launches only with the minimum choice that a pool requires. `termination-grace`: terminates a node
 * that drains for longer than its pool allows. `static-capacity`: keeps the number of nodes that a pool sets. `volumes`:
 * launches where the volumes of pods are, or can be created. `consolidation`: removes nodes whose pods fit elsewhere, or on a
 * cheaper node. `drift`: replaces nodes that no longer match their pool. `disruption-budgets`: disrupts no more nodes at once
 * than their pool allows. `do-not-disrupt`: does not disrupt nodes that opted out, or with a pod that opted out.
 * `node-removal`: removes the Node of a terminated instance, even if the cloud controller does not. `node-limits`: launches no
 * more nodes of a pool than its limit; limits of CPU and memory are mandatory. `spot-consolidation`: replaces a spot node by a
 * cheaper spot node. `node-settings`: passes kubelet settings and labels of a pool's nodes on to their user data, and plans with
 * the kubelet settings. `node-classes`: applies the EC2NodeClass of a pool as its user wrote it, so that its nodes start with it.
 * `gpus`: launches nodes with NVIDIA GPUs for pods that request them, and waits for the device plugins of these nodes. `pool-removal`:
 * drains and terminates the nodes of a pool that is removed; without it, whoever removes a pool ends its instances. `open-labels`: where a
 * pool requires a label of the user's own without setting its value, gives each node the value that its pods ask for. `drain-order`: asks
 * critical pods, and those of DaemonSets, to leave a node last.
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
  'node-settings',
  'node-classes',
  'gpus',
  'pool-removal',
  'open-labels',
  'drain-order',
] as const;
export type Feature = (typeof FEATURES)[number];

/** What one incarnation of a target gets: two wires, a runtime and its configuration, but nothing else of the world. */
export interface TargetSite {
  readonly runtime: Runtime;
  readonly kube: Wire;
  readonly aws: Wire;
  readonly cluster: ClusterConfig;
  /**
   * Serves both wires on loopback sockets, for a program outside this process. They are closed when the incarnation is over.
   * Absent in virtual time, because such a program can't follow it.
   * @param kubeconfigPath a new file, removed at the end
   * @returns the environment variables with their addresses
   */
  readonly openSockets?: (kubeconfigPath: string, how?: SocketOptions) => Promise<ProgramEnvironment>;
}

/** A listening address. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** How sockets are opened; by default on free loopback ports. */
export interface SocketOptions {
  readonly listen?: { readonly kube: Address; readonly aws: Address };
  /** Called at each request. */
  readonly onRequest?: () => void;
}

/** How an externally run target reaches us. */
export interface ExternalAccess {
  readonly kube: Address;
  readonly aws: Address;
  /** How the target addresses this machine; by default the listening address. */
  readonly host?: string;
  /** How long to wait for its first request. */
  readonly withinMs: number;
}

/** What a target's process has used of the machine. */
export interface ProcessUsage {
  /** Processor time, user and system. */
  readonly cpuMs: number;
  readonly memory: MemoryKind;
  /** The most memory that it has had. */
  readonly peakMiB: number;
}

/** One running incarnation. */
export interface TargetProcess {
  /** Resolves once it would pass its readiness probe. */
  readonly ready: Promise<void>;
  /** Resolves once it waits for a lease that another replica may hold, as one that is Ready. Absent if it elects no leader. */
  readonly standby?: Promise<void>;
  /** Settles when it has ended: resolves if it stopped after `runtime.signal` was aborted; anything else is a finding. */
  readonly done: Promise<void>;
  /**
   * Kills it like SIGKILL; also called when it has already ended. In-process the harness silences clock and wires, so nothing more is
   * needed; a program must be killed.
   * @returns for a program a promise that resolves when nothing is left of it on the machine
   */
  readonly kill?: () => Promise<void> | void;
  /** The blocks of its own code that it has run, by numbers that mean the same in each trial; also asked when it is over. */
  readonly covered?: () => ReadonlySet<number>;
  /**
   * What it has used so far; also asked when it is over. Absent if that can't be told from what the rest of the trial uses, as for a
   * target in TypeScript; undefined if it is not known.
   */
  readonly usage?: () => ProcessUsage | undefined;
  /** How much it holds in memory, without what is only not collected yet, in MiB; undefined if it does not say. Absent if it never does. */
  readonly heapMiB?: () => Promise<number | undefined>;
}

/** How a program failed, in words that complete "it failed:". */
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
  /** `real` for a program outside this process, whose world is then in real time. By default `virtual`. */
  readonly time?: 'virtual' | 'real';
  /** It is run externally: it can't be started or stopped from here. */
  readonly external?: ExternalAccess;
  /**
   * The rights of its requests are those of this service account, whose roles `install` applies. By default it may do everything.
   * Only in the embedded world.
   */
  readonly serviceAccount?: ServiceAccountName;
  /** Its region in the embedded world has only few types besides those that the pools allow: it is slow with many. By default all. */
  readonly smallRegion?: true;
  readonly features: readonly Feature[];
  readonly constants: TargetConstants;
  /**
   * Limit of resident memory, in MiB, for the process of a trial with this target: target, world and history together. By default
   * 1,536. For targets that run in that process and need more, like large WebAssembly modules.
   */
  readonly memoryMiB?: number;
  /**
   * What a trial costs: tenths of a second of processor time, or with `heavy` many seconds. If it is heavy, features that multiply
   * trials by hundreds must be requested explicitly. By default `light`.
   */
  readonly cost?: 'light' | 'heavy';
  /** The compiled program that it runs in a trial's process, which has to be built first. Absent for targets without one. */
  readonly program?: TargetProgram;
  /** It is no autoscaler and has no pools: it is meant to run beside one, and reads the same queue. */
  readonly helper?: true;
  /** The helper that runs beside it, whose program has to be built, too. */
  readonly withHelper?: Target;
  /** It is replaced by this one during each trial. */
  readonly upgradesTo?: Target;
  /** The one that it is replaced by starts while it still runs, and waits for its lease. */
  readonly handsOver?: true;
  /** Its own resources (plural names), whose objects must be gone once pools and workloads are. */
  readonly resources: readonly string[];
  /** Installs what it needs in a cluster before its first start (CRDs, configuration), as its operator would. */
  install(site: TargetSite): Promise<void>;
  /** Starts one incarnation. Must not block: the work happens in `done`. */
  start(site: TargetSite): TargetProcess;
  /** Translates pools into its own objects and applies them, as its operator would. */
  applyPools(site: TargetSite, pools: readonly Pool[]): Promise<void>;
  /** How many groups these pools become, if they become groups: a launch is of one of them, so they are what may have to be tried. */
  readonly countGroups?: (pools: readonly Pool[]) => number;
  /**
   * Removes pools: everything that the target created for them must then disappear.
   * @param left the remaining pools: objects that they share with the removed ones, such as a node class, stay
   * @param former the same pools as they were before each change: they may have had a node class that they no longer name
   */
  removePools(site: TargetSite, pools: readonly Pool[], left: readonly Pool[], former?: readonly Pool[]): Promise<void>;
  /**
   * The same autoscaler, confined to some pools: another may run in the same cluster. Absent if it can't be confined: two of its
   * kind would fight over one lease and each other's instances.
   * @param pools their names, with `*` and `!` as parsed by `scopeOf` in controller/scope.ts. @throws Error for an invalid name
   */
  readonly confinedTo?: (pools: readonly string[]) => Target;
  /** The same with leader election, so that two can run at once. Absent if they could not tell each other apart. */
  readonly electing?: Target;
}
