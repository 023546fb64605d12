import { z } from 'zod';
import { medianOf, slopeOf } from './slope.ts';
import type { Usage } from './usage.ts';

const DAY_MS = 86_400_000;
/** With fewer, an interval says more about chance than about the target. */
export const LEAST_SAMPLES = 12;

/** How fast what a target holds in memory grew, with an interval for a confidence of 95 %. */
export const growthSchema = z.object({
  samples: z.number().int(),
  /** Over this time. */
  overMs: z.number(),
  minMiB: z.number(),
  medianMiB: z.number(),
  maxMiB: z.number(),
  miBPerDay: z.object({ slope: z.number(), lower: z.number(), upper: z.number() }),
});
export type Growth = z.infer<typeof growthSchema>;

/** Of the incarnation with the most samples, since each begins with an empty memory; undefined if these are too few. */
export function growthOf({ samples: all }: Pick<Usage, 'samples'>): Growth | undefined {
  const lives = [...Map.groupBy(all, ({ incarnation }) => incarnation).values()];
  const samples = lives.reduce((longest, life) => (life.length > longest.length ? life : longest), []);
  const miBPerDay = samples.length < LEAST_SAMPLES ? undefined : slopeOf(samples.map(({ t, heapMiB }) => ({ x: t / DAY_MS, y: heapMiB })));
  if (miBPerDay === undefined) return undefined;
  const sorted = samples.map(({ heapMiB }) => heapMiB).sort((a, b) => a - b);
  return {
    samples: samples.length,
    overMs: (samples.at(-1)?.t ?? 0) - (samples[0]?.t ?? 0),
    minMiB: sorted[0] ?? 0,
    medianMiB: medianOf(sorted),
    maxMiB: sorted.at(-1) ?? 0,
    miBPerDay,
  };
}
