import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { unknownPart } from './parts.ts';

/** A trial that the harness did not complete proves nothing: its verdict is unknown, and the target is not blamed. */
export const harness: Check = {
  name: 'harness',
  summary: 'the trial ran to its end and its history is complete',
  codes: {},
  judge: (view) => {
    const trouble = failureOf(view);
    if (trouble !== undefined) return unknownPart(trouble);
    const ended = view.supervisor.length > 0;
    return {
      verdict: 'pass',
      summary: ended ? 'the supervisor ended the trial because of the target' : 'the trial reached its last phase',
      findings: [],
      measurements: [],
    };
  },
};

function failureOf(view: View): string | undefined {
  const [error] = view.harnessErrors;
  if (error?.cutShort === true) return error.message;
  if (error !== undefined) return `the ${error.culprit ?? 'harness'} failed: ${error.message}`;
  const supervisor = view.supervisor.find(({ culprit, cause }) => culprit === 'harness' || cause === 'interrupted');
  if (supervisor !== undefined) return `the trial was ended (${supervisor.cause}): ${supervisor.message}`;
  if (view.begin === undefined) return 'the history has no start';
  if (view.supervisor.length > 0) return undefined;
  if (view.truncated) return 'the history breaks off in the middle of a line';
  if (view.end === undefined) return 'the history breaks off before the trial was over';
  if (!view.complete) return 'the trial did not reach its last phase';
  return undefined;
}
