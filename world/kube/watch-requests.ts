import type { Principal } from '../../model/operation.ts';
import { forbidden, notSupported } from '../../protocols/kube/field-error.ts';
import type { FieldError } from '../../protocols/kube/field-error.ts';
import { parseFieldTerms } from '../../protocols/kube/field-selector.ts';
import { isTrue } from '../../protocols/kube/request.ts';
import type { KubeOptions, KubeRequest } from '../../protocols/kube/request.ts';
import { StatusError, badRequest } from '../../protocols/kube/status.ts';
import type { Clock } from '../../runtime/clock.ts';
import { Mailbox } from '../../runtime/mailbox.ts';
import type { Random } from '../../runtime/random.ts';
import type { Caller } from '../../wire/backend.ts';
import type { Line } from '../../wire/wire.ts';
import { invalidOptions } from './bodies.ts';
import { readCount, readRevision } from './lists.ts';
import type { Writing } from './representation.ts';
import type { Resource } from './resource.ts';
import { selectionOf } from './selection.ts';
import type { Store } from './store.ts';
import { MAX_WAITING_EVENTS } from './watches.ts';
import type { WatchEvent, Watches } from './watches.ts';

/** The range of the time-out of a watch without its own, as with the real --min-request-timeout. */
const WATCH_TIMEOUT_SECONDS = { min: 1800, max: 3600 } as const;

/** What a watch needs. */
interface WatchSite {
  readonly store: Store;
  readonly watches: Watches;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Opens the watch that a request asks for.
 * @param callerSignal aborted when the caller gives up
 * @returns its lines, until its time-out
 * @throws StatusError 400, 422, 500 for invalid options
 */
export function openWatch(
  site: WatchSite,
  parsed: KubeRequest,
  resource: Resource,
  { principal, span }: Pick<Caller, 'principal' | 'span'>,
  writing: Writing,
  callerSignal: AbortSignal | undefined,
): AsyncIterable<Line> {
  const { store, watches, clock } = site;
  const { options, namespace } = parsed;
  const selection = selectionOf(resource, { ...options, ...fieldOf(parsed) });
  // Not a Status error in the real server, so it becomes a 500.
  const revision = readRevision(options.resourceVersion, (why) => new StatusError(500, '', why));
  const bookmarks = options.allowWatchBookmarks !== undefined && isTrue(options.allowWatchBookmarks);
  const initial = readInitialEvents(parsed);
  const requested = readCount(options.timeoutSeconds) ?? 0;
  const timeout = requested > 0 ? requested : drawTimeout(site.random, principal);

  const closing = new AbortController();
  const events = new Mailbox<WatchEvent>(MAX_WAITING_EVENTS, () => closing.abort(new Error('the watch was closed')));
  const close = (): void => events.close();
  const ends = [watches.stopping, ...(callerSignal === undefined ? [] : [callerSignal])];
  for (const end of ends) {
    end.addEventListener('abort', close, { once: true, signal: closing.signal });
    if (end.aborted) close();
  }
  // A rejection only means that the watch ended before its time-out.
  clock.sleep(timeout * 1000, closing.signal).then(close, () => undefined);
  const fromStart = initial ?? (revision === undefined || revision === 0);
  watches.open(
    {
      resource,
      namespace,
      selection,
      from: fromStart ? undefined : (revision ?? store.revision),
      bookmarks,
      initialEventsEnd: initial === true && bookmarks,
      // Without a revision, what is there at the time of the request must be shown (`getWatchCacheResourceVersion`).
      notOlderThan: initial === true ? (revision ?? store.revision) : undefined,
      end: close,
      ...(principal === 'target' ? { target: { span } } : {}),
    },
    closing.signal,
    (event) => {
      events.push(event);
      if (event.type === 'ERROR') events.close();
    },
  );
  return written(events, writing);
}

/** The lines of a watch, each written when the caller comes to it. */
async function* written(events: AsyncIterable<WatchEvent>, writing: Writing): AsyncIterable<Line> {
  for await (const event of events) yield writing.event(event);
}

/** A watch of one object (`/api/v1/watch/nodes/a`) selects it by its name. @throws StatusError 400 */
function fieldOf({ name, options: { fieldSelector = '' } }: KubeRequest): Pick<KubeOptions, 'fieldSelector'> {
  if (name === undefined) return {};
  const terms = parseFieldTerms(fieldSelector);
  if (terms.length === 0) return { fieldSelector: `metadata.name=${name}` };
  const isSame = terms.some(({ field, operator, value }) => field === 'metadata.name' && operator === '=' && value === name);
  if (!isSame) throw badRequest("fieldSelector metadata.name doesn't match requested name");
  return { fieldSelector };
}

function drawTimeout(random: Random, principal: Principal): number {
  return random.fork(`watch-timeout/${principal}`).int(WATCH_TIMEOUT_SECONDS.min, WATCH_TIMEOUT_SECONDS.max);
}

/**
 * Whether a watch requests the present objects first; undefined if its resource version decides. Checks the same as
 * `validateWatchOptions`.
 * @throws StatusError 422
 */
function readInitialEvents({ options }: KubeRequest): boolean | undefined {
  const { sendInitialEvents, resourceVersionMatch: match = '', continue: token = '' } = options;
  const field = 'resourceVersionMatch';
  const errors: FieldError[] = [];
  if (sendInitialEvents !== undefined && match !== MATCH) {
    errors.push(forbidden(field, `sendInitialEvents requires setting resourceVersionMatch to ${MATCH}`));
  }
  if (match !== '') {
    if (sendInitialEvents === undefined) {
      errors.push(forbidden(field, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'));
    }
    if (match !== MATCH) errors.push(notSupported(field, match, [MATCH]));
    if (token !== '') errors.push(forbidden(field, 'resourceVersionMatch is forbidden when continue is provided'));
  }
  if (errors.length > 0) throw invalidOptions('ListOptions', errors);
  return sendInitialEvents === undefined ? undefined : isTrue(sendInitialEvents);
}

/** The only match that a watch accepts. */
const MATCH = 'NotOlderThan';
