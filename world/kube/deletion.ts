import { isDeepStrictEqual } from 'node:util';
import { invalid, notSupported } from '../../protocols/kube/field-error.ts';
import { conflict, invalidObject } from '../../protocols/kube/status.ts';
import { formatTime, parseTime } from '../../model/time.ts';
import type { Writer } from './writer.ts';
import type { Location, ApiObject, Resource } from './resource.ts';
import { objectKey } from './resource.ts';
import { Version } from './store.ts';
import type { Store } from './store.ts';

/** The options of a deletion. */
export interface Deletion {
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagationPolicy?: string | undefined;
  /** The deprecated form of `Orphan` (true) or `Background` (false). */
  readonly orphanDependents?: boolean | undefined;
  readonly preconditions?: { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined } | undefined;
}

/** Finalizers with which an object waits for the garbage collector: until its dependents are deleted, or orphaned. */
export const FOREGROUND = 'foregroundDeletion';
export const ORPHAN = 'orphan';

const POLICIES = ['Foreground', 'Background', 'Orphan', 'nil'];
/** The grace period of a deletion that requests a negative one. */
const LEAST_GRACE_SECONDS = 1;

/** Whether nothing keeps an object any more whose deletion has begun. */
export function isReadyToGo({ rules }: Resource, object: ApiObject): boolean {
  const { finalizers = [], deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata;
  const waits = finalizers.length > 0 || deletionGracePeriodSeconds > 0 || rules.termination?.isHeld(object) === true;
  return deletionTimestamp !== undefined && !waits;
}

/**
 * Deletes an object as `registry.Store.Delete` and `rest.BeforeDelete` of the real API server do: preconditions; a
 * grace period for resources that have one, which a later deletion can only shorten; finalizers keep the object, and
 * the propagation policy adds or removes those of the garbage collector. A graceful resource is marked before it is
 * removed, so watchers see both changes even for a period of 0.
 * @throws StatusError 409 for preconditions, 422 for a policy that doesn't exist
 */
export function deleteObject(request: {
  readonly current: Version;
  readonly at: Location;
  readonly deletion: Deletion;
  readonly writer: Writer;
  readonly store: Store;
  /** Stores the object marked for deletion. */
  readonly put: (marked: ApiObject) => Version;
  readonly nowMs: number;
}): { version: Version; gone: boolean } {
  const { current, at, deletion, writer, store, put, nowMs } = request;
  const marked = mark(current.object, at.resource, deletion, nowMs);
  if (marked === undefined) return { version: current, gone: false };

  const key = objectKey(at.namespace, at.name);
  const graceful = at.resource.rules.gracePeriodSeconds !== undefined;
  // A deletion with a phase of its own only begins with the first request, even if nothing keeps the object.
  const begins = at.resource.rules.termination !== undefined && current.object.metadata.deletionTimestamp === undefined;
  const goes = !begins && isReadyToGo(at.resource, marked);
  const isMarked = graceful || !goes;
  if (writer.dryRun) return { version: new Version(isMarked ? marked : current.object, store.revision), gone: goes };
  const changed = isMarked && !isDeepStrictEqual(marked, current.object);
  const version = changed ? put(marked) : current;
  if (!goes) return { version, gone: false };
  return { version: store.remove(at.resource, key, writer.principal) ?? version, gone: true };
}

/** The object marked for deletion; undefined if a graceful deletion is in progress and this one doesn't shorten it. */
function mark(object: ApiObject, resource: Resource, deletion: Deletion, nowMs: number): ApiObject | undefined {
  const { metadata } = object;
  const { gracePeriodSeconds, termination } = resource.rules;
  const finalizers = finalizersAfter(metadata.finalizers, deletion);
  if (metadata.deletionTimestamp !== undefined) {
    const before = metadata.deletionGracePeriodSeconds ?? 0;
    if (before === 0) return { ...object, metadata: { ...metadata, ...finalizers } };
    const requested = deletion.gracePeriodSeconds;
    if (requested === undefined || requested >= before) return undefined;
    const shortenedMs = parseTime(metadata.deletionTimestamp) + (Math.max(0, requested) - before) * 1000;
    const late = shortenedMs < nowMs;
    const period = requested < 0 || (late && requested > 0) ? LEAST_GRACE_SECONDS : requested;
    const deletionTimestamp = formatTime(late ? nowMs : shortenedMs);
    return { ...object, metadata: { ...metadata, ...finalizers, deletionTimestamp, deletionGracePeriodSeconds: period } };
  }
  if (termination !== undefined) {
    const begun = termination.begin(object, nowMs);
    const kept = finalizersAfter(begun.metadata.finalizers, deletion);
    return { ...begun, metadata: { ...begun.metadata, ...kept, deletionTimestamp: formatTime(nowMs) } };
  }
  const period = gracePeriodSeconds?.(object, deletion.gracePeriodSeconds) ?? 0;
  const generation = metadata.generation === undefined ? {} : { generation: metadata.generation + 1 };
  const deletionTimestamp = formatTime(nowMs + period * 1000);
  return {
    ...object,
    metadata: { ...metadata, ...generation, ...finalizers, deletionTimestamp, deletionGracePeriodSeconds: period },
  };
}

/** As `deletionFinalizersForGarbageCollection`: the caller's options override the object's own finalizers. */
function finalizersAfter(finalizers: string[] = [], { propagationPolicy, orphanDependents }: Deletion): { finalizers?: string[] } {
  const policy = propagationPolicy ?? (orphanDependents === undefined ? undefined : orphanDependents ? 'Orphan' : 'Background');
  if (policy === undefined) return {};
  const others = finalizers.filter((one) => one !== FOREGROUND && one !== ORPHAN);
  const own = policy === 'Orphan' ? [ORPHAN] : policy === 'Foreground' ? [FOREGROUND] : [];
  const kept = [...others, ...own];
  return isDeepStrictEqual(new Set(kept), new Set(finalizers)) ? {} : { finalizers: kept };
}

export function checkPolicy({ propagationPolicy, orphanDependents }: Deletion): void {
  if (propagationPolicy === undefined) return;
  const field = 'propagationPolicy';
  const errors = [
    ...(orphanDependents === undefined
      ? []
      : [invalid(field, propagationPolicy, 'orphanDependents and deletionPropagation cannot be both set')]),
    ...(POLICIES.slice(0, -1).includes(propagationPolicy) ? [] : [notSupported(field, propagationPolicy, POLICIES)]),
  ];
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', resource: 'DeleteOptions' }, '', errors);
}

/** @throws StatusError 409 */
export function checkPreconditions(at: Location, current: Version, { preconditions }: Deletion): void {
  const kind = { group: at.resource.group, resource: at.resource.kind };
  const { uid = '' } = current.object.metadata;
  if (preconditions?.uid !== undefined && preconditions.uid !== uid) {
    const why = `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`;
    throw conflict(kind, at.name, why);
  }
  const revision = String(current.revision);
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== revision) {
    const why = `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${revision}). The object might have been modified`;
    throw conflict(kind, at.name, why);
  }
}
