import { z } from 'zod';
import type { Bound } from '../history/events.ts';
import { instancesAsked, isLaunch, launchInputOf } from '../history/launch-requests.ts';
import type { RequestLife } from '../history/lives.ts';
import type { View } from '../history/view.ts';
import { namedPool } from '../model/kube.ts';
import type { Check } from './check.ts';
import { eventsOf } from './evidence.ts';
import { duration, indexes, measure, mergeParts, safetyPart, withBound } from './parts.ts';
import type { Part } from './parts.ts';

/** How often the same request may be sent within a minute. */
const REPEATS_BOUND = 'repeats-a-minute';
/** The same if the server asked for it. */
const ASKED_FOR_BOUND = 'repeats-asked-for-a-minute';
const CREATE_CLAIM = 'create nodeclaims';
const EVICTION = 'create pods/eviction';
/** The same for requests that got a response but had no effect. */
const ANSWERED_BOUND = 'empty-answers-a-minute';
const MINUTE_MS = 60_000;
const RECEIVE = 'sqs:ReceiveMessage';
/** The codes with which AWS and Kubernetes throttle. */
const THROTTLED = /Throttl|RequestLimitExceeded|TooManyRequests|SlowDown|RequestThrottled/;
const namedByServer = z.looseObject({ metadata: z.looseObject({ generateName: z.string(), name: z.literal('').nullish() }) });
/** Repetitions that a finding refers to. */
const SHOWN = 10;

/**
 * A client that is refused backs off. Within any minute, the same request is not sent without success more often than a
 * backoff would: a client that hammers a throttling API uses up the budget of everyone who shares its account.
 *
 * Unsuccessful are changes that were refused, lost, or had no effect (a fleet without an instance), reads of AWS that were
 * throttled, and failed receives from a queue: one that works waits for a message, so only a failed one can be repeated at once.
 * Other reads are polls, and successful changes are not repetitions. Changes are the same if they are equal byte
 * for byte, client token included. Launches count all together, because a client that draws a new token for each try still
 * requests the same: what is limited is the rounds of launches. A round asks once for each launch that was needed, in one request
 * for all or in one for each. A restart begins anew: a backoff is lost with its process. Equal reads of EC2 and creations of claims whose
 * names the API server generates, which each launch may need, are limited to that number per launch that was needed.
 */
export const requestAmplification: Check = {
  name: 'request-amplification',
  summary: 'failing requests are not repeated without a backoff',
  codes: { 'request-hammered': 'the same request was sent without success more often in a minute than any backoff allows' },
  judge: (view) => {
    if (view.requests.size === 0) return undefined;
    const requests = [...view.requests.values()];
    // Histories of earlier versions have one bound for both.
    const askedFor = view.bounds.has(ASKED_FOR_BOUND) ? requests.filter(isAskedFor) : [];
    const known = new Set(askedFor);
    const refused = requests.filter((one) => isRefused(one) && !known.has(one));
    return mergeParts([
      withBound(view, REPEATS_BOUND, (bound) => judgeRepeats(view, refused, bound)),
      ...(askedFor.length === 0 ? [] : [withBound(view, ASKED_FOR_BOUND, (bound) => judgeRepeats(view, askedFor, bound))]),
      withBound(view, ANSWERED_BOUND, (bound) => judgeRepeats(view, requests.filter(hadNoEffect), bound)),
    ]);
  },
};

function judgeRepeats(view: View, unsuccessful: readonly RequestLife[], bound: Bound): Part {
  const reasons = reasonsIn(view);
  const equal = groupBy(
    unsuccessful.filter((request) => !isLaunch(view, request) || hasToken(request)),
    ({ start }) => JSON.stringify([start.incarnation, start.operation, start.object, start.input]),
  );
  const launches = groupBy(
    unsuccessful.filter((request) => isLaunch(view, request)),
    ({ start }) => `${start.incarnation} ${start.operation}`,
  );
  const once = (): number => 1;
  const worst = [
    ...equal.map((requests) => worstMinute(requests, requests.some(mayServeLaunch) ? reasons : once, once)),
    ...launches.map((requests) => worstMinute(requests, reasons, (request) => Math.max(1, instancesAsked(view, request) || 1))),
  ];
  const hammered = worst.filter(({ value }) => value > bound.value);
  const findings = hammered.map(({ value, sent, share, object, requests, first }) => ({
    code: 'request-hammered',
    object,
    events: indexes(requests.slice(first, first + SHOWN).flatMap(eventsOf)),
    message: `${requests[0]?.start.operation ?? 'A request'} was sent ${sent} times without success within a minute from ${duration(requests[first]?.start.t ?? 0)} on${share > 1 ? `, ${Math.round(value)} times for each of the ${share} launches that were needed` : ''} (bound ${bound.name}, ${bound.value}).`,
  }));
  return safetyPart(view, findings, `${hammered.length} of ${equal.length} different requests were sent too often`, [
    measure(bound, worst),
  ]);
}

function groupBy(requests: readonly RequestLife[], keyOf: (request: RequestLife) => string): RequestLife[][] {
  const groups = new Map<string, RequestLife[]>();
  for (const request of requests) {
    const key = keyOf(request);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [request]);
    else group.push(request);
  }
  return [...groups.values()];
}

