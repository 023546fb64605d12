import { NOTICE_KINDS } from '../history/events.ts';
import type { KubeObject, LabelSelector, ObjectMeta, Taint } from '../model/kube.ts';
import type { CapacityType, OfferingSelector } from '../model/catalogue.ts';
import type { Principal } from '../model/operation.ts';

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
  /** The eviction subresource: deletes the pod as far as its budget allows. */
  evict(pod: ObjectRef): Promise<void>;
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
  /** By which its node is named. */
  readonly privateDnsName: string;
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

/** The world's own view of launch templates, always fresh. */
export interface LaunchTemplatePort {
  /** In the order of their ids. */
  list(): readonly { readonly id: string; readonly name: string; readonly createdBy: Principal }[];
}

/** Deletes launch templates behind the target's back. Capability `templates.delete`. */
export interface TemplateFaultPort {
  /**
   * Deletes the target's launch templates, those that are there now and those to come, each so long after it was made, at
   * most `count` (none given: all), until undone.
   */
  deleteTemplates(deletion: { readonly count?: number; readonly afterMs: number; readonly fired: (name: string) => void }): Heal;
}

/**
 * How sparse the errors of a fleet are: EC2 mostly names one pool of the many that were asked for. `unfulfillable`: one too,
 * but of what it lacks the error says nothing.
 */
export type FleetErrorNaming = 'one' | 'tried' | 'all' | 'unfulfillable';

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
  /** Refuses launches into each selected offering for another reason, until undone. `fired` is told as above. */
  refuse(refusing: {
    readonly selector: OfferingSelector;
    readonly refusal: { readonly code: string; readonly message: string };
    readonly fired: (span: number) => void;
  }): Heal;
}

/** Takes tokens out of EC2's request buckets. Capability `api.throttle`. */
export interface ThrottlePort {
  /**
   * Gives each of these operations (`ec2:CreateFleet`; `*` for all) a bucket of this size besides its documented ones,
   * until undone. `fired` is told of each request that found it empty.
   */
  limit(limit: {
    readonly operations: readonly string[];
    readonly capacity: number;
    readonly refillPerSecond: number;
    /** What the first request finds in it; by default it is full. */
    readonly tokens?: number;
    readonly fired: (span: number) => void;
  }): Heal;
}

/** The groups of instance families that have a vCPU quota of their own. */
export const QUOTA_GROUPS = ['standard', 'dl', 'f', 'g-vt', 'high-memory', 'hpc', 'inf', 'p', 'trn', 'x'] as const;
export type QuotaGroup = (typeof QUOTA_GROUPS)[number];

/** Sets what the account and its subnets allow. Capability `capacity.quota`. `fired` is told of each launch that was refused. */
export interface QuotaPort {
  /** Lowers vCPU quotas to this value, of the given capacity types and groups (none given: all), until undone. */
  limitVcpus(limit: {
    readonly capacityTypes?: readonly CapacityType[];
    readonly groups?: readonly QuotaGroup[];
    readonly vcpus: number;
    readonly fired: (span: number) => void;
  }): Heal;
  /** Lets at most so many on-demand instances of each of these types run (none given: of every type), until undone. */
  limitInstances(limit: {
    readonly instanceTypes?: readonly string[];
    readonly count: number;
    readonly fired: (span: number) => void;
  }): Heal;
  /** Lets at most so many instances be launched from now on, of whatever type and capacity, until undone. */
  limitLaunches(limit: { readonly count: number; readonly fired: (span: number) => void }): Heal;
  /**
   * Leaves so many free addresses in the subnets of these zones (none given: of all), as if others had taken the rest, those
   * that were never in use first, until undone. An instance that ends gives its own back.
   */
  limitAddresses(limit: {
    readonly zones?: readonly string[];
    readonly remaining: number;
    readonly fired: (span: number) => void;
    /** Told of each instance that got the address which another had before it. */
    readonly reused?: (instance: string, before: string) => void;
  }): Heal;
}

/** What of EC2 can be read late. */
export const STALE_RESOURCES = ['instances', 'launch-templates'] as const;
export type StaleResource = (typeof STALE_RESOURCES)[number];

/** Makes EC2's reads stale. Capability `reads.stale`. */
export interface StaleReadPort {
  /**
   * Lets each change that happens from now on be seen only up to `maxMs` later, until undone: then all is seen as
   * it would have been. What was seen once is never unseen. `fired` is told of each request that read something old.
   */
  delay(delay: {
    readonly resources: readonly StaleResource[];
    readonly maxMs: number;
    /** Requests that change a thing don't know it either before it is seen. */
    readonly mutations: boolean;
    readonly fired: (span: number) => void;
  }): Heal;
}

