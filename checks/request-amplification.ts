import type { Bound } from '../history/events.ts';
import type { RequestLife } from '../history/lives.ts';
import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { eventsOf } from './evidence.ts';
import { indexes, measure, mergeParts, safetyPart, seconds, withBound } from './parts.ts';
import type { Part } from './parts.ts';

/** Most that one and the same request is sent within a minute. */
const REPEATS_BOUND = 'repeats-a-minute';
const MINUTE_MS = 60_000;
/** Repetitions that a finding points at. */
const SHOWN = 10;

/**
 * Who is refused backs off. The same request for a change, to the letter but for its client token, is not sent in vain
 * more often within any minute than a backoff does: a client that hammers an API that throttles it takes the budget of
 * all who share its account. Requests that were answered are no repetitions, and reads are polled by their nature.
 */
export const requestAmplification: Check = {
  name: 'request-amplification',
  summary: 'the same request is not sent again and again without backing off',
  codes: { 'request-hammered': 'one and the same request was sent more often in a minute than any backoff would' },
  judge: (view) => {
    if (view.requests.size === 0) return undefined;
    return mergeParts([withBound(view, REPEATS_BOUND, (bound) => judgeRepeats(view, bound))]);
  },
};

function judgeRepeats(view: View, bound: Bound): Part {
  const worst = [...groupBySame(view)].map(worstMinute);
  const hammered = worst.filter(({ value }) => value > bound.value);
  const findings = hammered.map(({ value, object, requests, first }) => ({
    code: 'request-hammered',
    object,
    events: indexes(requests.slice(first, first + SHOWN).flatMap(eventsOf)),
    message: `The same ${requests[0]?.start.operation ?? 'request'} was sent ${value} times in vain within a minute from ${seconds(requests[first]?.start.t ?? 0)} on (bound ${bound.name}, ${bound.value}).`,
  }));
  return safetyPart(view, findings, `${hammered.length} of ${worst.length} different changes were asked for too often`, [
    measure(bound, worst),
  ]);
}

/** Requests for changes that brought nothing and are equal, in the order in which they were sent. */
function groupBySame(view: View): Iterable<RequestLife[]> {
  const groups = new Map<string, RequestLife[]>();
  for (const request of view.requests.values()) {
    const { mutating, operation, object, input } = request.start;
    if (!mutating || request.end?.outcome === 'ok') continue;
    const key = JSON.stringify([operation, object, withoutToken(input)]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [request]);
    else group.push(request);
  }
  return groups.values();
}

/** Who draws a new token for each try asks for the same all the same. */
function withoutToken(input: unknown): unknown {
  return typeof input === 'object' && input !== null && 'ClientToken' in input ? { ...input, ClientToken: undefined } : input;
}

/** The minute with the most of them. */
function worstMinute(requests: readonly RequestLife[]): {
  readonly value: number;
  readonly object: string;
  readonly requests: readonly RequestLife[];
  readonly first: number;
} {
  let from = 0;
  let worst = { value: 0, first: 0 };
  requests.forEach(({ start }, index) => {
    while ((requests[from]?.start.t ?? start.t) <= start.t - MINUTE_MS) from += 1;
    const value = index - from + 1;
    if (value > worst.value) worst = { value, first: from };
  });
  const [one] = requests;
  return { ...worst, object: one?.start.object ?? one?.start.operation ?? 'target', requests };
}
