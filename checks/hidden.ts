import { z } from 'zod';
import { MAX_FIRINGS_RECORDED } from '../history/events.ts';
import type { FaultLife } from '../history/lives.ts';
import { pausesOf } from '../history/pauses.ts';
import type { View } from '../history/view.ts';

/** A time when the target could not see what happened, in milliseconds since the start of the trial; undefined: it lasts. */
interface Blindness {
  readonly fromMs: number;
  readonly toMs: number | undefined;
}

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
  const ofFaults = view.faults.flatMap((fault) => {
    const times = fault.fired.flatMap((fired) => blindedBy(view, fault, fired));
    return [...times, ...blindedUnrecorded(view, fault, times.length > 0)];
  });
  const ofDeaths = view.incarnations.flatMap(({ exit, number }) => {
    if (exit?.provoked !== true) return [];
    const next = view.incarnations.find((one) => one.number > number);
    return [{ fromMs: exit.t, toMs: next?.ready?.t ?? exit.t }];
  });
  return [...ofFaults, ...pausesOf(view), ...ofDeaths].sort((a, b) => a.fromMs - b.fromMs);
}

function blindedBy(view: View, { armed, healed }: FaultLife, { span, t: fromMs }: FaultLife['fired'][number]): Blindness[] {
  if (span === undefined) return [];
  const request = view.requests.get(span);
  if (request?.start.wire !== 'kube' || !READ.test(request.start.operation)) return [];
  const lag = lagSchema.safeParse(armed.fault.params);
  if (lag.success) return [{ fromMs, toMs: Math.min(fromMs + lag.data.lagMs, healed?.t ?? Infinity) }];
  const { start, end } = request;
  if (end === undefined) return [{ fromMs, toMs: healed?.t }];
  const isLate = start.operation.startsWith('list ') && end.t - fromMs >= LATE_MS;
  if (end.outcome !== 'ok') return [{ fromMs, toMs: retriedMs(view, start.operation, end) }];
  return isLate ? [{ fromMs, toMs: end.t }] : [];
}

/**
 * Of a fault that fired more often than is recorded: it blinds from the last firing that is until the target has read again, after the heal,
 * what it could not read, if the fault kept it from reading before or a read failed since.
 */
function blindedUnrecorded(view: View, { fired, healed }: FaultLife, didBlind: boolean): Blindness[] {
  const last = fired.at(-1);
  if (last === undefined || fired.length < MAX_FIRINGS_RECORDED) return [];
  const healedMs = healed?.t ?? Infinity;
  const failed = [...view.requests.values()].filter(
    ({ start, end }) => READ.test(start.operation) && start.t >= last.t && start.t <= healedMs && end?.outcome !== 'ok',
  );
  if (!didBlind && failed.length === 0) return [];
  if (healed === undefined) return [{ fromMs: last.t, toMs: undefined }];
  const reads = new Set(failed.map(({ start }) => start.operation));
  return [{ fromMs: last.t, toMs: Math.max(healed.t, ...[...reads].map((operation) => retriedMs(view, operation, healed))) }];
}

/** When the target listed or watched the same again after a failure, if it did so soon: until then it saw nothing new. */
function retriedMs(view: View, operation: string, { i: index, t: endMs }: { readonly i: number; readonly t: number }): number {
  const [, resource = ''] = operation.split(' ');
  const isSame = (other: string): boolean => other === `list ${resource}` || other === `watch ${resource}`;
  const next = [...view.requests.values()].find(({ start }) => start.i > index && isSame(start.operation));
  return next === undefined || next.start.t > endMs + RETRY_MS ? endMs : next.start.t;
}
