import type { KubeObject, LabelSelector, ObjectMeta } from '../model/kube.ts';
import type { CapacityType, OfferingSelector } from '../model/catalogue.ts';

/** Where an object lies. `namespace` only for namespaced resources. */
export interface ObjectRef {
  /** Plural resource name, e.g. `pods`, `nodeclaims`. */
  readonly resource: string;
  readonly namespace?: string;
  readonly name: string;
}

/** One change of an object, as a watch delivers it. */
export interface ObjectChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
}

/** Why the cluster refused: the API's own status code and reason. */
export class ClusterError extends Error {
  readonly status: number;
  readonly reason: string;
  constructor(status: number, reason: string, message: string) {
    super(message);
    this.name = 'ClusterError';
    this.status = status;
    this.reason = reason;
  }
}

/**
 * What the world's own parts (scheduler, workload controllers, kubelets, cloud controller, scenarios) need of a
 * cluster. Opened for one principal. The embedded world serves it straight from the store, without codecs; a real
 * cluster by a client. Objects returned are the caller's own copies unless said to be read-only.
 * Every method rejects with a ClusterError where the API would refuse.
 */
export interface ClusterPort {
  /** Read-only. */
  get<T extends KubeObject>(ref: ObjectRef): Promise<T | undefined>;
  /** Read-only objects, in the order of their names. */
  list<T extends KubeObject>(resource: string, filter?: { namespace?: string; labels?: LabelSelector }): Promise<T[]>;
  create<T extends KubeObject>(resource: string, object: T & { metadata: ObjectMeta }): Promise<T>;
  /** JSON merge patch (RFC 7386) of the object or of a subresource. */
  patch<T extends KubeObject>(ref: ObjectRef, patch: object, subresource?: 'status'): Promise<T>;
  delete(ref: ObjectRef, options?: { gracePeriodSeconds?: number; uid?: string }): Promise<void>;
  /** The binding subresource. */
  bind(pod: ObjectRef, nodeName: string): Promise<void>;
  /**
   * Calls `onChange` for each existing object (as ADDED) and then for each change, in order, a watch's delay after it
   * happened, until `signal` is aborted.
   */
  watch<T extends KubeObject>(
    resource: string,
    signal: AbortSignal,
    onChange: (change: { type: ObjectChange['type']; object: T }) => void,
  ): void;
}

/** An instance as the world's parts see it. */
export interface Instance {
  readonly id: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: CapacityType;
  readonly state: 'pending' | 'running' | 'shutting-down' | 'terminated' | 'stopping' | 'stopped';
  readonly privateIp: string;
  readonly launchedAtMs: number;
  readonly tags: Readonly<Record<string, string>>;
  /** Decoded user data of its launch template: how a node learns labels, taints and cluster. */
  readonly userData: string;
  readonly usdPerHour: number;
}

/** The world's own view of its instances, always fresh. */
export interface InstancePort {
  get(id: string): Instance | undefined;
  list(): readonly Instance[];
  /** Called at each change of state, synchronously, after it happened. */
  onChange(listener: (instance: Instance) => void): () => void;
  /** Ends an instance behind everybody's back. */
  end(id: string, reason: string): void;
}

/** How sparse the errors of a fleet are: EC2 mostly names one pool of the many that were asked for. */
export type FleetErrorNaming = 'one' | 'tried' | 'all' | 'unnamed';

/** Undoes what a fault did, completely. Called once. */
export type Heal = () => void | Promise<void>;

/** Sets how much capacity offerings have. Capability `capacity.set`. */
export interface CapacityPort {
  /**
   * Leaves at most `remaining` further instances in each selected offering, until undone. `fired` is told whenever a
   * launch was refused or diverted by it, with the span of the request.
   */
  limit(limit: {
    readonly selector: OfferingSelector;
    readonly remaining: number;
    readonly naming: FleetErrorNaming;
    readonly fired: (span: number) => void;
  }): Heal | Promise<Heal>;
}

/** What faults may do to the world besides the wires. */
export interface FaultPorts {
  readonly capacity: CapacityPort;
  readonly instances: InstancePort;
}
