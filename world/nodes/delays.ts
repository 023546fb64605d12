import type { Random } from '../../runtime/random.ts';
import { drawMs } from '../tasks.ts';
import type { DelayRange } from '../tasks.ts';

/**
 * A delay between two whole numbers of milliseconds, both inclusive. With a median: log-normal above the minimum, truncated at
 * the maximum, as boots and image pulls are distributed: most near the median, a few far above. Without: uniform.
 */
export interface DelayDistribution extends DelayRange {
  /** Of the distribution before truncation, which moves it by less than 1 %. */
  readonly medianMs?: number;
}

/** The standard normal's 99th percentile: before truncation, one delay in a hundred exceeds the maximum. */
const Z_99 = 2.326;

/** Draws a delay. Those above the maximum are drawn again: the maximum is guaranteed. */
export function drawDelayMs(random: Random, { minMs, medianMs, maxMs }: DelayDistribution): number {
  if (medianMs === undefined || medianMs <= minMs || medianMs >= maxMs) return drawMs(random, { minMs, maxMs });
  const sigma = Math.log((maxMs - minMs) / (medianMs - minMs)) / Z_99;
  for (;;) {
    const delayMs = minMs + Math.round((medianMs - minMs) * Math.exp(sigma * drawNormal(random)));
    if (delayMs <= maxMs) return delayMs;
  }
}

/** A sample of the standard normal distribution, by Box-Muller. */
function drawNormal(random: Random): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
  return radius * Math.cos(2 * Math.PI * random.next());
}
