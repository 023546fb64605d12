import { z } from 'zod';
import { UsageError } from './usage-error.ts';

/** Most trials of a scenario and processes that one run takes. */
const MAX_TRIALS = 100_000;
const MAX_WORKERS = 256;
/** Largest cluster that a scenario may be asked to reach. */
const MAX_NODES = 500;

const whole = (what: string, min: number, max: number): z.ZodType<number, string> =>
  z
    .string()
    .regex(/^\d+$/, `${what} must be a whole number`)
    .transform(Number)
    .pipe(z.number().min(min, `${what} must be at least ${min}`).max(max, `${what} must be at most ${max}`));

const seed = whole('--seed', 0, Number.MAX_SAFE_INTEGER - MAX_TRIALS);
const trials = whole('--trials', 1, MAX_TRIALS);
const nodes = whole('--nodes', 1, MAX_NODES);
const workers = whole('--workers', 1, MAX_WORKERS);

/** The numbers among the flags. @throws UsageError that names the flag and what it takes */
export const parseSeed = (text: string): number => parse(seed, text);
export const parseTrials = (text: string): number => parse(trials, text);
export const parseNodes = (text: string): number => parse(nodes, text);
export const parseWorkers = (text: string): number => parse(workers, text);

function parse<T>(schema: z.ZodType<T, string>, text: string): T {
  const parsed = schema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new UsageError(`${parsed.error.issues[0]?.message ?? 'a flag is not valid'}, not "${text}"`);
}
