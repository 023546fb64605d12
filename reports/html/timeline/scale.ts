import type { HistoryEvent } from '../../../history/events.ts';
import type { View } from '../../../history/view.ts';

/** The position of moments on a timeline that shortens long intervals without changes. */
export interface Scale {
  readonly endMs: number;
  /** 0 at the start of the trial, 1 at its end. */
  readonly partOf: (ms: number) => number;
  /** The shortened intervals. */
  readonly breaks: readonly { readonly fromMs: number; readonly toMs: number }[];
  /** The scale as pairs of milliseconds and parts; linear between them. */
  readonly knots: readonly (readonly [ms: number, part: number])[];
}

/** An interval without changes is shortened if it is longer than this, and than this part of the time without longer ones. */
const IDLE_MS = 60_000;
const IDLE_PART = 0.12;
/** The margin around changes, and the drawn length of a shortened interval, as a part of the remaining time. */
const MARGIN_MS = 5_000;
const BREAK_PART = 0.07;

/** Fits a scale to the moments of a trial in which something changed. */
export function createScale(view: View): Scale {
  return fitScale(
    view.events.filter((event) => isChange(event, view)).map(({ t }) => t),
    view.endMs,
  );
}

/** Fits a scale to moments, in milliseconds and in order, from the start of a trial to its end. */
export function fitScale(changes: readonly number[], lastMs: number): Scale {
  const endMs = Math.max(1, lastMs);
  const moments = [0, ...changes, endMs];
  const gaps = moments.slice(1).map((toMs, index) => ({ fromMs: moments[index] ?? 0, toMs }));
  const breaks = shortened(gaps, endMs).map(({ fromMs, toMs }) => ({ fromMs: fromMs + MARGIN_MS, toMs: toMs - MARGIN_MS }));
  const changingMs = endMs - breaks.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  const breakMs = changingMs * BREAK_PART;
  const totalMs = changingMs + breaks.length * breakMs;
  const knots: [number, number][] = [[0, 0]];
  let drawnMs = 0;
  let beforeMs = 0;
  for (const { fromMs, toMs } of breaks) {
    drawnMs += fromMs - beforeMs;
    knots.push([fromMs, drawnMs / totalMs]);
    drawnMs += breakMs;
    knots.push([toMs, drawnMs / totalMs]);
    beforeMs = toMs;
  }
  knots.push([endMs, 1]);
  return { endMs, breaks, knots, partOf: (ms) => interpolate(knots, ms) };
}

interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Intervals that are too long compared with the rest of the trial without longer ones, in order. */
function shortened(gaps: readonly Stretch[], endMs: number): Stretch[] {
  const chosen = new Set<Stretch>();
  let leftMs = endMs;
  for (const gap of [...gaps].sort((a, b) => b.toMs - b.fromMs - (a.toMs - a.fromMs))) {
    const lengthMs = gap.toMs - gap.fromMs;
    if (lengthMs <= IDLE_MS || lengthMs <= leftMs * IDLE_PART) break;
    chosen.add(gap);
    leftMs -= lengthMs;
  }
  return gaps.filter((gap) => chosen.has(gap));
}

function interpolate(knots: Scale['knots'], ms: number): number {
  const after = knots.findIndex(([at]) => at >= ms);
  if (after === -1) return 1;
  const [toMs, toPart] = knots[after] ?? [0, 0];
  const [fromMs, fromPart] = knots[after - 1] ?? [0, 0];
  return toMs === fromMs ? toPart : fromPart + ((Math.max(0, ms) - fromMs) / (toMs - fromMs)) * (toPart - fromPart);
}

/** Whether an event is a change: polls, watches, leases and log messages are not. */
function isChange(event: HistoryEvent, view: View): boolean {
  switch (event.type) {
    case 'phase':
    case 'workload':
    case 'pod':
    case 'node':
    case 'claim':
    case 'instance':
    case 'notice':
    case 'fault.armed':
    case 'fault.fired':
    case 'fault.healed':
    case 'target.start':
    case 'target.ready':
    case 'target.stop':
    case 'target.exit':
    case 'target.panic':
    case 'convergence':
    case 'supervisor':
      return true;
    case 'request.effect':
      return event.effect.kind === 'applied' && view.requests.get(event.span)?.start.wire === 'aws';
    default:
      return false;
  }
}
