import type { Found } from '../difference.ts';
import type { GridSite, NamedDifference } from '../scripts.ts';
import type { Answer } from './run-script.ts';
import { OPERATIONS, READS } from './script.ts';
import type { Step } from './script.ts';

/** Names a difference by operation and path, or by the codes of refusals. */
export function nameDifference({ operation }: Step, theirs: Answer, own: Answer, { path, kind, real, ours }: Found): NamedDifference {
  const [code, ownCode] = [codeOf(theirs), codeOf(own)];
  if (code !== ownCode) return { name: `${operation}: ${code} (ours ${ownCode})`, real: theirs, ours: own };
  return { name: `${operation}: ${path} ${kind}`, real, ours };
}

function codeOf({ status, body }: Answer): string {
  return status === 200 ? '200' : `${status} ${(body as { code: string }).code}`;
}

export const GRID: GridSite<'refused', Answer> = {
  operations: OPERATIONS,
  reads: READS,
  outcomes: ['done', 'refused'],
  outcomeOf: ({ status }) => (status === 200 ? 'done' : 'refused'),
};