/** Lets instances fail. Capability `instance.end`. */
export interface InstanceFaultPort {
  /** Lets launches of the selected offerings end as they begin (pending, then terminated), at most `count`, until undone. */
  failLaunches(failure: { readonly selector: OfferingSelector; readonly count: number; readonly fired: (span: number) => void }): Heal;
  /**
   * Ends or stops selected instances behind the target's back, each so long after it is (or was) running, at most `count`,
   * in the order in which they ran, until undone.
   */
  endRunning(ending: {
    readonly selector: OfferingSelector;
    readonly count: number;
    readonly how: 'terminated' | 'stopped';
    readonly afterMs: number;
    readonly fired: () => void;
  }): Heal;
  /** Lets selected instances take so much longer to end, at most `count` (none given: all), until undone: then they end. */
  delayEndings(delay: {
    readonly selector: OfferingSelector;
    readonly count?: number;
    readonly delayMs: number;
    readonly fired: () => void;
  }): Heal;
}

/** What can go wrong with an instance as a node. Shares are of what there would be. */
export type NodeAilment =
  /** The kubelet registers so much later; without a delay never. */
  | { readonly kind: 'late-registration'; readonly delayMs?: number }
  /** The network plugin never gets ready, and so the node neither. */
  | { readonly kind: 'never-ready' }
  /** Once Ready, the container runtime is down and up again, each for half a period, so many times. */
  | { readonly kind: 'flapping'; readonly periodMs: number; readonly times: number }
  /** Somebody else creates the Node object before the kubelet registers. */
  | {
      readonly kind: 'foreign-node';
      readonly labels: Readonly<Record<string, string>>;
      readonly taints: readonly Taint[];
      /** Whether with the instance's provider id. */
      readonly providerId: boolean;
    }
  /** So long after the node was Ready, its kubelet stops, and the instance runs on. */
  | { readonly kind: 'dead-kubelet'; readonly afterMs: number }
  /** So long after the node was Ready, somebody else deletes its Node object. */
  | { readonly kind: 'deleted-node'; readonly afterMs: number }
  /** The agents of its start-up taints look at the node once, so long after it came up, Ready or not, and never again. */
  | { readonly kind: 'startup-agents'; readonly afterMs: number }
  /** The node has so much less than a machine of its type should. */
  | { readonly kind: 'shortfall'; readonly cpu: number; readonly memory: number };

/** Lets nodes go wrong. Capability `boot.delay`. */
export interface NodeFaultPort {
  /**
   * Strikes the first `count` (none given: all) selected instances that come to where it can strike them, each once, until
   * undone. `fired` is told of each by its id.
   */
  arm(fault: {
    readonly selector: OfferingSelector;
    readonly count?: number;
    readonly ailment: NodeAilment;
    readonly fired: (instance: string) => void;
  }): Heal;
}

/** The controllers of nodes in a cloud controller manager. Source: `k8s.io/cloud-provider/names`. */
export const CLOUD_CONTROLLERS = ['cloud-node-controller', 'cloud-node-lifecycle-controller'] as const;
export type CloudControllerName = (typeof CLOUD_CONTROLLERS)[number];

/** Holds up the cloud controller manager. Capability `cloud.hold`. */
export interface CloudControllerPort {
  /**
   * Lets these controllers act on each node so much later than they would (no delay given: never), until undone. Of several
   * delays the longest counts. `fired` is told of each node that has to wait, by its name, once for each controller.
   */
  holdUp(hold: {
    readonly controllers: readonly CloudControllerName[];
    readonly delayMs?: number;
    readonly fired: (node: string) => void;
  }): Heal;
}

/** What is put on the interruption queue. */
export const MESSAGE_KINDS = [...NOTICE_KINDS, 'state-change'] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];

/** What becomes of a message on its way to the queue. */
export type MessagePerturbation =
  /** It arrives so many times, each time as a message of its own. */
  | { readonly kind: 'duplicate'; readonly copies: number }
  /** It arrives so much later. */
  | { readonly kind: 'delay'; readonly delayMs: number }
  | { readonly kind: 'lose' };

/** Takes spot instances back. Capability `spot.interrupt`. */
export interface SpotPort {
  /**
   * Warns selected spot instances and ends them when their notice is over, at most `count` (none given: all), until undone:
   * those that were warned by then still end, as EC2 takes no warning back. `pending`: as they are launched;
   * `before-registration`: as they begin to run; `running`: drawn among those that run now, all at once.
   */
  interrupt(interruption: {
    readonly selector: OfferingSelector;
    readonly count?: number;
    readonly moment: 'pending' | 'before-registration' | 'running';
    readonly noticeMs: number;
    /** A rebalance recommendation comes so long before the warning, 0 for with it; none when absent. */
    readonly rebalanceBeforeMs?: number;
    /** What becomes of the warning's message; duplicates are made of the recommendation too. */
    readonly message?: MessagePerturbation;
    /** Told of each instance when the first message about it is sent. */
    readonly fired: (instance: string) => void;
  }): Heal;
}

