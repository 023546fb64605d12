import type { GateVerdict } from '../verdict.ts';
import { plannedLooks } from '../policy.ts';
import type { Policy } from '../policy.ts';
import { change, counted } from '../wording.ts';

/** A ratio of the candidate to the baseline, with its bounds. */
export interface Known {
  /** The lower end of the estimate. */
  readonly estimate: number;
  readonly lower: number;
  readonly upper: number;
}

/**
 * The error rate of one look. A gate looks at most as often as its policy plans, and splits the allowed error rate evenly among all
 * looks (Bonferroni): all of them together then stay below it, for any distribution.
 */
export function alphaPerLook(alpha: number, policy: Policy): number {
  return alpha / plannedLooks(policy.episodes);
}

/**
 * How many more pairs would bring the upper bound below the limit, if the estimate stays the same: the width of the interval shrinks
 * with the square root of their number. Undefined if no number would, or the ratio is unknown.
 */
export function moreFor({ estimate, upper }: Known, limit: number, pairs: number): number | undefined {
  const [width, room] = [Math.log(upper / estimate), Math.log(limit / estimate)];
  if (!(room > 0) || !Number.isFinite(width)) return undefined;
  return Math.max(1, Math.ceil(pairs * (width / room) ** 2 - pairs));
}

/** The part of a sentence with the estimate and its bounds. */
export function describeKnown({ estimate, lower, upper }: Known, alpha: number): string {
  const confidence = Number(((1 - 2 * alpha) * 100).toFixed(1));
  const between = [
    ...(lower > 0 ? [`${upper < Infinity ? '' : 'at least '}${change(lower)}`] : []),
    ...(upper < Infinity ? [`${lower > 0 ? '' : 'at most '}${change(upper)}`] : []),
  ];
  return `${change(estimate)} (${between.length === 0 ? 'anything is possible' : `${between.join(' to ')} with ${confidence} % confidence`})`;
}

/**
 * The conclusion from a ratio.
 * @param units how many there are, the name of one, and how many the policy allows
 */
export function describeVerdict(
  verdict: GateVerdict,
  known: Known,
  limit: number,
  { seen, unit, max }: { readonly seen: number; readonly unit: string; readonly max: number },
): string {
  const allowed = change(limit);
  if (verdict === 'pass') return `that is within the ${allowed} allowed`;
  if (verdict === 'fail') return `that is beyond the ${allowed} allowed`;
  const more = moreFor(known, limit, seen);
  const advice =
    more === undefined
      ? ''
      : seen + more > max
        ? `; if this stays the same, ${counted(max, unit)}, the policy's maximum, would not be enough`
        : `; if this stays the same, about ${counted(more, unit)} more would be enough`;
  return `it is not clear yet whether that is within the ${allowed} allowed${advice}`;
}
