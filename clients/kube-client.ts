import type { KubeObject, LabelSelector, ObjectMeta } from '../model/kube.ts';

/** A resource, as needed for its API path. */
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
  /** HTTP status; 0 when there was no answer: whether the request took effect is unknown. */
  readonly status: number;
  /** The Status object's reason, e.g. `NotFound`, `Conflict`, `AlreadyExists`; a socket's code when there was no answer. */
  readonly reason: string;
  /** The pause that the server requested before the next attempt, if any. */
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
 * A client for an API server. Each method sends one request, never retried: only the caller knows what a failure means. Objects
 * are plain JSON. Every method rejects with a KubeError.
 */
export interface KubeClient {
  /** Undefined if the object does not exist. */
  get<T extends KubeObject>(ref: KubeRef): Promise<T | undefined>;
  list<T extends KubeObject>(type: ResourceType, options?: { namespace?: string; labels?: LabelSelector }): Promise<T[]>;
  create<T extends KubeObject>(type: ResourceType, object: T & { metadata: ObjectMeta }): Promise<T>;
  /** JSON merge patch. Include `metadata.resourceVersion` to get a Conflict if the object has changed meanwhile. */
  patch<T extends KubeObject>(ref: KubeRef, patch: object, subresource?: 'status'): Promise<T>;
  /**
   * Rejects with NotFound if the object does not exist.
   * @returns the object while finalizers or its grace period keep it; undefined if it is gone
   */
  delete<T extends KubeObject>(
    ref: KubeRef,
    options?: { gracePeriodSeconds?: number; uid?: string; resourceVersion?: string },
  ): Promise<T | undefined>;
  /** pods/eviction. Rejects with 429 TooManyRequests while a budget forbids it. */
  evict(namespace: string, podName: string, options?: { gracePeriodSeconds?: number; uid?: string }): Promise<void>;
}

/** Which resources an API server serves. */
export interface Discovery {
  /**
   * The resources whose objects can be listed and deleted, custom ones too, each in its group's preferred version. Empty for a
   * server before 1.27, which has no aggregated discovery. Rejects with a KubeError.
   */
  served(): Promise<ResourceType[]>;
}

/**
 * A local copy of a resource, kept up to date by list and watch, through broken watches, 410 Gone and errors (with backoff on
 * the clock). It may lag behind the server, but never goes back in time for one object.
 */
export interface Cache<T extends KubeObject> {
  /** Resolves after the first complete list. */
  readonly synced: Promise<void>;
  list(): readonly T[];
  get(name: string, namespace?: string): T | undefined;
  /** Called after each change of the copy, in order. Returns a function that removes the listener. */
  onChange(listener: (type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T) => void): () => void;
}
