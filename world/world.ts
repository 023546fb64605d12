import type { Capability } from '../history/capabilities.ts';
import type { Recorder } from '../history/events.ts';
import type { InstanceType, Pool } from '../model/catalogue.ts';
import type { ClusterConfig } from '../model/cluster.ts';
import type { Principal } from '../model/operation.ts';
import type { ClockScope, Timeline } from '../runtime/clock.ts';
import type { Random } from '../runtime/random.ts';
import type { ArmInjection } from '../wire/effects.ts';
import type { Wire } from '../wire/wire.ts';
import type { ClusterPort, FaultPorts } from './ports.ts';

/** The two wires of an incarnation of a principal. */
export interface Wires {
  readonly kube: Wire;
  readonly aws: Wire;
  /** Breaks every connection, as happens to a process's sockets when it dies. */
  close(): void;
}

/**
 * A world: where a target runs and faults are injected. A scenario never knows which one.
 *
 * `allowances` are the world's named delays from which bounds are computed, in milliseconds (see `harness/bounds.ts`):
 * `apiMs` one request, `watchMs` delivery of one change, `bootMs` launch to running and kubelet started, `registerMs`
 * kubelet start to Node created, `readyMs` Node created to Ready, `devicesMs` Ready to the report of its devices, `bindMs` scheduler decision and binding, `podStartMs`
 * bound to Running, `instanceEndMs` terminate request to terminated, `nodeGoneMs` instance gone to Node removed by the
 * cloud controller, `podEndMs` deletion to gone on a live node (without its grace period).
 */
export interface World {
  readonly name: string;
  readonly capabilities: readonly Capability[];
  readonly allowances: Readonly<Record<AllowanceName, number>>;
  readonly cluster: ClusterConfig;
  /** The instance types on offer, by name. */
  readonly instanceTypes: ReadonlyMap<string, InstanceType>;
  readonly timeline: Timeline;
  /** Starts the world's parts. */
  start(): Promise<void>;
  /** Stops the parts, and everything that was started on the machine. */
  stop(): Promise<void>;
  /** Opens both wires for a principal; `scope` is the clock of the incarnation that will use them. */
  open(principal: Principal, incarnation: number, scope: ClockScope): Wires;
  /** A narrow port to the cluster for a part of the world or for the scenario. */
  port(principal: Principal): ClusterPort;
  /** Arms an injection at the gate of every wire. */
  readonly arm: ArmInjection;
  readonly ports: FaultPorts;
  /**
   * A scenario's pool as the target should see it, if others have pools too; by default unchanged.
   * @param features of the target
   */
  readonly poolFor?: (pool: Pool, features: readonly string[]) => Pool;
  /** Removes what an aborted trial created, if that does not disappear with the world. */
  readonly clean?: () => Promise<void>;
}

export type AllowanceName =
  | 'apiMs'
  | 'watchMs'
  | 'bootMs'
  | 'registerMs'
  | 'readyMs'
  | 'devicesMs'
  | 'bindMs'
  | 'podStartMs'
  | 'instanceEndMs'
  | 'nodeGoneMs'
  | 'podEndMs';

/** What a world is built from. */
export interface WorldSite {
  readonly timeline: Timeline;
  readonly random: Random;
  readonly recorder: Recorder;
  /** Called when a fault kills the caller of a request. */
  readonly onKill: (principal: Principal, incarnation: number, reason: string) => void;
  /** Called when a part of the world fails as no real part would: the trial is unknown. */
  readonly onFailure: (error: Error) => void;
  /** Most requests of the target in one trial, over its wires and incarnations; by default enough for a small cluster. */
  readonly maxRequests?: number;
  /** Called when the target sends more requests than any autoscaler would. */
  readonly onFlood: (message: string) => void;
}
