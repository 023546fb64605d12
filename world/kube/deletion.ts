import { badRequest, conflict } from '../../protocols/kube/status.ts';
import { formatTime, parseTime } from '../../model/time.ts';
import type { Location, Writer } from './registry.ts';
import { objectKey } from './resource.ts';
import type { ApiObject } from './resource.ts';
import { Version } from './store.ts';
import type { Store } from './store.ts';

/** What a deletion asks for. */
export interface Deletion {
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagationPolicy?: string | undefined;
  readonly preconditions?: { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined } | undefined;
}

/** Whether an object whose deletion has begun waits for nothing any more. */
export function isReadyToGo({ metadata }: ApiObject): boolean {
  const waits = (metadata.finalizers?.length ?? 0) > 0 || (metadata.deletionGracePeriodSeconds ?? 0) > 0;
  return metadata.deletionTimestamp !== undefined && !waits;
}

/**
 * Deletes an object as `registry.Store.Delete` and `rest.BeforeDelete` of the real API server do: preconditions; a
 * grace period for resources that have one, which a later deletion can only shorten; finalizers keep the object.
 * A graceful resource is marked before it is removed, so watchers see both changes even for a period of 0.
 * Background propagation only: dependents are the garbage collector's.
 */
export function deleteObject(request: {
  readonly current: Version;
  readonly at: Location;
  readonly deletion: Deletion;
  readonly writer: Writer;
  readonly store: Store;
  readonly nowMs: number;
}): { version: Version; gone: boolean } {
  const { current, at, deletion, writer, store, nowMs } = request;
  checkPreconditions(at, current, deletion);
  if (deletion.propagationPolicy !== undefined && deletion.propagationPolicy !== 'Background') {
    throw badRequest(`propagation policy ${deletion.propagationPolicy} is not served by the embedded world`);
  }
  const marked = mark(current.object, at, deletion, nowMs);
  if (marked === undefined) return { version: current, gone: false };

  const key = objectKey(at.namespace, at.name);
  const graceful = at.resource.rules.gracePeriodSeconds !== undefined;
  const goes = isReadyToGo(marked);
  if (writer.dryRun) return { version: new Version(marked, store.revision), gone: goes };
  const changed = graceful || !goes;
  const version = changed && marked !== current.object ? store.put(at.resource, key, marked, writer.principal) : current;
  if (!goes) return { version, gone: false };
  return { version: store.remove(at.resource, key, writer.principal) ?? version, gone: true };
}

/** The object marked for deletion; undefined when the deletion changes nothing. */
function mark(object: ApiObject, at: Location, deletion: Deletion, nowMs: number): ApiObject | undefined {
  const { metadata } = object;
  const { gracePeriodSeconds } = at.resource.rules;
  if (metadata.deletionTimestamp !== undefined) {
    const before = metadata.deletionGracePeriodSeconds ?? 0;
    if (before === 0) return isReadyToGo(object) ? object : undefined;
    const asked = deletion.gracePeriodSeconds;
    if (asked === undefined || asked >= before) return undefined;
    const deletionTimestamp = formatTime(parseTime(metadata.deletionTimestamp) + (asked - before) * 1000);
    return { ...object, metadata: { ...metadata, deletionTimestamp, deletionGracePeriodSeconds: asked } };
  }
  const period = gracePeriodSeconds?.(object, deletion.gracePeriodSeconds) ?? 0;
  const generation = metadata.generation === undefined ? {} : { generation: metadata.generation + 1 };
  const deletionTimestamp = formatTime(nowMs + period * 1000);
  return { ...object, metadata: { ...metadata, ...generation, deletionTimestamp, deletionGracePeriodSeconds: period } };
}

function checkPreconditions(at: Location, current: Version, { preconditions }: Deletion): void {
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
