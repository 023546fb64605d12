import { closeness } from '../history/verdict.ts';
import type { Measurement, Verdict } from '../history/verdict.ts';

/** Whether a value went beyond its bound, or reached it while its check failed: such a check stopped waiting at the bound. */
export function isBroken(
  { check, bound, worst }: Pick<Measurement, 'bound' | 'worst'> & { readonly check: string },
  trials: readonly { readonly checks: readonly { readonly check: string; readonly verdict: Verdict }[] }[],
): boolean {
  const ratio = closeness({ bound, worst });
  if (ratio === undefined || ratio < 1) return false;
  return ratio > 1 || trials.some(({ checks }) => checks.some((one) => one.check === check && one.verdict === 'fail'));
}
