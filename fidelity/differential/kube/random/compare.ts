import type { Found } from '../../difference.ts';
import type { GridSite, NamedDifference } from '../../scripts.ts';
import type { Answer } from './answers.ts';
import { OPERATIONS, READS } from './script.ts';
import type { Step } from './script.ts';

/** Names a difference by operation, resource and path. */
export function nameDifference(
  { operation, resource }: Step,
  theirs: Answer,
  own: Answer,
  { path, kind, real, ours }: Found,
): NamedDifference {
  const reason = (theirs.body as { reason?: string } | undefined)?.reason;
  const outcome = `${theirs.status}${theirs.status >= 400 && reason !== undefined ? ` ${reason}` : ''}${theirs.status === own.status ? '' : ` (ours ${own.status})`}`;
  const name = `${operation} ${resource} ${outcome}: ${theirs.status === own.status ? `${path} ${kind}` : 'status'}`;
  return path === 'status' ? { name, real: theirs, ours: own } : { name, real, ours };
}

type Outcome = 'not found' | 'conflict' | 'invalid' | 'too many' | 'other';

export const GRID: GridSite<Outcome, Answer> = {
  operations: OPERATIONS,
  reads: READS,
  outcomes: ['done', 'not found', 'conflict', 'invalid', 'too many', 'other'],
  outcomeOf: ({ status }) => {
    if (status < 400) return 'done';
    if (status === 404) return 'not found';
    if (status === 409) return 'conflict';
    if (status === 422 || status === 400) return 'invalid';
    return status === 429 ? 'too many' : 'other';
  },
};
