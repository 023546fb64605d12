import type { EventOf } from '../history/events.ts';
import type { RequestLife } from '../history/lives.ts';
import type { View } from '../history/view.ts';

/**
 * What the target learnt about a request: `ok`; `partial`, a successful response with errors in it; `fail`; `info`, it doesn't know
 * whether the request took effect; `open`, an open watch, or a request in progress when the history ended.
 */
export type Outcome = 'ok' | 'partial' | 'fail' | 'info' | 'open';

export function outcomeOf({ start, end }: RequestLife, view: View): Outcome {
  if (end !== undefined) return hasErrorsBeside(end) ? 'partial' : end.outcome;
  if (start.operation.startsWith('watch ')) return 'open';
  // A dead incarnation learns nothing.
  const isDead = view.incarnations.some(({ number, exit }) => number === start.incarnation && exit !== undefined);
  return isDead ? 'info' : 'open';
}

/** Whether the response has errors besides instances, as from CreateFleet; the note says so. */
export function hasErrorsBeside(end: EventOf<'request.end'>): boolean {
  return end.outcome === 'ok' && /\berrors: [A-Za-z]/.test(end.note ?? '');
}
