import jsonPatch from 'fast-json-patch';
import type { Operation } from 'fast-json-patch';
import { z } from 'zod';
import { isJsonObject, jsonType } from './json.ts';
import { badRequest, patchFailed, requestTooLarge } from './status.ts';

const operationsShape = z.array(z.looseObject({ op: z.string(), path: z.string() }));

/** Most operations in one patch, as the API server allows. */
const MAX_OPERATIONS = 10_000;

/** Most bytes that the copies of one patch may make (`JSONPatchMaxCopyBytes`). */
const MAX_COPIED_BYTES = 3 * 1024 * 1024;

/**
 * Applies a JSON patch (RFC 6902).
 * @param document the caller's own copy: it is changed
 * @throws StatusError 400 for a malformed patch, 413 for too many operations, 422 for a patch that doesn't apply to the document
 */
export function applyJsonPatch(document: unknown, patch: unknown): unknown {
  const operations = operationsShape.safeParse(patch);
  if (!operations.success) {
    throw badRequest(`error decoding patch: json: cannot unmarshal ${jsonType(patch)} into Go value of type []handlers.jsonPatchOp`);
  }
  if (operations.data.length > MAX_OPERATIONS) {
    throw requestTooLarge(`The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${operations.data.length}`);
  }
  let result = document;
  let copiedBytes = 0;
  for (const operation of operations.data as Operation[]) {
    try {
      if (operation.op === 'copy') copiedBytes += Buffer.byteLength(JSON.stringify(jsonPatch.getValueByPointer(result, operation.from)));
      if (isTestOfNothing(result, operation)) continue;
      if (copiedBytes > MAX_COPIED_BYTES) throw new Error('the copies of the patch are too large');
      result = jsonPatch.applyOperation(result, asAddition(result, operation), true, true).newDocument;
    } catch {
      // The library throws its own errors for a patch that doesn't apply, and plain ones for prototype pollution.
      throw patchFailed();
    }
  }
  return result;
}

/** In the real server's library, a missing key of an object is null for `test`. */
function isTestOfNothing(document: unknown, operation: Operation): boolean {
  if (operation.op !== 'test' || operation.path === '' || operation.value !== null) return false;
  const { parent, key } = placeOf(document, operation.path);
  return isJsonObject(parent) && !Object.hasOwn(parent, key);
}

function placeOf(document: unknown, path: string): { readonly parent: unknown; readonly key: string } {
  const end = path.lastIndexOf('/');
  return {
    parent: jsonPatch.getValueByPointer(document, path.slice(0, end)) as unknown,
    key: jsonPatch.unescapePathComponent(path.slice(end + 1)),
  };
}

/** In the real server's library (`gopkg.in/evanphx/json-patch.v4`), `replace` of a missing key adds it. */
function asAddition(document: unknown, operation: Operation): Operation {
  if (operation.op !== 'replace' || operation.path === '') return operation;
  const { parent, key } = placeOf(document, operation.path);
  return isJsonObject(parent) && !Object.hasOwn(parent, key) ? { ...operation, op: 'add' } : operation;
}