/** What is no business of this cluster, and comes to its queue all the same. */
export type StrayMessage = 'malformed' | 'foreign' | 'unknown';

/** Perturbs the interruption queue. Capability `queue.perturb`. */
export interface QueuePort {
  /** Perturbs messages of these kinds (none given: of all), at most `count` (none given: all), until undone. */
  perturb(perturbation: {
    readonly kinds?: readonly MessageKind[];
    readonly count?: number;
    readonly message: MessagePerturbation;
    readonly fired: (kind: MessageKind, instance: string) => void;
  }): Heal;
  /**
   * Puts a message there now and every `periodMs` until undone: one that nobody can parse, an event of a kind that nobody
   * has heard of, or a spot warning about an instance that is none of this cluster's.
   */
  put(stray: { readonly what: StrayMessage; readonly periodMs: number; readonly fired: (about: string) => void }): Heal;
  /**
   * Announces, by AWS Health, that selected running instances will be retired `startsInMs` from now: at most `count` (none
   * given: all). Nothing ends them: trials are shorter. Undoing takes back what was not announced yet, which is nothing.
   */
  scheduleChange(change: {
    readonly selector: OfferingSelector;
    readonly count?: number;
    readonly startsInMs: number;
    readonly fired: (instance: string) => void;
  }): Heal;
}

/**
 * Lets somebody else in the cluster act on what EC2 says as well, as the AWS Node Termination Handler does. It hears by
 * itself and takes no message out of the target's queue. Capability `spot.interrupt`.
 */
export interface TerminationHandlerPort {
  /**
   * Installs a handler until undone: the Node of each selected instance that such an event is about is cordoned, once, and its
   * pods are evicted within their budgets, but for those of DaemonSets. It ends no instance, and what it cordoned stays so.
   */
  install(handler: {
    /** Of changes of state only those that end an instance. */
    readonly kinds: readonly MessageKind[];
    readonly selector: OfferingSelector;
    /** It looks so often, and learns of an event at its next look. */
    readonly pollMs: number;
    /** Told of each instance whose Node it cordoned. */
    readonly fired: (instance: string) => void;
  }): Heal;
}

/**
 * Makes what the API server's watch cache tells the target old, or breaks it off. Capability `watch.perturb`. Resources are
 * plural names, `*` for all. Open watches stay in order and lose nothing, and consistent reads stay so.
 */
export interface WatchPort {
  /**
   * Lets the cache run so far behind until undone: watches tell of each change that much later, and lists from the cache
   * (`resourceVersion=0`) show what was there that long ago. `fired` is told of the request whose answer was old.
   */
  lag(lag: { readonly resources: readonly string[]; readonly lagMs: number; readonly fired: (span: number) => void }): Heal;
  /**
   * Closes the target's open watches now and every `periodMs` (none given: now alone) until undone.
   * `expired`: the server has forgotten what was before, so that watches that begin there are refused with 410 Expired.
   */
  close(closing: {
    readonly resources: readonly string[];
    readonly expired: boolean;
    readonly periodMs?: number;
    readonly fired: (span: number) => void;
  }): Heal;
}

/** What can be done to the target's process. */
export interface ProcessPort {
  /** Stops it as SIGSTOP would, until undone. `fired` is told of each thing that it does not get to know. Capability `target.pause`. */
  pause(pause: { readonly fired: () => void }): Heal;
  /** Sets its clock ahead (behind where negative), and that of those that follow it, until undone. Capability `target.clock`. */
  skewClock(skew: { readonly byMs: number; readonly fired: () => void }): Heal;
}

/** What faults may do to the world besides the wires. */
export interface FaultPorts {
  readonly capacity: CapacityPort;
  readonly throttle: ThrottlePort;
  readonly quota: QuotaPort;
  readonly reads: StaleReadPort;
  readonly instanceFaults: InstanceFaultPort;
  readonly nodes: NodeFaultPort;
  readonly cloud: CloudControllerPort;
  readonly spot: SpotPort;
  readonly queue: QueuePort;
  readonly handlers: TerminationHandlerPort;
  readonly instances: InstancePort;
  readonly templates: LaunchTemplatePort;
  readonly templateFaults: TemplateFaultPort;
  readonly watches: WatchPort;
  readonly processes: ProcessPort;
}
