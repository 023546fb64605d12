import { formatTime } from '../../model/time.ts';
import { isJsonObject } from '../../protocols/kube/json.ts';
import type { JsonObject } from '../../protocols/kube/json.ts';
import { readManagers, writeManagers } from '../../protocols/kube/managers.ts';
import type { Manager } from '../../protocols/kube/managers.ts';
import { builtInShape, customShape } from '../../protocols/kube/merge-shape.ts';
import type { MergeShape } from '../../protocols/kube/merge-shape.ts';
import { managersAfterUpdate, ownersUnknown } from '../../protocols/kube/server-side-apply.ts';
import type { Change } from '../../protocols/kube/server-side-apply.ts';
import type { KubeTypes } from '../../protocols/kube/types.ts';
import type { SchemaOf } from './custom-schema.ts';
import { apiVersionOf } from './resource.ts';
import type { ApiObject, Resource } from './resource.ts';
import type { Store } from './store.ts';

/** Writes of an object that are remembered until its first apply: older ones belong to `before-first-apply`. */
const REMEMBERED_WRITES = 32;

/** The field manager that changes an object. */
export interface Author {
  readonly manager: string;
  /** The subresource that it uses, if any. */
  readonly subresource?: string | undefined;
}

/** One write. */
export interface Write {
  /** The object before; empty for a new one. */
  readonly before: JsonObject;
  /** The object as requested: with defaults, before admission. */
  readonly after: JsonObject;
  readonly by: Author;
  readonly resource: Resource;
  readonly timeMs: number;
}

/**
 * The owners of the fields of objects. An object shows them in `metadata.managedFields` after its first apply (as in Kubernetes
 * before 1.20). Until then its writes are remembered, so that the owners can be derived when needed.
 */
export class Ownership {
  readonly #types: KubeTypes;
  readonly #schemaOf: SchemaOf;
  /** By the uid of objects that were never applied. */
  readonly #writes = new Map<string, readonly Write[]>();

  constructor(store: Store, types: KubeTypes, schemaOf: SchemaOf) {
    this.#types = types;
    this.#schemaOf = schemaOf;
    store.onCommit(({ type, version }) => {
      if (type === 'DELETED') this.#writes.delete(version.object.metadata.uid ?? '');
    });
  }

  /** How objects of a resource are merged. */
  shapeOf(resource: Resource): MergeShape {
    const type = resource.custom ? undefined : this.#types.nameOf(apiVersionOf(resource), resource.kind);
    return type === undefined ? customShape(this.#schemaOf(resource), this.#types) : builtInShape(type, this.#types);
  }

  /** The managers that own fields of an object; empty if unknown. */
  managersOf(resource: Resource, { metadata }: ApiObject): readonly Manager[] {
    const shown = readManagers((metadata as JsonObject)['managedFields']);
    const [first, ...others] = this.#writes.get(metadata.uid ?? '') ?? [];
    if (shown.length > 0 || first === undefined) return shown;
    const isCreation = Object.keys(first.before).length === 0;
    const begin = isCreation ? [] : ownersUnknown(first.before, this.shapeOf(resource), changeOf(first));
    return [first, ...others].reduce<readonly Manager[]>((managers, write) => this.#after(managers, write), begin);
  }

  /** A changed object, with updated `metadata.managedFields` if it has any. */
  updated(write: Write & { readonly before: ApiObject; readonly after: ApiObject }): ApiObject {
    const { before, after } = write;
    const sent = readManagers((after.metadata as JsonObject)['managedFields']);
    const managers = sent.length > 0 ? sent : readManagers((before.metadata as JsonObject)['managedFields']);
    if (managers.length === 0) return after;
    const entries = writeManagers(this.#after(managers, { ...write, before: withoutManagers(before), after: withoutManagers(after) }));
    const metadata: JsonObject = { ...after.metadata, managedFields: entries };
    return { ...after, metadata };
  }

  /**
   * Remembers a write after it was stored.
   * @param uid of the object
   * @param isUnowned whether the changed fields get no owner
   */
  note(uid: string | undefined, write: Write, isUnowned: boolean): void {
    if (uid === undefined) return;
    if (isApplied(write.after)) this.#writes.delete(uid);
    else if (!isUnowned) this.#writes.set(uid, [...(this.#writes.get(uid) ?? []), write].slice(-REMEMBERED_WRITES));
  }

  #after(managers: readonly Manager[], write: Write): readonly Manager[] {
    const { before, after, resource } = write;
    const object = Object.keys(before).length === 0 && !resource.custom ? emptyAs(after) : before;
    return managersAfterUpdate({ object, managers }, after, this.shapeOf(resource), changeOf(write));
  }
}

/**
 * An empty object with the same templates: in Go their metadata is a struct, not a pointer, so that it is there before anybody has set
 * it. Nobody owns it, then: otherwise an apply without it would remove it, with the labels that a Job's strategy has added.
 */
function emptyAs({ spec }: JsonObject): JsonObject {
  const templates = (['template', 'jobTemplate'] as const).filter((name) => isJsonObject(spec) && isJsonObject(spec[name]));
  if (!isJsonObject(spec) || templates.length === 0) return {};
  const empty = templates.map((name) => [name, { metadata: {}, ...emptyAs(spec[name] as JsonObject) }] as const);
  return { spec: Object.fromEntries(empty) };
}

function changeOf({ by, resource, timeMs }: Write): Change {
  return {
    name: by.manager,
    operation: 'Update',
    apiVersion: apiVersionOf(resource),
    time: formatTime(timeMs),
    subresource: by.subresource,
  };
}

function isApplied({ metadata }: JsonObject): boolean {
  return isJsonObject(metadata) && metadata['managedFields'] !== undefined;
}

function withoutManagers(object: ApiObject): JsonObject {
  if (!isApplied(object)) return object;
  const { managedFields: _managers, ...metadata } = object.metadata as JsonObject;
  return { ...object, metadata };
}
