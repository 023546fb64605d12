import { z } from 'zod';
import { nearest } from './nearest.ts';

/** What is wrong with a map of fields in a user's file: a field that there is not, with what was meant, or no map at all. */
export function objectError(issue: {
  readonly code?: string | undefined;
  readonly keys?: readonly string[] | undefined;
  readonly input?: unknown;
  readonly inst?: unknown;
}): string {
  if (issue.code !== 'unrecognized_keys')
    return issue.input === undefined ? 'is missing: it is a map of fields' : 'must be a map of fields';
  const known = issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : [];
  return (issue.keys ?? [])
    .map((key) => {
      const near = nearest(key, known);
      return `has no field ${key}; ${near === undefined ? `there are ${known.join(', ')}` : `did you mean ${near}?`}`;
    })
    .join(', ');
}
