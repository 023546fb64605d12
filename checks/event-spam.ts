import { z } from 'zod';
import type { Bound } from '../history/events.ts';
import type { RequestLife } from '../history/lives.ts';
import type { View } from '../history/view.ts';
import { formatObject } from '../model/operation.ts';
import type { Check } from './check.ts';
import { eventsOf } from './evidence.ts';
import { count, duration, indexes, measure, safetyPart } from './parts.ts';
import type { Part } from './parts.ts';

/** How many times the same may be written at once, and how long it takes until it may be written once more. */
const BURST = 25;
const ONE_MORE_MS = 300_000;
/** client-go asks its filter before it writes, by its own clock: a retry, or a clock that is set, may bring two writes nearer to each other. */
const SLACK = 1;

/** Not one of the harness's bounds: it follows neither from the target nor from the world. */
const AT_ONCE: Bound = {
  name: 'repeated-events',
  value: BURST + SLACK,
  unit: 'count',
  formula: '25 at once, one for retries, and one more every 5 minutes',
  reason: 'of all Events of one source about one object, client-go drops further ones (EventSourceObjectSpamFilter)',
  loose: 'a target that says the same again only when something has changed, or no more often than every few minutes, needs a few writes',
};

const WRITES: ReadonlySet<string> = new Set(['create events', 'patch events', 'update events']);
const referenceSchema = z.looseObject({
  apiVersion: z.string().nullish(),
  kind: z.string().nullish(),
  namespace: z.string().nullish(),
  name: z.string(),
  uid: z.string().nullish(),
});
const text = z.string().nullish();
/** Events of v1 name what they are about `involvedObject`, those of events.k8s.io/v1 `regarding`; what they say is `message` or `note`. */
const eventSchema = z.looseObject({
  involvedObject: referenceSchema.nullish(),
  regarding: referenceSchema.nullish(),
  source: z.looseObject({ component: text, host: text }).nullish(),
  reportingComponent: text,
  reportingController: text,
  reason: text,
  message: text,
  note: text,
});
/** Requests that a finding refers to. */
const SHOWN = 10;

/** What an Event says, and about what. */
interface Said {
  readonly object: string;
  readonly reason: string;
  /** Equal for Events that say the same. */
  readonly key: string;
}

/**
 * The same is not written about one object more often than client-go lets through for all that is written about it: each Event stays in etcd
 * for an hour, and whoever writes one at each pass fills it. Only writes that were answered count; a restart begins anew, as client-go does.
 * Different messages are not counted together, since a source may mean to write them all, as Cluster Autoscaler does about the ConfigMap
 * with its status. Source: `EventSourceObjectSpamFilter` in `tools/record/events_cache.go`, client-go v0.34.
 */
export const eventSpam: Check = {
  name: 'event-spam',
  summary: 'the same Event about the same object is not written without end',
  codes: { 'event-flood': 'the same was written about one object more often than client-go would let through' },
  judge: (view) => {
    const writes = [...view.requests.values()].filter(
      ({ start, effect, end }) => WRITES.has(start.operation) && effect?.effect.kind === 'applied' && end?.outcome === 'ok',
    );
    return writes.length === 0 ? undefined : judgeWrites(view, writes);
  },
};

function judgeWrites(view: View, writes: readonly RequestLife[]): Part {
  const groups = new Map<string, Group>();
  /** By the name of the Event: later writes to it don't repeat what it is about. */
  const named = new Map<string, Said>();
  for (const write of writes) {
    const { object = '', incarnation = 0, input } = write.start;
    const said = saidIn(input) ?? named.get(object) ?? { object, reason: '', key: object };
    for (const name of [object, ...idsOf(write)]) named.set(name, said);
    const key = `${incarnation} ${said.key}`;
    const group = groups.get(key) ?? { said, writes: [] };
    groups.set(key, group);
    group.writes.push(write);
  }
  const heights = [...groups.values()].map(heightOf);
  const findings = heights
    .filter(({ value }) => value > AT_ONCE.value)
    .map(({ object, reason, since }) => ({
      code: 'event-flood',
      object,
      events: indexes(since.slice(BURST, BURST + SHOWN).flatMap(eventsOf)),
      message: `The same Event (${reason}) about ${object} was written ${since.length} times from ${duration(since[0]?.start.t ?? 0)} to ${duration(since.at(-1)?.start.t ?? 0)} (bound ${AT_ONCE.name}, ${AT_ONCE.formula}).`,
    }));
  const summary = `${count(writes.length, 'write')} of Events, of ${count(groups.size, 'message')}`;
  return safetyPart(view, findings, summary, [measure(AT_ONCE, heights)]);
}

/** Writes that say the same, in order. */
interface Group {
  readonly said: Said;
  readonly writes: RequestLife[];
}

/** How high a bucket came that each write fills by one and every five minutes empties by one, and the writes since it was last empty. */
interface Height extends Pick<Said, 'object' | 'reason'> {
  readonly value: number;
  readonly since: readonly RequestLife[];
}

function heightOf({ said: { object, reason }, writes }: Group): Height {
  let [level, lastMs, from] = [0, 0, 0];
  let worst = { value: 0, from: 0, to: 0 };
  for (const [index, { start }] of writes.entries()) {
    level -= (start.t - lastMs) / ONE_MORE_MS;
    if (level <= 0) [level, from] = [0, index];
    level += 1;
    lastMs = start.t;
    if (level > worst.value) worst = { value: level, from, to: index };
  }
  return { value: worst.value, object, reason, since: writes.slice(worst.from, worst.to + 1) };
}

function idsOf({ effect }: RequestLife): readonly string[] {
  return effect?.effect.kind === 'applied' ? effect.effect.ids : [];
}

/** @returns undefined if the request does not say what its Event is about */
function saidIn(input: unknown): Said | undefined {
  const event = eventSchema.safeParse(input).data;
  const about = event?.involvedObject ?? event?.regarding;
  if (event === undefined || about === undefined || about === null) return undefined;
  // Its resource version changes all the time.
  const { apiVersion, kind, namespace, name, uid } = about;
  // As everything else is named: by the plural of its kind.
  const resource = `${(kind ?? 'object').toLowerCase()}${/s$/i.test(kind ?? '') ? 'es' : 's'}`;
  const object = formatObject({ resource, name, ...(namespace ? { namespace } : {}) });
  const { source, reportingComponent, reportingController, reason, message, note } = event;
  const key = JSON.stringify([
    source,
    reportingComponent,
    reportingController,
    apiVersion,
    kind,
    namespace,
    name,
    uid,
    reason,
    message,
    note,
  ]);
  return { object, reason: reason ?? 'without a reason', key };
}
