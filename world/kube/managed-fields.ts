import { formatTime } from '../../model/time.ts';
import { isJsonObject } from '../../protocols/kube/json.ts';
import type { JsonObject } from '../../protocols/kube/json.ts';
import { readManagers, writeManagers } from '../../protocols/kube/managers.ts';
import { builtInShape, customShape } from '../../protocols/kube/merge-shape.ts';
import type { MergeShape } from '../../protocols/kube/merge-shape.ts';
import { managersAfterUpdate } from '../../protocols/kube/server-side-apply.ts';
import type { KubeTypes } from '../../protocols/kube/types.ts';
import { apiVersionOf } from './resource.ts';
import type { ApiObject, Resource } from './resource.ts';

/** What the shape of a resource's objects is known from. */
export interface ShapeSite {
  readonly types: KubeTypes;
  /** Of a custom resource. */
  readonly schema: JsonObject | undefined;
}

/** How objects of a resource are merged. */
export function shapeOf({ types, schema }: ShapeSite, resource: Resource): MergeShape {
  const type = resource.custom ? undefined : types.nameOf(apiVersionOf(resource), resource.kind);
  return type === undefined ? customShape(schema, types) : builtInShape(type, types);
}

/**
 * A changed object with `metadata.managedFields` as the change leaves them. Unlike in the real server only objects that
 * were applied once have managed fields (as in Kubernetes before 1.20), only changes on the wire are followed, and a
 * default belongs to nobody.
 * @param by who changes it
 */
export function updatedFields(
  site: ShapeSite & { readonly nowMs: number },
  resource: Resource,
  old: ApiObject,
  changed: JsonObject,
  by: { readonly manager: string; readonly subresource: string | undefined },
): JsonObject {
  const metadata = isJsonObject(changed['metadata']) ? changed['metadata'] : {};
  const sent = readManagers(metadata['managedFields']);
  const known = readManagers((old.metadata as JsonObject)['managedFields']);
  const managers = sent.length > 0 ? sent : known;
  if (managers.length === 0) return changed;
  const change = {
    name: by.manager,
    operation: 'Update',
    apiVersion: apiVersionOf(resource),
    time: formatTime(site.nowMs),
    subresource: by.subresource,
  } as const;
  const next = managersAfterUpdate({ object: old, managers }, changed, shapeOf(site, resource), change);
  return { ...changed, metadata: { ...metadata, managedFields: writeManagers(next) } };
}
