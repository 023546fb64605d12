/** The two wires of an autoscaler. */
export type WireName = 'kube' | 'aws';

/** Who speaks on a wire. */
export const PRINCIPALS = ['target', 'node', 'scheduler', 'workloads', 'cloud', 'scenario', 'observer'] as const;
export type Principal = (typeof PRINCIPALS)[number];

/** A Kubernetes object as a request or an event names it. */
export interface ObjectName {
  /** Plural resource, e.g. `pods`, `nodeclaims`. */
  readonly resource: string;
  readonly namespace?: string;
  /** Absent for collections and creates with a generated name. */
  readonly name?: string;
}

/** What a request asks for, read from its wire format: the vocabulary of triggers, counters and checks. */
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
  /** The decoded body (kube) or parameters (aws), plain JSON; absent where there is none or it can't be decoded. */
  readonly input?: unknown;
}

/** What a request did to the world behind the wire. */
export type Effect =
  /** It changed the world. `ids`: what it created or changed (instance ids; `resource/namespace/name` of objects). */
  | { readonly kind: 'applied'; readonly ids: readonly string[] }
  /** The backend refused it, with this code. */
  | { readonly kind: 'rejected'; readonly code: string }
  /** It reached the backend and changed nothing (a read), or never reached it. */
  | { readonly kind: 'none' }
  /** Nobody could see what it did (a real backend that died, say). */
  | { readonly kind: 'unobservable' };

/** `resource/namespace/name`, without the parts that are absent: how histories and findings name an object. */
export function formatObject(object: ObjectName): string {
  return [object.resource, object.namespace, object.name].filter((part) => part !== undefined).join('/');
}
