/** The two APIs that an autoscaler talks to. */
export type WireName = 'kube' | 'aws';

/** The clients on a wire. */
export const PRINCIPALS = ['target', 'node', 'scheduler', 'workloads', 'cloud', 'scenario', 'observer'] as const;
export type Principal = (typeof PRINCIPALS)[number];

/** How a request or an event names a Kubernetes object. */
export interface ObjectName {
  /** Plural resource, e.g. `pods`, `nodeclaims`. */
  readonly resource: string;
  readonly namespace?: string;
  /** Absent for collections, and for creates with a generated name. */
  readonly name?: string;
}

/** A request, decoded from its wire format: triggers, counters and checks use these terms. */
export interface Operation {
  readonly wire: WireName;
  /**
   * kube: verb, resource and subresource as RBAC names them: `list pods`, `watch nodes`, `patch nodeclaims/status`,
   * `create pods/eviction`. aws: service and action as IAM names them: `ec2:CreateFleet`.
   */
  readonly name: string;
  /** Whether it may change the world. A dry run may not. */
  readonly mutating: boolean;
  /** kube only. */
  readonly object?: ObjectName;
  /** kube only: the API group of the object; absent for the core group. */
  readonly group?: string;
  /** The decoded body (kube) or parameters (aws), as plain JSON; absent if there is none or it can't be decoded. */
  readonly input?: unknown;
}

/** What a request changed in the backend. */
export type Effect =
  /** It changed the world. `ids`: what it created or changed (instance ids; `resource/namespace/name` of objects). */
  | { readonly kind: 'applied'; readonly ids: readonly string[] }
  /** The backend refused it, with this code. */
  | { readonly kind: 'rejected'; readonly code: string }
  /** It reached the backend and changed nothing (a read), or never reached it. */
  | { readonly kind: 'none' }
  /** Its effect could not be observed (for example because a real backend died). */
  | { readonly kind: 'unobservable' };

/** Whether it is a watch: its answer arrives over time. */
export function isWatch({ name }: Operation): boolean {
  return name.startsWith('watch ');
}

/** `resource/namespace/name`, without absent parts: how histories and findings name an object. */
export function formatObject(object: ObjectName): string {
  return [object.resource, object.namespace, object.name].filter((part) => part !== undefined).join('/');
}
