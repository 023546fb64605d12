import type { KubeObject, LabelSelector, ObjectMeta } from '../model/kube.ts';

/** A resource as its API path needs it. */
export interface ResourceType {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** e.g. `pods` */
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** An object of a resource. */
export interface KubeRef {
  readonly type: ResourceType;
  readonly namespace?: string;
  readonly name: string;
}

/** The API server's refusal, or no answer at all. */
export class KubeError extends Error {
  /** HTTP status; 0 when there was no answer: nobody knows whether the request took effect. */
  readonly status: number;
  /** The Status object's reason, e.g. `NotFound`, `Conflict`, `AlreadyExists`; a socket's code when there was no answer. */
  readonly reason: string;
  /** What the server asked to wait before the next try, if it did. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, reason: string, message: string, retryAfterMs?: number) {
    super(message);
    this.name = 'KubeError';
    this.status = status;
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * Requests to an API server, one each, nothing retried: who calls knows what a failure means. Objects are plain JSON.
 * Every method rejects with a KubeError.
 */
export interface KubeClient {
  /** Undefined when there is none. */
  get<T extends KubeObject>(ref: KubeRef): Promise<T | undefined>;
  list<T extends KubeObject>(type: ResourceType, options?: { namespace?: string; labels?: LabelSelector }): Promise<T[]>;
  create<T extends KubeObject>(type: ResourceType, object: T & { metadata: ObjectMeta }): Promise<T>;
  /** JSON merge patch; include `metadata.resourceVersion` to have a lost race refused as Conflict. */
  patch<T extends KubeObject>(ref: KubeRef, patch: object, subresource?: 'status'): Promise<T>;
  /**
   * Deleting what is not there is NotFound.
   * @returns the object as it stands while finalizers or its grace period keep it; undefined when the server says that it is gone
   */
  delete<T extends KubeObject>(
    ref: KubeRef,
    options?: { gracePeriodSeconds?: number; uid?: string; resourceVersion?: string },
  ): Promise<T | undefined>;
  /** pods/eviction. Rejects with 429 TooManyRequests while a budget forbids it. */
  evict(namespace: string, podName: string, options?: { gracePeriodSeconds?: number; uid?: string }): Promise<void>;
}

/** What else of an API server can be asked: what it serves. */
export interface Discovery {
  /**
   * The resources whose objects can be listed and deleted, custom ones too, each in the version that its group prefers. Empty
   * for a server before 1.27, which can't tell in one answer. Rejects with a KubeError.
   */
  served(): Promise<ResourceType[]>;
}

/**
 * A local copy of a resource, kept by list and watch of our own, through broken watches, 410 Gone and errors (with
 * backoff on the clock). May lag behind the server, never goes back in time for one object.
 */
export interface Cache<T extends KubeObject> {
  /** Resolves after the first complete list. */
  readonly synced: Promise<void>;
  list(): readonly T[];
  get(name: string, namespace?: string): T | undefined;
  /** Called after each change of the copy, in order. Returns what stops it. */
  onChange(listener: (type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T) => void): () => void;
}
