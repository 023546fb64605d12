import { z } from 'zod';
import type { Bound } from '../history/events.ts';
import type { RequestLife } from '../history/lives.ts';
import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { eventsOf } from './evidence.ts';
import { count, duration, indexes, measure, safetyPart } from './parts.ts';
import type { Part } from './parts.ts';

/** How many Events about one object may be written at once, and how long it takes until there may be one more. */
const BURST = 25;
const ONE_MORE_MS = 300_000;

/** Not one of the harness's bounds: it follows neither from the target nor from the world. */
const AT_ONCE: Bound = {
  name: 'events-per-object',
  value: BURST,
  unit: 'count',
  formula: 'a burst of 25, and one more every 5 minutes',
  reason:
    'client-go drops any further Event of one source about one object (EventSourceObjectSpamFilter), so autoscalers that use it stay within',
};

const WRITES: ReadonlySet<string> = new Set(['create events', 'patch events', 'update events']);
const referenceSchema = z.looseObject({
  kind: z.string().nullish(),
  namespace: z.string().nullish(),
  name: z.string(),
  uid: z.string().nullish(),
});
/** Events of v1 name what they are about `involvedObject` and their source `source`, those of events.k8s.io/v1 `regarding` and `reportingController`. */
const eventSchema = z.looseObject({
  involvedObject: referenceSchema.nullish(),
  regarding: referenceSchema.nullish(),
  source: z.looseObject({ component: z.string().nullish() }).nullish(),
  reportingController: z.string().nullish(),
});
/** Requests that a finding refers to. */
const SHOWN = 10;

/** What an Event is about, and a key for it and the source. */
interface Subject {
  readonly object: string;
  readonly key: string;
}

/**
 * Events about one object are written no more often than client-go's own recorder lets through: each stays in etcd for an hour, and
 * whoever writes one at each pass fills it. Only writes that took effect count; a restart begins anew, as client-go does. Source:
 * `EventSourceObjectSpamFilter` in `tools/record/events_cache.go`, client-go v0.34.
 */
export const eventSpam: Check = {
  name: 'event-spam',
  summary: 'Events about one object are not written without end',
  codes: { 'event-flood': 'more Events about one object were written than client-go would let through' },
  judge: (view) => {
    const writes = [...view.requests.values()].filter(
      ({ start, effect }) => WRITES.has(start.operation) && effect?.effect.kind === 'applied',
    );
    return writes.length === 0 ? undefined : judgeWrites(view, writes);
  },
};

function judgeWrites(view: View, writes: readonly RequestLife[]): Part {
  // Later writes to an Event only name the Event.
  const subjects = new Map(
    writes.map((write) => [write.start.object ?? '', subjectOf(write)] as const).filter(([, one]) => one !== undefined),
  );
  const subjectFor = ({ start: { object = '' } }: RequestLife): Subject => subjects.get(object) ?? { object, key: object };
  const groups = Map.groupBy(writes, (write) => `${write.start.incarnation} ${subjectFor(write).key}`);
  const heights = [...groups.values()].map((ofOne) => heightOf(ofOne, subjectFor));
  const findings = heights
    .filter(({ value }) => value > BURST)
    .map(({ value, object, since }) => ({
      code: 'event-flood',
      object,
      events: indexes(since.slice(0, SHOWN).flatMap(eventsOf)),
      message: `${since.length} Events about ${object} were written from ${duration(since[0]?.start.t ?? 0)} to ${duration(since.at(-1)?.start.t ?? 0)}: client-go would have dropped ${Math.ceil(value - BURST)} of them (bound ${AT_ONCE.name}, ${AT_ONCE.formula}).`,
    }));
  const measurement = measure(AT_ONCE, heights);
  return safetyPart(view, findings, `${count(writes.length, 'Event')} written about ${count(groups.size, 'object')}`, [measurement]);
}

/** How high a bucket came that each Event fills by one and every five minutes empties by one, and the Events since it was last empty. */
function heightOf(writes: readonly RequestLife[], subjectFor: (write: RequestLife) => Subject): Height {
  let [level, lastMs, from] = [0, 0, 0];
  let worst = { value: 0, from: 0, to: 0 };
  for (const [index, { start }] of writes.entries()) {
    level -= (start.t - lastMs) / ONE_MORE_MS;
    if (level <= 0) [level, from] = [0, index];
    level += 1;
    lastMs = start.t;
    if (level > worst.value) worst = { value: level, from, to: index };
  }
  const [first] = writes;
  return {
    value: worst.value,
    object: first === undefined ? '' : subjectFor(first).object,
    since: writes.slice(worst.from, worst.to + 1),
  };
}

interface Height {
  readonly value: number;
  /** What the Events are about. */
  readonly object: string;
  readonly since: readonly RequestLife[];
}

/** @returns undefined if the request does not say what its Event is about */
function subjectOf({ start }: RequestLife): Subject | undefined {
  const event = eventSchema.safeParse(start.input);
  const about = event.data?.involvedObject ?? event.data?.regarding;
  if (about === undefined || about === null) return undefined;
  const { kind, namespace, name, uid } = about;
  const source = event.data?.source?.component ?? event.data?.reportingController;
  const object = [kind?.toLowerCase(), namespace, name].filter((part) => part !== undefined && part !== null && part !== '').join('/');
  return { object, key: [source, object, uid].join(' ') };
}
