import type { Episode } from '../episode.ts';

/** The limit of waits for pods. */
export const LIMIT_MS = 900_000;

/** Waits of ten pods, which differ by seed. */
const waits = (seed: number, factor = 1): number[] =>
  Array.from({ length: 10 }, (_, pod) => (40_000 + 700 * (seed % 13) + 500 * pod) * factor);

/** A clean episode. */
export function episode(seed: number, change: Partial<Episode> = {}): Episode {
  return {
    scenario: seed % 2 === 0 ? 'spot' : 'topology',
    seed,
    replay: `sp1,seed=${seed}`,
    verdict: 'pass',
    violations: [],
    success: { served: 10, asked: 10 },
    instances: { created: 4, leaked: 0 },
    latencies: [{ phase: 'pending -> running', valuesMs: waits(seed), censoredMs: [] }],
    usd: 0.1 + (seed % 5) / 100,
    requests: 200 + (seed % 7),
    failedLaunches: 0,
    ...change,
  };
}
/** Clean episodes with seeds from 0, with changes. */
export const side = (count: number, change: (seed: number) => Partial<Episode> = () => ({})): Episode[] =>
  Array.from({ length: count }, (_, seed) => episode(seed, change(seed)));
/** All pods in time, slower by a factor. */
export const slower = (factor: number) => (seed: number) => ({
  latencies: [{ phase: 'pending -> running', valuesMs: waits(seed, factor), censoredMs: [] }],
});
/** The last pods are never served. */
export const failed = (seed: number, pods = 1): Partial<Episode> => ({
  verdict: 'fail',
  success: { served: 10 - pods, asked: 10 },
  latencies: [{ phase: 'pending -> running', valuesMs: waits(seed).slice(pods), censoredMs: new Array<number>(pods).fill(LIMIT_MS) }],
});
