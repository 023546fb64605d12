import { NOTICE_KINDS } from '../history/events.ts';
import type { KubeObject, LabelSelector, ObjectMeta, Taint } from '../model/kube.ts';
import type { CapacityType, OfferingSelector } from '../model/catalogue.ts';
import type { Principal } from '../model/operation.ts';

/** Identifies an object. `namespace` only for namespaced resources. */
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

/** Which objects to list. */
export interface ListFilter {
  readonly namespace?: string;
  readonly labels?: LabelSelector;
  /** The uid of an owner: only the objects that it manages, or that nobody does. */
  readonly managedBy?: string;
  /** Only the pods that are bound to this node. Not together with `managedBy`. */
  readonly onNode?: string;
}

/** The objects that one owner manages, or that nobody does. */
export type ManagedFilter = Pick<ListFilter, 'namespace'> & Required<Pick<ListFilter, 'managedBy'>>;

/** The objects of a namespace that at least one of these selectors matches. */
export interface LabelFilter {
  readonly namespace: string;
  readonly selectors: readonly LabelSelector[];
}

/** The classes to which an object belongs. Pure. */
export type Classify<T> = (object: T) => readonly string[];

/** Objects by class. */
export interface Tally<T> {
  /** How many objects are in each class. */
  count(name: string): number;
  /** The objects as they are now, in the order of their names. Read-only. */
  list(): T[];
}

/**
 * The access to a cluster that the world's own parts (scheduler, workload controllers, kubelets, cloud controller, scenarios)
 * need, on behalf of one principal. The embedded world serves it straight from the store, without codecs; for a real cluster
 * it is a client. Returned objects are the caller's own copies unless said to be read-only;
 * what is sent must not be changed afterwards.
 * Every method rejects with a ClusterError if the API would refuse.
 */
