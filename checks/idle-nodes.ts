import type { Bound, EventOf, Expectation } from '../history/events.ts';
import { targetsInstances } from '../history/ledger.ts';
import type { LedgerEntry } from '../history/ledger.ts';
import type { View } from '../history/view.ts';
import { poolsOf } from './departures.ts';
import { eventsOf } from './evidence.ts';
import { count, duration, indexes, measure, nameBound, safetyPart, unknownPart } from './parts.ts';
import type { Part } from './parts.ts';

export type StatedIdle = EventOf<'expectation'> & { readonly expectation: Extract<Expectation, { kind: 'idle-removed' }> };

/** A time in which an instance had a Ready node without pods, in milliseconds since the start of the trial. */
interface IdleTime {
  readonly entry: LedgerEntry;
  readonly fromMs: number;
  /** When it began to terminate or a pod was placed there; undefined if neither happened. */
  readonly toMs: number | undefined;
}

/**
 * Nodes of the named pools don't stay without pods for longer than the bound. Pods of DaemonSets don't count. A node that several
 * pools allow, and whose label names none, is only judged if all of these are named.
 */
export function judgeIdle(view: View, stated: StatedIdle, bound: Bound): Part {
  const { pools } = stated.expectation;
  const overMs = view.phases.get('remove')?.t ?? view.endMs;
  const idle = targetsInstances(view)
    .filter((entry) => [...poolsOf(view, entry)].every((name) => pools.includes(name)))
    .flatMap((entry) => idleTimesOf(view, entry))
    .map((time) => ({ ...time, fromMs: Math.max(time.fromMs, stated.t) }))
    .filter(({ fromMs, toMs = Infinity }) => fromMs <= Math.min(stated.t + bound.value, overMs) && toMs > fromMs);
  const waitOf = ({ fromMs, toMs = Infinity }: IdleTime): number => Math.min(toMs, overMs) - fromMs;
  const late = idle.filter((time) => waitOf(time) > bound.value);
  const open = idle.filter((time) => waitOf(time) <= bound.value && (time.toMs ?? Infinity) > overMs);
  const measurements = [
    measure(
      bound,
      idle.map((time) => ({ value: waitOf(time), object: time.entry.instance.object })),
    ),
  ];
  const summary = `${late.length} of ${count(idle.length, 'idle node')} stayed for too long (${nameBound(bound)})`;
  if (late.length === 0 && open.length > 0)
    return unknownPart(`${summary}, but the trial ended before the bound of ${open.length} more had passed`, measurements);
  const findings = late.map((time) => {
    const { instance, nodes, endRequest } = time.entry;
    const outcome = time.toMs === undefined || time.toMs > overMs ? 'was still there' : 'was removed or used again only';
    return {
      code: 'not-ended',
      object: instance.object,
      events: indexes([stated, ...nodes.flatMap(({ steps }) => steps), ...instance.steps, ...eventsOf(endRequest)]),
      message: `Instance ${instance.id} had no pods from ${duration(time.fromMs)} on and ${outcome} after ${duration(waitOf(time))} (${nameBound(bound)}).`,
    };
  });
  return safetyPart(view, findings, summary, measurements);
}

function idleTimesOf(view: View, entry: LedgerEntry): IdleTime[] {
  const ready = entry.nodes.find((node) => node.ready !== undefined)?.ready;
  if (ready === undefined) return [];
  const uids = new Set(entry.nodes.map(({ uid }) => uid));
  const stays = view.pods
    .filter(({ node, workload }) => node !== undefined && uids.has(node.uid) && !isDaemon(view, workload))
    .flatMap(({ scheduled, ended, gone }) =>
      scheduled === undefined ? [] : [{ fromMs: scheduled.t, toMs: Math.min(ended?.t ?? Infinity, gone?.t ?? Infinity) }],
    )
    .sort((a, b) => a.fromMs - b.fromMs);
  const endMs = entry.endedMs ?? Infinity;
  const times: IdleTime[] = [];
  let idleFromMs = ready.t;
  for (const { fromMs, toMs } of [...stays, { fromMs: endMs, toMs: endMs }]) {
    const untilMs = Math.min(fromMs, endMs);
    if (untilMs > idleFromMs) times.push({ entry, fromMs: idleFromMs, toMs: untilMs === Infinity ? undefined : untilMs });
    idleFromMs = Math.max(idleFromMs, toMs);
  }
  return times;
}

/** Whether a workload is a DaemonSet: its pods come and go with their nodes. */
export function isDaemon(view: View, workload: string | undefined): boolean {
  return workload !== undefined && view.workloads.get(workload)?.truth.kind === 'daemon';
}
