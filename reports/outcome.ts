import type { EventOf } from '../history/events.ts';
import type { RequestLife } from '../history/lives.ts';
import type { View } from '../history/view.ts';

/**
 * What the target learnt of a request: `ok`; `partial`, a good answer with errors in it; `fail`; `info`, it doesn't know
 * whether the request took effect; `open`, an open watch, or a request that was under way when the history ended.
 */
export type Outcome = 'ok' | 'partial' | 'fail' | 'info' | 'open';

export function outcomeOf({ start, end }: RequestLife, view: View): Outcome {
  if (end !== undefined) return hasErrorsBeside(end) ? 'partial' : end.outcome;
  if (start.operation.startsWith('watch ')) return 'open';
  // The dead don't learn.
  const isDead = view.incarnations.some(({ number, exit }) => number === start.incarnation && exit !== undefined);
  return isDead ? 'info' : 'open';
}

/** A fleet's answer may be good and have errors beside its instances, which the note tells. */
export function hasErrorsBeside(end: EventOf<'request.end'>): boolean {
  return end.outcome === 'ok' && /\berrors: [A-Za-z]/.test(end.note ?? '');
}
