import { z } from 'zod';
import { nearest } from './nearest.ts';

/** The part of zod's issue about a map. */
interface MapIssue {
  readonly code?: string | undefined;
  readonly keys?: readonly string[] | undefined;
  readonly input?: unknown;
  readonly inst?: unknown;
}

/**
 * The error for an invalid map of fields in a user's file. For an unknown field it suggests the likely one; for anything else it
 * says what it must be.
 * @param missing what the field takes, for the message if it was left out
 */
export function objectErrorOf(message: string, missing?: string): (issue: MapIssue) => string {
  return ({ code, keys = [], input, inst }) => {
    if (code === 'unrecognized_keys') {
      const known = inst instanceof z.ZodObject ? Object.keys(inst.shape) : [];
      return keys.map((key) => `has no field ${key}${hintOf(key, known)}`).join(', ');
    }
    if (input === undefined) return missing === undefined ? 'is missing' : `is missing: ${missing}`;
    return message;
  };
}

/** The same for a map without further hints. */
export const objectError = objectErrorOf('must be a map of fields', 'it is a map of fields');

function hintOf(key: string, known: readonly string[]): string {
  if (known.length === 0) return '';
  const near = nearest(key, known);
  return near === undefined ? `; known fields: ${known.join(', ')}` : `; did you mean ${near}?`;
}
