import { z } from 'zod';
import { nearest } from './nearest.ts';

/** What zod tells of a map that it refuses. */
interface MapIssue {
  readonly code?: string | undefined;
  readonly keys?: readonly string[] | undefined;
  readonly input?: unknown;
  readonly inst?: unknown;
}

/**
 * What is wrong with a map of fields in a user's file. Says of unknown fields what they are and which may be meant; of anything
 * else what it must be.
 * @param missing what the field takes, for who left it out
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

/** The same of a map that nothing more is to be said of. */
export const objectError = objectErrorOf('must be a map of fields', 'it is a map of fields');

function hintOf(key: string, known: readonly string[]): string {
  if (known.length === 0) return '';
  const near = nearest(key, known);
  return near === undefined ? `; there are ${known.join(', ')}` : `; did you mean ${near}?`;
}