export interface ClusterPort {
  /** Read-only. */
  get<T extends KubeObject>(ref: ObjectRef): Promise<T | undefined>;
  /** Read-only objects, in the order of their names. */
  list<T extends KubeObject>(resource: string, filter?: ListFilter): Promise<T[]>;
  /**
   * How many objects are in each class, without looking at all of them each time; absent where only a list can tell.
   * @param classify always the same function for the same question
   */
  counts?<T extends KubeObject>(resource: string, filter: LabelFilter, classify: Classify<T>): Promise<ReadonlyMap<string, number>>;
  create<T extends KubeObject>(resource: string, object: T & { metadata: ObjectMeta }): Promise<T>;
  /** JSON merge patch (RFC 7386) of the object or of a subresource. */
  patch<T extends KubeObject>(ref: ObjectRef, patch: object, subresource?: 'status'): Promise<T>;
  delete(ref: ObjectRef, options?: { gracePeriodSeconds?: number; uid?: string }): Promise<void>;
  /** The binding subresource. */
  bind(pod: ObjectRef, nodeName: string): Promise<void>;
  /** The eviction subresource: deletes the pod if its budget allows. */
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

/** The access for controllers whose objects have thousands of others. */
export interface CountingPort extends ClusterPort {
  counts<T extends KubeObject>(resource: string, filter: LabelFilter, classify: Classify<T>): Promise<ReadonlyMap<string, number>>;
  /**
   * Counts what an owner manages, and what nobody does, by class, without looking at all of it: owners count after each change of one.
   * @param classify always the same function as long as the classes are the same
   */
  tally<T extends KubeObject>(resource: string, filter: ManagedFilter, classify: Classify<T>): Promise<Tally<T>>;
}

/** An instance as the world's parts see it. */
export interface Instance {
  readonly id: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: CapacityType;
  readonly state: 'pending' | 'running' | 'shutting-down' | 'terminated' | 'stopping' | 'stopped';
  readonly privateIp: string;
  /** The name of its node. */
  readonly privateDnsName: string;
  readonly launchedAtMs: number;
  readonly tags: Readonly<Record<string, string>>;
  /** Decoded user data of its launch template, from which a node gets labels, taints and cluster. */
  readonly userData: string;
  /** Ids, as its launch names them; none for the default group of the VPC. Absent if the world does not know. */
  readonly securityGroupIds?: readonly string[];
  /** Size of its root volume, if its launch sets one; by default the image's. */
  readonly rootVolumeGiB?: number;
  readonly usdPerHour: number;
}

/** The world's own view of its instances, always fresh. */
export interface InstancePort {
  get(id: string): Instance | undefined;
  list(): readonly Instance[];
  /** Called synchronously after each change of state. */
  onChange(listener: (instance: Instance) => void): () => void;
  /** Terminates an instance out of band. */
  end(id: string, reason: string): void;
}

/** The world's own view of launch templates, always fresh. */
export interface LaunchTemplatePort {
  /** In the order of their ids. */
  list(): readonly { readonly id: string; readonly name: string; readonly createdBy: Principal }[];
}

/** Deletes launch templates out of band. Capability `templates.delete`. */
export interface TemplateFaultPort {
  /**
   * Deletes the target's launch templates, existing and future ones, each some time after its creation, at most `count` (default:
   * all), until undone.
   */
  deleteTemplates(deletion: { readonly count?: number; readonly afterMs: number; readonly fired: (name: string) => void }): Heal;
}

/**
 * How many pools the errors of a fleet name: EC2 mostly names one of the many requested. `unfulfillable`: also one, but the
 * error does not say what it lacks.
 */
export type FleetErrorNaming = 'one' | 'tried' | 'all' | 'unfulfillable';

/** Undoes a fault completely. Called once. */
export type Heal = () => void | Promise<void>;

/** Sets how much capacity offerings have. Capability `capacity.set`. */
export interface CapacityPort {
  /**
   * Leaves at most `remaining` further instances in each selected offering, until undone. `fired` is called whenever it
   * refused or diverted a launch, with the span of the request.
   */
  limit(limit: {
    readonly selector: OfferingSelector;
    readonly remaining: number;
    readonly naming: FleetErrorNaming;
    readonly fired: (span?: number) => void;
  }): Heal | Promise<Heal>;
  /** Refuses launches into each selected offering for another reason, until undone. `fired` as above. */
  refuse(refusing: {
    readonly selector: OfferingSelector;
    readonly refusal: { readonly code: string; readonly message: string };
    readonly fired: (span?: number) => void;
  }): Heal;
}

/** Shrinks EC2's request buckets. Capability `api.throttle`. */
export interface ThrottlePort {
  /**
   * Gives each of these operations (`ec2:CreateFleet`; `*` for all) a bucket of this size in addition to its documented ones,
   * until undone. `fired` is called for each request that found it empty.
   */
  limit(limit: {
    readonly operations: readonly string[];
    readonly capacity: number;
    readonly refillPerSecond: number;
    /** Tokens for the first request; by default it is full. */
    readonly tokens?: number;
    readonly fired: (span: number) => void;
  }): Heal;
}

/** The groups of instance families that have their own vCPU quota. */
export const QUOTA_GROUPS = ['standard', 'dl', 'f', 'g-vt', 'high-memory', 'hpc', 'inf', 'p', 'trn', 'x'] as const;
export type QuotaGroup = (typeof QUOTA_GROUPS)[number];

/** Sets the quotas of the account and its subnets. Capability `capacity.quota`. `fired` is called for each refused launch. */
export interface QuotaPort {
  /** Lowers vCPU quotas to this value, for the given capacity types and groups (default: all), until undone. */
  limitVcpus(limit: {
    readonly capacityTypes?: readonly CapacityType[];
    readonly groups?: readonly QuotaGroup[];
    readonly vcpus: number;
    readonly fired: (span?: number) => void;
  }): Heal;
  /** Allows at most this many running on-demand instances of each of these types (default: of every type), until undone. */
  limitInstances(limit: {
    readonly instanceTypes?: readonly string[];
    readonly count: number;
    readonly fired: (span?: number) => void;
  }): Heal;
  /** Allows at most this many launches from now on, of any type and capacity, until undone. */
  limitLaunches(limit: { readonly count: number; readonly fired: (span?: number) => void }): Heal;
  /**
   * Leaves this many free addresses in the subnets of these zones (default: all), as if others had taken the rest, never-used
   * ones first, until undone. A terminated instance releases its own.
   */
  limitAddresses(limit: {
    readonly zones?: readonly string[];
    readonly remaining: number;
    readonly fired: (span?: number) => void;
    /** Called for each instance that got an address which another one had before. */
    readonly reused?: (instance: string, before: string) => void;
  }): Heal;
}

/** Sets what the hostnames of new instances, and so their nodes' names, are based on. Capability `hostnames.set`. */
export interface HostnamePort {
  /**
   * The subnets of these zones (default: all) name new instances by their ids instead of their addresses, until undone. `fired` is
   * called for each instance.
   */
  nameByInstance(naming: { readonly zones?: readonly string[]; readonly fired: (instance: string) => void }): Heal;
}

/** The EC2 resources that can be read stale. Instances stand for Auto Scaling groups, too. */
export const STALE_RESOURCES = ['instances', 'launch-templates'] as const;
export type StaleResource = (typeof STALE_RESOURCES)[number];

/** Makes the reads of EC2 and Auto Scaling stale. Capability `reads.stale`. */
export interface StaleReadPort {
  /**
   * Makes each change from now on visible only up to `maxMs` later, until undone: then everything is visible normally. Reads
   * never go backwards. `fired` is called for each request that read something stale.
   */
  delay(delay: {
    readonly resources: readonly StaleResource[];
    readonly maxMs: number;
    /** Whether mutating requests don't find an object either before it is visible. */
    readonly mutations: boolean;
    readonly fired: (span: number) => void;
  }): Heal;
}

/** Makes instances fail. Capability `instance.end`. */
export interface InstanceFaultPort {
  /** Makes launches of the selected offerings fail at once (pending, then terminated), at most `count`, until undone. */
  failLaunches(failure: { readonly selector: OfferingSelector; readonly count: number; readonly fired: (span?: number) => void }): Heal;
  /**
   * Terminates or stops selected instances out of band, each some time after it is (or was) running, at most `count`,
   * in the order in which they started to run, until undone.
   */
  endRunning(ending: {
    readonly selector: OfferingSelector;
    readonly count: number;
    readonly how: 'terminated' | 'stopped';
    readonly afterMs: number;
    readonly fired: () => void;
  }): Heal;
  /** Makes selected instances take this much longer to terminate, at most `count` (default: all), until undone: then they end. */
  delayEndings(delay: {
    readonly selector: OfferingSelector;
    readonly count?: number;
    readonly delayMs: number;
    readonly fired: () => void;
  }): Heal;
}

/** What can go wrong with an instance as a node. Shares are relative to the normal amount. */
export type NodeProblem =
  /** The kubelet registers later; without a delay, never. */
  | { readonly kind: 'late-registration'; readonly delayMs?: number }
  /** The network plugin never becomes ready, and so neither does the node. */
  | { readonly kind: 'never-ready' }
  /** Once Ready, the container runtime goes down and up, each for half a period, this many times. */
  | { readonly kind: 'flapping'; readonly periodMs: number; readonly times: number }
  /** Someone else creates the Node object before the kubelet registers. */
  | {
      readonly kind: 'foreign-node';
      readonly labels: Readonly<Record<string, string>>;
      readonly taints: readonly Taint[];
      /** Whether it has the instance's provider id. */
      readonly providerId: boolean;
    }
  /** This long after the node was Ready, its kubelet stops, but the instance keeps running. */
  | { readonly kind: 'dead-kubelet'; readonly afterMs: number }
  /** This long after the node was Ready, someone else deletes its Node object. */
  | { readonly kind: 'deleted-node'; readonly afterMs: number }
  /** The agents of its start-up taints check the node only once, this long after it started, Ready or not. */
  | { readonly kind: 'startup-agents'; readonly afterMs: number }
  /** The device plugin of a node with devices registers this much later. */
  | { readonly kind: 'late-devices'; readonly delayMs: number }
  /** The node has this much less than a machine of its type should. */
  | { readonly kind: 'shortfall'; readonly cpu: number; readonly memory: number };

/** Makes nodes fail. Capability `boot.delay`. */
export interface NodeFaultPort {
  /**
   * Strikes the first `count` (default: all) selected instances that reach the point where it applies, each once, until
   * undone. `fired` is called with the id of each.
   */
  arm(fault: {
    readonly selector: OfferingSelector;
    readonly count?: number;
    readonly problem: NodeProblem;
    readonly fired: (instance: string) => void;
  }): Heal;
}

/** The node controllers of a cloud controller manager. Source: `k8s.io/cloud-provider/names`. */
export const CLOUD_CONTROLLERS = ['cloud-node-controller', 'cloud-node-lifecycle-controller'] as const;
export type CloudControllerName = (typeof CLOUD_CONTROLLERS)[number];

/** Delays the cloud controller manager. Capability `cloud.hold`. */
export interface CloudControllerPort {
  /**
   * Makes these controllers act on each node this much later (no delay given: never), until undone. The longest of several
   * delays counts. `fired` is called once per controller for each delayed node, with its name.
   */
  holdUp(hold: {
    readonly controllers: readonly CloudControllerName[];
    readonly delayMs?: number;
    readonly fired: (node: string) => void;
  }): Heal;
}

/** The kinds of messages on the interruption queue. */
export const MESSAGE_KINDS = [...NOTICE_KINDS, 'state-change'] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];

