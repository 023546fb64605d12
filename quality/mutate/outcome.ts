import { z } from 'zod';
import { KINDS } from './sites.ts';

/** What became of each mutant, as `npm run mutate -- --out FILE` writes it. */

const differenceSchema = z.strictObject({ atMs: z.number(), without: z.string().optional(), with: z.string().optional() });

/** Of scenarios that executed it. */
const executedBy = z.array(z.string());

const outcomeSchema = z.discriminatedUnion('outcome', [
  /** A check failed, or the trial had to be ended from outside: then `check` is `supervisor`, and `code` says why. */
  z.strictObject({
    outcome: z.literal('killed'),
    scenario: z.string(),
    seed: z.number().int(),
    check: z.string(),
    code: z.string(),
    message: z.string(),
    /** The scenario, if a search found it, as `scaleproof run --scenario` takes it from a file. */
    generated: z.looseObject({ name: z.string() }).exactOptional(),
  }),
  /** No trial failed, but in some the wires saw something else. */
  z.strictObject({
    outcome: z.literal('survived'),
    scenarios: executedBy,
    seen: z.array(z.strictObject({ scenario: z.string(), difference: differenceSchema })),
  }),
  /** No trial failed, but some could not be judged. */
  z.strictObject({ outcome: z.literal('unknown'), scenarios: executedBy, scenario: z.string(), why: z.string() }),
  /** Executed, and nothing else ever happened on the wires. */
  z.strictObject({ outcome: z.literal('not-seen'), scenarios: executedBy }),
  z.strictObject({ outcome: z.literal('not-executed') }),
]);
export type Outcome = z.infer<typeof outcomeSchema>;

const mutantSchema = z.strictObject({
  /** Its place in the draw, from 0. */
  id: z.number().int(),
  file: z.string(),
  line: z.number().int(),
  kind: z.enum(KINDS),
  /** The first line that it changes. */
  before: z.string(),
  after: z.string(),
  result: outcomeSchema,
});
export type MutantReport = z.infer<typeof mutantSchema>;

export const mutationReportSchema = z.strictObject({
  version: z.literal(1),
  /** Of the draw. */
  seed: z.number().int(),
  /** Places in the sources where a mutant could be drawn. */
  sites: z.number().int(),
  scenarios: z.number().int(),
  crashPoints: z.boolean(),
  /** With how many seeds mutants ran where the wires saw them and nothing killed them. */
  trialSeeds: z.number().int(),
  /** How long the explorer searched for each that survived. */
  searchSeconds: z.number(),
  /** The run was interrupted: other mutants were drawn, too. */
  interrupted: z.boolean(),
  mutants: z.array(mutantSchema),
});
export type MutationReport = z.infer<typeof mutationReportSchema>;
