import { z } from 'zod';
import { boundSchema } from './events.ts';
import { usageSchema } from './usage.ts';

/** A verdict. What could not be judged is unknown, which is never green. */
export const verdictSchema = z.enum(['fail', 'unknown', 'pass']);
export type Verdict = z.infer<typeof verdictSchema>;

/** fail > unknown > pass. Without any parts nothing is proved: unknown. */
export function combine(verdicts: Iterable<Verdict>): Verdict {
  let result: Verdict | undefined;
  for (const verdict of verdicts) {
    if (verdict === 'fail') return 'fail';
    if (verdict === 'unknown' || result === undefined) result = verdict;
  }
  return result ?? 'unknown';
}

/** One problem that was found, with its evidence. */
export const findingSchema = z.object({
  /** Stable code, e.g. `leaked-instance`. */
  code: z.string(),
  /** The object: `instance/i-0abc`, `pods/default/web-1`. */
  object: z.string(),
  /** Indexes of the events that show it. */
  events: z.array(z.number().int().nonnegative()),
  /** One sentence that an operator understands. */
  message: z.string(),
});
export type Finding = z.infer<typeof findingSchema>;

/** How close a bound came to being exceeded. */
const measurementSchema = z.object({
  bound: boundSchema,
  /** Worst value observed; absent when nothing was measured. */
  worst: z.number().optional(),
  object: z.string().optional(),
});
export type Measurement = z.infer<typeof measurementSchema>;

/** How close the worst value came to its bound, as a ratio: 1 at the bound, more beyond it. Undefined when nothing was measured. */
export function closeness({ bound, worst }: Pick<Measurement, 'bound' | 'worst'>): number | undefined {
  if (worst === undefined || bound.value === 0) return undefined;
  if (bound.least !== true) return worst / bound.value;
  return worst === 0 ? Infinity : bound.value / worst;
}

export const checkResultSchema = z.object({
  check: z.string(),
  verdict: verdictSchema,
  /** Why it is unknown, or what passed, in one line. */
  summary: z.string(),
  findings: z.array(findingSchema),
  measurements: z.array(measurementSchema),
});
export type CheckResult = z.infer<typeof checkResultSchema>;

export const latencySchema = z.object({
  /** e.g. `pending -> request` */
  phase: z.string(),
  count: z.number().int(),
  p50Ms: z.number(),
  p95Ms: z.number(),
  p99Ms: z.number(),
});
export type Latency = z.infer<typeof latencySchema>;

/**
 * `before`: the request is never forwarded. `after`: it took effect, but its response is not read. `upgrade`: it took effect, and the
 * target is replaced by the one that it is upgraded to, told to stop before it gets the response.
 */
export const CRASH_MOMENTS = ['before', 'after', 'upgrade'] as const;

/** Where the target is killed or upgraded in addition to what its scenario does: at one of its side effects over both wires. */
export const crashPointSchema = z.object({
  moment: z.enum(CRASH_MOMENTS),
  /** Which side effect, from 1. */
  nth: z.number().int().positive(),
  /** The operation of its request. */
  operation: z.string(),
  object: z.string().optional(),
});
export type CrashPoint = z.infer<typeof crashPointSchema>;

/** Everything that is derived from one history. */
export const trialResultSchema = z.object({
  scenario: z.string(),
  title: z.string(),
  suite: z.string(),
  target: z.string(),
  seed: z.number().int(),
  /** Absent if the target is not killed or upgraded at a crash point. */
  crash: crashPointSchema.optional(),
  verdict: verdictSchema,
  checks: z.array(checkResultSchema),
  replay: z.string(),
  /** File name in the run directory. */
  history: z.string(),
  /** Pods of schedulable workloads served within their bound, out of all that were judged; both 0 if there were none. */
  success: z.object({ served: z.number().int(), asked: z.number().int() }),
  latencies: z.array(latencySchema),
  instances: z.object({
    created: z.number().int(),
    terminated: z.number().int(),
    live: z.number().int(),
    leaked: z.number().int(),
  }),
  faults: z.object({ armed: z.number().int(), fired: z.number().int() }),
  /** Digest of the ordered effects on both wires, without times and ids: equal digests are equal interleavings. */
  interleaving: z.string(),
  virtualMs: z.number(),
  /** What the target used of the machine; absent if that can't be told from what the rest of the trial used. */
  usage: usageSchema.optional(),
});
export type TrialResult = z.infer<typeof trialResultSchema>;

/** What was not run, and why. This is not a verdict. */
export const notRunSchema = z.object({
  scenario: z.string(),
  title: z.string(),
  suite: z.string(),
  seed: z.number().int(),
  reason: z.string(),
});
export type NotRun = z.infer<typeof notRunSchema>;
