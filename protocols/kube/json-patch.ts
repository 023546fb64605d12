import jsonPatch from 'fast-json-patch';
import type { Operation } from 'fast-json-patch';
import { z } from 'zod';
import { jsonType } from './json.ts';
import { badRequest, patchFailed, requestTooLarge } from './status.ts';

const operationsShape = z.array(z.looseObject({ op: z.string(), path: z.string() }));

/** Most operations in one patch, as the API server allows. */
const MAX_OPERATIONS = 10_000;

/**
 * Applies a JSON patch (RFC 6902).
 * @param document the caller's own copy: it is changed
 * @throws StatusError 400 for what is no patch, 413 for one of too many operations, 422 for one that doesn't fit the document
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
  for (const operation of operations.data as Operation[]) {
    try {
      result = jsonPatch.applyOperation(result, operation, true, true).newDocument;
    } catch {
      // The library throws errors of its own for what doesn't fit, and plain ones for attempts on prototypes.
      throw patchFailed();
    }
  }
  return result;
}
