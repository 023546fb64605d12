import { readMediaType } from '../../protocols/kube/accept.ts';
import { APPLY_TYPE, JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH } from '../../protocols/kube/body.ts';
import { applyJsonPatch } from '../../protocols/kube/json-patch.ts';
import { depthProblem } from '../../protocols/kube/json-syntax.ts';
import { formatGo, isJsonObject, jsonType } from '../../protocols/kube/json.ts';
import { mergePatch } from '../../protocols/kube/merge-patch.ts';
import { badRequest, invalidObject, patchFailed, unroutedMediaType, unsupportedMediaType } from '../../protocols/kube/status.ts';
import { strategicMergePatch } from '../../protocols/kube/strategic-merge-patch.ts';
import type { KubeTypes } from '../../protocols/kube/types.ts';
import { strictDecodingError } from './field-validation.ts';
import { apiVersionOf } from './resource.ts';
import type { BodyType } from './resource.ts';

/** Returns the patched object without changing the current one. @throws StatusError */
export type Patch = (current: object) => unknown;

/**
 * Reads a patch by its content type. Custom resources don't accept strategic merge patches, since they have no merge keys for
 * lists.
 * @returns `apply` for a server-side apply, whose body is not a patch of an object
 * @throws StatusError 415
 */
export function readPatch(resource: BodyType, contentType: string | undefined, body: unknown, types: KubeTypes): Patch | 'apply' {
  const strategic = resource.custom ? undefined : types.nameOf(apiVersionOf(resource), resource.kind);
  switch (readMediaType(contentType ?? '').type) {
    case MERGE_PATCH:
      if (!isJsonObject(body)) {
        throw badRequest(`error decoding patch: json: cannot unmarshal ${jsonType(body)} into Go value of type map[string]interface {}`);
      }
      return (current) => mergePatch(current, body);
    case JSON_PATCH:
      return (current) => {
        // The library changes the document in place.
        const patched = applyJsonPatch(JSON.parse(JSON.stringify(current)), body);
        // Only a JSON patch can make an object deeper than itself and the patch.
        if (depthProblem(patched) !== undefined) throw patchFailed();
        return patched;
      };
    case STRATEGIC_MERGE_PATCH:
      if (strategic !== undefined) return (current) => strategicMergePatch(current, body, strategic, types);
      break;
    case APPLY_TYPE:
      return 'apply';
  }
  // For built-in resources, the real server's router refuses other types.
  throw resource.custom ? unsupportedMediaType([JSON_PATCH, MERGE_PATCH, APPLY_TYPE]) : unroutedMediaType();
}

/** A patch as shown in messages: a strategic one as Go prints it, otherwise the patched object. */
export function shownPatch(patch: unknown, patched: unknown, contentType: string | undefined): string {
  if (isStrategicPatch(contentType) || !isJsonObject(patched)) return formatGo(patch);
  return JSON.stringify(Object.fromEntries(Object.entries(patched).sort(([a], [b]) => (a < b ? -1 : 1))));
}

export function isStrategicPatch(contentType: string | undefined): boolean {
  return readMediaType(contentType ?? '').type === STRATEGIC_MERGE_PATCH;
}

/** The refusal of a patch with unknown or duplicate fields. @param shown the patch as shown in the message */
export function strictPatchError(shown: string, problems: readonly string[]): ReturnType<typeof invalidObject> {
  const message = `Invalid value: ${JSON.stringify(shown)}: ${strictDecodingError(problems)}`;
  return invalidObject({ group: '', resource: '' }, '', [{ reason: 'FieldValueInvalid', field: 'patch', message }]);
}
