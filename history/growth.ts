import { z } from 'zod';
import { medianOf, slopeOf } from './slope.ts';
import type { Slope } from './slope.ts';
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
  const samples = longestLife(all);
  const miBPerDay = samples.length < LEAST_SAMPLES ? undefined : dailySlopeOf(samples);
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

/** The slope of the second half of these samples, in MiB a day: what only fills up no longer grows there. Undefined if they are too few. */
export function laterSlopeOf({ samples: all }: Pick<Usage, 'samples'>): Slope | undefined {
  const samples = longestLife(all);
  return dailySlopeOf(samples.slice(Math.floor(samples.length / 2)));
}

function longestLife(all: Usage['samples']): Usage['samples'] {
  const lives = [...Map.groupBy(all, ({ incarnation }) => incarnation).values()];
  return lives.reduce((longest, life) => (life.length > longest.length ? life : longest), []);
}

function dailySlopeOf(samples: Usage['samples']): Slope | undefined {
  return slopeOf(samples.map(({ t, heapMiB }) => ({ x: t / DAY_MS, y: heapMiB })));
}