/** Refused or lost; for reads only if AWS throttled them, or if they wait for messages. */
function isRefused({ start: { mutating, wire, operation }, end }: RequestLife): boolean {
  if (mutating) return end?.outcome !== 'ok';
  return wire === 'aws' && end?.outcome === 'fail' && (operation === RECEIVE || THROTTLED.test(end.code ?? ''));
}

/** The API server was busy, and said when to try again. An eviction is refused with the same status, but without that. */
function isAskedFor({ start: { mutating, wire, operation }, end }: RequestLife): boolean {
  return mutating && wire === 'kube' && end?.status === 429 && operation !== EVICTION;
}

/** Each launch may need such a request of its own: a read, or the creation of a claim whose name the API server generates. */
function mayServeLaunch({ start: { mutating, operation, input } }: RequestLife): boolean {
  return mutating ? operation === CREATE_CLAIM && namedByServer.safeParse(input).success : operation !== RECEIVE;
}

function hadNoEffect({ start: { mutating }, end, effect }: RequestLife): boolean {
  return mutating && end?.outcome === 'ok' && effect?.effect.kind === 'none';
}

function hasToken({ start }: RequestLife): boolean {
  return launchInputOf(start).ClientToken !== undefined;
}

interface Minute {
  /** Rounds: a request counts in full if it is for all launches that were needed, and in part if it is for some of them. */
  readonly value: number;
  readonly sent: number;
  readonly share: number;
  readonly object: string;
  readonly requests: readonly RequestLife[];
  readonly first: number;
}

/**
 * The minute with the most rounds of them.
 * @param shareOf how many launches were needed from the first of them to the last
 * @param sizeOf how many of these launches a request is for, at least one
 */
function worstMinute(
  requests: readonly RequestLife[],
  shareOf: (first: RequestLife, last: RequestLife) => number,
  sizeOf: (request: RequestLife) => number,
): Minute {
  const sizes = requests.map(sizeOf);
  let from = 0;
  let size = 0;
  let worst = { value: 0, sent: 0, share: 1, first: 0 };
  requests.forEach((last, index) => {
    size += sizes[index] ?? 0;
    for (; (requests[from]?.start.t ?? last.start.t) <= last.start.t - MINUTE_MS; from += 1) size -= sizes[from] ?? 0;
    const sent = index - from + 1;
    // A share is never less than one.
    if (sent <= worst.value) return;
    const share = shareOf(requests[from] ?? last, last);
    // What can't be more than the worst need not be added up.
    if (size / share <= worst.value) return;
    const value = sizes.slice(from, index + 1).reduce((sum, one) => sum + Math.min(one, share), 0) / share;
    if (value > worst.value) worst = { value, sent, share, first: from };
  });
  const [one] = requests;
  return { ...worst, object: one?.start.object ?? one?.start.operation ?? 'target', requests };
}

/**
 * How many launches may have been needed between two requests: a node for each pod without one, for each claim or node
 * that was being removed, and for each that a pool of fixed size lacked at the first, but at most as many as the target ever launched,
 * or has claims for that have no instance, and at least one.
 */
function reasonsIn(view: View): (first: RequestLife, last: RequestLife) => number {
  const indexOf = (event: { readonly i: number } | undefined): number => event?.i ?? Infinity;
  const spans = [
    ...view.pods.map(({ created, scheduled, running, terminating, gone }) => ({
      from: created?.i ?? 0,
      to: Math.min(...[scheduled, running, terminating, gone].map(indexOf)),
    })),
    ...view.claims.map(({ terminating, gone }) => ({ from: indexOf(terminating), to: indexOf(gone) })),
    ...view.nodes.map(({ steps, gone }) => ({ from: indexOf(steps.find(({ to }) => to === 'cordoned')), to: indexOf(gone) })),
  ];
  const needed = overlapping(spans);
  const claimed = overlapping(
    view.claims.map(({ created, linked, gone }) => ({ from: indexOf(created), to: Math.min(indexOf(linked), indexOf(gone)) })),
  );
  const launched = view.instances.filter(({ launched: { span } }) => span !== undefined).length;
  const sizes = new Map<string, number>();
  for (const { pool } of view.pools) sizes.set(pool.name, Math.max(sizes.get(pool.name) ?? 0, pool.replicas ?? 0));
  const fixed = [...sizes].flatMap(([name, replicas]) => {
    if (replicas === 0) return [];
    const own = view.instances.filter(({ launched }) => namedPool(launched.tags) === name);
    return [{ replicas, there: overlapping(own.map(({ launched, ending }) => ({ from: launched.i, to: indexOf(ending) }))) }];
  });
  const missingAt = (index: number): number =>
    fixed.reduce((sum, { replicas, there }) => sum + Math.max(0, replicas - there(index, index)), 0);
  return ({ start: first }, { start: last }) =>
    Math.max(1, Math.min(missingAt(first.i) + needed(first.i, last.i), Math.max(launched, claimed(first.i, last.i))));
}

/** Counts the spans, of indexes of events, that overlap with one from the first to the last index. */
function overlapping(spans: readonly { readonly from: number; readonly to: number }[]): (first: number, last: number) => number {
  const begun = spans.map(({ from }) => from).sort((a, b) => a - b);
  const over = spans.map(({ to }) => to).sort((a, b) => a - b);
  return (first, last) => countBelow(begun, last) - countBelow(over, first);
}

/** How many of some numbers in ascending order are less than a limit. */
function countBelow(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? Infinity) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
