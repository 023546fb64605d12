import type { Bound, EventOf } from '../history/events.ts';
import { targetsInstances } from '../history/ledger.ts';
import type { LedgerEntry } from '../history/ledger.ts';
import type { View } from '../history/view.ts';
import type { Check } from './check.ts';
import { eventsOf } from './evidence.ts';
import { judgeIdle } from './idle-nodes.ts';
import { count, duration, indexes, measure, mergeParts, nameBound, unknownPart, withBound } from './parts.ts';
import type { Part } from './parts.ts';

/** Instances start to terminate within the bound, once the scenario says that nothing needs them any more, or that idle nodes have to go. */
export const scaleIn: Check = {
  name: 'scale-in',
  summary: 'instances that are no longer needed are terminated within the bound',
  codes: { 'not-ended': 'an instance that was no longer needed was not terminated within the bound' },
  judge: (view) =>
    mergeParts(
      view.stated.flatMap((stated) => {
        const { expectation } = stated;
        if (expectation.kind === 'emptied') return [withBound(view, expectation.bound, (bound) => judgeEmptied(view, stated, bound))];
        if (expectation.kind !== 'idle-removed') return [];
        return [withBound(view, expectation.bound, (bound) => judgeIdle(view, { ...stated, expectation }, bound))];
      }),
    ),
};

function judgeEmptied(view: View, stated: EventOf<'expectation'>, bound: Bound): Part {
  const launched = targetsInstances(view).filter(({ instance }) => instance.launched.i < stated.i);
  if (launched.length === 0) return unknownPart('no instance had been launched');
  const waitOf = ({ endedMs = view.endMs }: LedgerEntry): number => Math.max(0, endedMs - stated.t);
  const late = launched.filter((entry) => waitOf(entry) > bound.value);
  const open = launched.filter((entry) => entry.endedMs === undefined && waitOf(entry) <= bound.value);
  const measurements = [
    measure(
      bound,
      launched.map((entry) => ({ value: waitOf(entry), object: entry.instance.object })),
    ),
  ];
  const summary = `${launched.length - late.length - open.length} of ${count(launched.length, 'instance')} ended in time (${nameBound(bound)})`;
  if (late.length > 0) {
    const findings = late.map((entry) => ({
      code: 'not-ended',
      object: entry.instance.object,
      events: indexes([stated, ...entry.instance.steps, ...eventsOf(entry.endRequest)]),
      message: `Instance ${entry.instance.id} was not needed from ${duration(stated.t)} on and ${
        entry.endedMs === undefined ? 'had not been terminated' : 'was terminated only'
      } after ${duration(waitOf(entry))} (${nameBound(bound)}).`,
    }));
    return { verdict: 'fail', summary, findings, measurements };
  }
  if (open.length > 0)
    return unknownPart(`${summary}, but the trial ended before the bound of ${open.length} more had passed`, measurements);
  return { verdict: 'pass', summary, findings: [], measurements };
}
