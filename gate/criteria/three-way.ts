import type { GateVerdict } from '../verdict.ts';
import { plannedLooks } from '../policy.ts';
import type { Policy } from '../policy.ts';
import { change, counted } from '../wording.ts';

/** What is known of a ratio of the candidate's to the baseline's. */
export interface Known {
  /** The least that it is estimated to be. */
  readonly estimate: number;
  readonly lower: number;
  readonly upper: number;
}

/**
 * What one look may err. A gate looks at most as often as its policy plans, and each look has the same part of what is allowed for
 * all (Bonferroni): the errors of all looks together then stay below it, whatever the distributions are.
 */
export function alphaPerLook(alpha: number, policy: Policy): number {
  return alpha / plannedLooks(policy.episodes);
}

/**
 * How many pairs more would bring the upper bound below the limit, if the estimate stays: the width of the interval shrinks with
 * the root of their number. Undefined if no number would, or nothing is known.
 */
export function moreFor({ estimate, upper }: Known, limit: number, pairs: number): number | undefined {
  const [width, room] = [Math.log(upper / estimate), Math.log(limit / estimate)];
  if (!(room > 0) || !Number.isFinite(width)) return undefined;
  return Math.max(1, Math.ceil(pairs * (width / room) ** 2 - pairs));
}

/** The part of a sentence that says what is known. */
export function describeKnown({ estimate, lower, upper }: Known, alpha: number): string {
  const confidence = Number(((1 - 2 * alpha) * 100).toFixed(1));
  const between = [
    ...(lower > 0 ? [`${upper < Infinity ? '' : 'at least '}${change(lower)}`] : []),
    ...(upper < Infinity ? [`${lower > 0 ? '' : 'at most '}${change(upper)}`] : []),
  ];
  return `${change(estimate)} (${between.length === 0 ? 'anything is possible' : `${between.join(' to ')} with ${confidence} % confidence`})`;
}

/**
 * What follows from it.
 * @param units that were seen, what one is called, and how many the policy has at most
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
        ? `; if this stays so, the ${counted(max, unit)} that the policy has at most would not tell either`
        : `; about ${counted(more, unit)} more would tell, if this stays so`;
  return `it can't be told yet whether that is within the ${allowed} allowed${advice}`;
}
