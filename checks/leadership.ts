import type { Incarnation, RequestLife } from '../history/lives.ts';
import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { eventsOf } from './evidence.ts';
import { count, duration, indexes, safetyPart } from './parts.ts';

/** Findings that are shown; the others are counted. */
const SHOWN = 10;
/** Replicas that do not lead may write these, too. */
const OF_EVERY_REPLICA = /^(create|update|patch) (leases|events)$/;

/**
 * Of two incarnations of the target that run at once, as in a handover, one leads: when the younger has changed something, the older
 * changes nothing any more. What the older had sent before may still take effect. Nothing to judge if no two ran at once.
 */
export const leadership: Check = {
  name: 'leadership',
  summary: 'two replicas of the target never act at once',
  codes: { 'two-leaders': 'an older replica changed something after a younger one had begun to' },
  judge: (view) => {
    if (!view.incarnations.some((incarnation, index) => isMet(incarnation, view.incarnations[index + 1]))) return undefined;
    const late = lateChanges(view);
    const [first] = late;
    const findings =
      first === undefined
        ? []
        : [
            {
              code: 'two-leaders',
              object: 'target',
              events: indexes(late.slice(0, SHOWN).flatMap((request) => eventsOf(request))),
              message: messageOf(late, first),
            },
          ];
    return safetyPart(view, findings, `${count(late.length, 'change')} of an older replica beside a younger leader`);
  },
};

/** Whether the next one started before this one was told to stop, or was over. */
function isMet({ stop, exit }: Incarnation, next: Incarnation | undefined): boolean {
  return next !== undefined && next.start.i < Math.min(stop?.i ?? Infinity, exit?.i ?? Infinity);
}

function lateChanges({ requests }: View): RequestLife[] {
  const changes = [...requests.values()].filter(
    ({ start, effect }) => effect?.effect.kind === 'applied' && !(start.wire === 'kube' && OF_EVERY_REPLICA.test(start.operation)),
  );
  /** When each incarnation, or a younger one, first changed something. */
  const begun = new Map<number, number>();
  for (const { start, effect } of changes)
    for (let older = start.incarnation; older >= 1; older -= 1)
      begun.set(older, Math.min(begun.get(older) ?? Infinity, effect?.i ?? Infinity));
  return changes.filter(({ start }) => (begun.get(start.incarnation + 1) ?? Infinity) < start.i);
}

function messageOf(late: readonly RequestLife[], { start }: RequestLife): string {
  return `The target's incarnation ${start.incarnation} sent ${start.operation} at ${duration(start.t)}, after a younger one had begun to act: ${count(late.length, 'change')} in all.`;
}
