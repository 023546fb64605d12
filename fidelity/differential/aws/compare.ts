import type { Found } from '../difference.ts';
import type { GridSite, NamedDifference } from '../scripts.ts';
import type { Answer } from './run-script.ts';
import { OPERATIONS, READS } from './script.ts';
import type { Step } from './script.ts';

/** Names a difference by operation and path, or by the codes of refusals. */
export function nameDifference({ operation }: Step, theirs: Answer, own: Answer, { path, kind, real, ours }: Found): NamedDifference {
  const isRefused = theirs.status !== 200 || own.status !== 200;
  if (isRefused) return { name: `${operation}: ${codeOf(theirs)} (ours ${codeOf(own)})`, real: theirs, ours: own };
  return { name: `${operation}: ${path} ${kind}`, real, ours };
}

function codeOf({ status, body }: Answer): string {
  return status === 200 ? '200' : `${status} ${(body as { code: string }).code}`;
}

type Outcome = 'not found' | 'malformed' | 'exists' | 'invalid' | 'dry run' | 'other';

export const GRID: GridSite<Outcome, Answer> = {
  operations: OPERATIONS,
  reads: READS,
  outcomes: ['done', 'not found', 'malformed', 'exists', 'invalid', 'dry run', 'other'],
  outcomeOf: (answer) => {
    const code = codeOf(answer);
    if (answer.status === 200) return 'done';
    if (/NotFound|DoesNotExist/.test(code)) return 'not found';
    if (/Malformed/.test(code)) return 'malformed';
    if (/AlreadyExists/.test(code)) return 'exists';
    if (/InvalidParameter|MissingParameter|ReceiptHandleIsInvalid|NotDistinct/.test(code)) return 'invalid';
    return code.endsWith('DryRunOperation') ? 'dry run' : 'other';
  },
};