/** What happens to a message in transit to the queue. */
export type MessagePerturbation =
  /** It arrives this many times, each time as a separate message. */
  | { readonly kind: 'duplicate'; readonly copies: number }
  /** It arrives this much later. */
  | { readonly kind: 'delay'; readonly delayMs: number }
  | { readonly kind: 'lose' };

/** Reclaims spot instances. Capability `spot.interrupt`. */
export interface SpotPort {
  /**
   * Warns selected spot instances and terminates them at the end of their notice, at most `count` (default: all), until undone:
   * those warned before that are still terminated, as EC2 never cancels a warning. `pending`: as they are launched;
   * `before-registration`: as they start running; `running`: drawn from those running now, all at once.
   */
  interrupt(interruption: {
    readonly selector: OfferingSelector;
    readonly count?: number;
    readonly moment: 'pending' | 'before-registration' | 'running';
    readonly noticeMs: number;
    /** A rebalance recommendation precedes the warning by this, 0 for at the same time; none if absent. */
    readonly rebalanceBeforeMs?: number;
    /** What happens to the warning's message; the recommendation is duplicated too. */
    readonly message?: MessagePerturbation;
    /** Called with each instance when the first message about it is sent. */
    readonly fired: (instance: string) => void;
  }): Heal;
}

/** Messages on the queue that have nothing to do with this cluster. */
export type StrayMessage = 'malformed' | 'foreign' | 'unknown';

