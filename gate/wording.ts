/** Numbers in the sentences of a gate. */

/** `1 episode`, `2 episodes`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A share as `95 %`; `100 %` and `0 %` only for exact values. */
export function percent(share: number): string {
  if (share === 0 || share === 1) return `${share * 100} %`;
  const digits = share > 0.999 || share < 0.001 ? 2 : 1;
  const least = digits === 2 ? 0.0001 : 0.001;
  const rounded = Math.min(1 - least, Math.max(least, share)) * 100;
  return `${Number(rounded.toFixed(digits))} %`;
}

/** A share rounded down, so that a lower bound is never too high. */
export function percentDown(share: number): string {
  return `${(Math.floor(share * 1_000 + 1e-9) / 10).toFixed(1)} %`;
}

/** From this ratio, a multiple is clearer than a percentage. */
const MULTIPLE = 10;

/** How much more than the baseline a ratio is: `+12 %`, `-3.5 %`, `×40`, `infinitely more`. */
export function change(ratio: number): string {
  if (ratio === Infinity) return 'infinitely more';
  if (ratio >= MULTIPLE) return `×${Math.round(ratio)}`;
  const value = Number(((ratio - 1) * 100).toFixed(1));
  return `${value > 0 ? '+' : ''}${Object.is(value, -0) ? 0 : value} %`;
}

/** `850 ms`, `42.1 s`. */
export function seconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${Number((ms / 1_000).toFixed(1))} s`;
}
