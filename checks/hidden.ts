import { z } from 'zod';
import { MAX_FIRINGS_RECORDED } from '../history/events.ts';
import type { FaultLife, RequestLife } from '../history/lives.ts';
import { pausesOf } from '../history/pauses.ts';
import type { View } from '../history/view.ts';
import type { Moment } from './departures.ts';

/** A time when the target could not see what happened, in milliseconds since the start of the trial; undefined: it lasts. */
interface Blindness {
  readonly fromMs: number;
  readonly toMs: number | undefined;
}

/** When an operation was tried again after it had failed. */
type RetriedMs = (operation: string, failed: Moment) => number;

const READ = /^(list|watch) /;
/** A list that a fault delays by less is not late. */
const LATE_MS = 1_000;
/**
 * How long a target may wait before it lists or watches again after a failure: client-go's reflector waits up to 30 s, and its jitter may
 * double that. Source: `NewReflectorWithOptions` in `tools/cache/reflector.go`, client-go v0.34.
 */
const RETRY_MS = 60_000;
/** The parameter of faults that deliver changes late. */
const lagSchema = z.object({ lagMs: z.number() });

/**
 * When faults hid the cluster from the target, in order: its lists and watches failed, hung or showed an older state, it was dead
 * after a provoked crash, or it was paused.
 */
export function blindnessOf(view: View): Blindness[] {
  const reads = [...view.requests.values()].filter(({ start }) => READ.test(start.operation));
  const startsOf = Map.groupBy(
    reads.map(({ start }) => start),
    ({ operation }) => resourceOf(operation),
  );
  /** When the target listed or watched the same again after a failure, if it did so soon: until then it saw nothing new. */
  const retriedMs = (operation: string, { i: index, t: endMs }: Moment): number => {
    const next = startsOf.get(resourceOf(operation))?.find(({ i }) => i > index);
    return next === undefined || next.t > endMs + RETRY_MS ? endMs : next.t;
  };
  const ofFaults = view.faults.flatMap((fault) => {
    const times = fault.fired.flatMap((fired) => blindedBy(view, fault, fired, retriedMs));
    return [...times, ...blindedUnrecorded(reads, fault, times.length > 0, retriedMs)];
  });
  const ofDeaths = view.incarnations.flatMap(({ exit, number }) => {
    if (exit?.provoked !== true) return [];
    const next = view.incarnations.find((one) => one.number > number);
    return [{ fromMs: exit.t, toMs: next?.ready?.t ?? exit.t }];
  });
  return [...ofFaults, ...pausesOf(view), ...ofDeaths].sort((a, b) => a.fromMs - b.fromMs);
}

/** Whether the target was blind at some moment of a time, in milliseconds since the start of the trial. */
export function wasBlind(blindness: readonly Blindness[], fromMs: number, toMs: number): boolean {
  return blindness.some((one) => one.fromMs <= toMs && (one.toMs ?? Infinity) >= fromMs);
}

function blindedBy(
  view: View,
  { armed, healed }: FaultLife,
  { span, t: fromMs }: FaultLife['fired'][number],
  retriedMs: RetriedMs,
): Blindness[] {
  if (span === undefined) return [];
  const request = view.requests.get(span);
  if (request?.start.wire !== 'kube' || !READ.test(request.start.operation)) return [];
  const lag = lagSchema.safeParse(armed.fault.params);
  if (lag.success) return [{ fromMs, toMs: Math.min(fromMs + lag.data.lagMs, healed?.t ?? Infinity) }];
  const { start, end } = request;
  if (end === undefined) return [{ fromMs, toMs: healed?.t }];
  const isLate = start.operation.startsWith('list ') && end.t - fromMs >= LATE_MS;
  if (end.outcome !== 'ok') return [{ fromMs, toMs: retriedMs(start.operation, end) }];
  return isLate ? [{ fromMs, toMs: end.t }] : [];
}

/**
 * Of a fault that fired more often than is recorded: it blinds from the last firing that is until the target has read again, after the heal,
 * what it could not read, if the fault kept it from reading before or a read failed since.
 */
function blindedUnrecorded(
  reads: readonly RequestLife[],
  { fired, healed }: FaultLife,
  didBlind: boolean,
  retriedMs: RetriedMs,
): Blindness[] {
  const last = fired.at(-1);
  if (last === undefined || fired.length < MAX_FIRINGS_RECORDED) return [];
  const healedMs = healed?.t ?? Infinity;
  const failed = reads.filter(({ start, end }) => start.t >= last.t && start.t <= healedMs && end?.outcome !== 'ok');
  if (!didBlind && failed.length === 0) return [];
  if (healed === undefined) return [{ fromMs: last.t, toMs: undefined }];
  const struck = new Set(failed.map(({ start }) => start.operation));
  return [{ fromMs: last.t, toMs: Math.max(healed.t, ...[...struck].map((operation) => retriedMs(operation, healed))) }];
}

function resourceOf(operation: string): string {
  return operation.replace(READ, '');
}