/** Perturbs the interruption queue. Capability `queue.perturb`. */
export interface QueuePort {
  /** Perturbs messages of these kinds (default: all), at most `count` (default: all), until undone. */
  perturb(perturbation: {
    readonly kinds?: readonly MessageKind[];
    readonly count?: number;
    readonly message: MessagePerturbation;
    readonly fired: (kind: MessageKind, instance: string) => void;
  }): Heal;
  /**
   * Sends a message now and every `periodMs` until undone: one that can't be parsed, an event of an unknown kind, or a spot
   * warning about an instance that does not belong to this cluster.
   */
  put(stray: { readonly what: StrayMessage; readonly periodMs: number; readonly fired: (about: string) => void }): Heal;
  /**
   * Announces through AWS Health that selected running instances will be retired `startsInMs` from now: at most `count` (default:
   * all). Nothing terminates them, since trials are shorter. Undoing has no effect, since everything is announced at once.
   */
  scheduleChange(change: {
    readonly selector: OfferingSelector;
    readonly count?: number;
    readonly startsInMs: number;
    readonly fired: (instance: string) => void;
  }): Heal;
}

/**
 * Lets someone else in the cluster act on EC2's events too, as the AWS Node Termination Handler does. It gets events separately
 * and takes no message out of the target's queue. Capability `spot.interrupt`.
 */
export interface TerminationHandlerPort {
  /**
   * Installs a handler until undone: it cordons the Node of each selected instance with such an event, once, and evicts its pods
   * within their budgets, except those of DaemonSets. It terminates no instance, and undoing does not uncordon.
   */
  install(handler: {
    /** Of state changes, only those that end an instance. */
    readonly kinds: readonly MessageKind[];
    readonly selector: OfferingSelector;
    /** How often it polls; it notices an event at the next poll. */
    readonly pollMs: number;
    /** Called with each instance whose Node it cordoned. */
    readonly fired: (instance: string) => void;
  }): Heal;
}

/**
 * Makes the API server's watch cache stale for the target, or breaks its watches. Capability `watch.perturb`. Resources are
 * plural names, `*` for all. Open watches stay in order and lose nothing, and consistent reads stay consistent.
 */
export interface WatchPort {
  /**
   * Makes the cache lag until undone: watches deliver each change that much later, and lists from the cache
   * (`resourceVersion=0`) show the state of that long ago. `fired` is called with the request whose answer was stale.
   */
  lag(lag: { readonly resources: readonly string[]; readonly lagMs: number; readonly fired: (span: number) => void }): Heal;
  /**
   * Closes the target's open watches now and every `periodMs` (default: only now) until undone.
   * `expired`: the server has compacted earlier revisions, so watches that start there are refused with 410 Expired.
   */
  close(closing: {
    readonly resources: readonly string[];
    readonly expired: boolean;
    readonly periodMs?: number;
    readonly fired: (span: number) => void;
  }): Heal;
}

/** Faults of the target's process. */
export interface ProcessPort {
  /** Stops it as SIGSTOP would, until undone. `fired` is called for each event that it misses. Capability `target.pause`. */
  pause(pause: { readonly fired: () => void }): Heal;
  /** Sets its clock ahead (back if negative), and dependent clocks too, until undone. Capability `target.clock`. */
  skewClock(skew: { readonly byMs: number; readonly fired: () => void }): Heal;
}

/** What faults can do to the world, other than to its wires. */
export interface FaultPorts {
  readonly capacity: CapacityPort;
  readonly throttle: ThrottlePort;
  readonly quota: QuotaPort;
  readonly hostnames: HostnamePort;
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
