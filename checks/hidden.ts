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

/** A list that a fault delays by less is not late. */
const LATE_MS = 1_000;
/** The parameter of faults that deliver changes late. */
const lagSchema = z.object({ lagMs: z.number() });

/**
 * When faults hid the cluster from the target, in order: its lists and watches failed, hung or showed an older state, it was dead
 * after a provoked crash, or it was paused.
 */
export function blindnessOf(view: View): Blindness[] {
  const ofFaults = view.faults.flatMap((fault) => {
    const times = fault.fired.flatMap((fired) => blindedBy(view, fault, fired));
    const last = times.at(-1);
    return last !== undefined && fault.fired.length >= MAX_FIRINGS_RECORDED
      ? [...times, { fromMs: last.fromMs, toMs: fault.healed?.t }]
      : times;
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
  if (request?.start.wire !== 'kube' || !/^(list|watch) /.test(request.start.operation)) return [];
  const lag = lagSchema.safeParse(armed.fault.params);
  if (lag.success) return [{ fromMs, toMs: Math.min(fromMs + lag.data.lagMs, healed?.t ?? Infinity) }];
  const { start, end } = request;
  if (end === undefined) return [{ fromMs, toMs: healed?.t }];
  const isLate = start.operation.startsWith('list ') && end.t - fromMs >= LATE_MS;
  return end.outcome !== 'ok' || isLate ? [{ fromMs, toMs: end.t }] : [];
}
