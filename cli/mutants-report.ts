import { z } from 'zod';
import { matrixSchema } from '../harness/mutant-matrix.ts';
import { vacuitySchema } from '../harness/vacuity.ts';
import { verdictSchema } from '../history/verdict.ts';
import { REPORT_API_VERSION } from '../reports/run-report.ts';

const skippedSchema = z.strictObject({ what: z.string(), why: z.string(), trials: z.number().int().nonnegative() });
export type Skipped = z.infer<typeof skippedSchema>;

/** The format of `mutants --json` and `mutants.json`. */
export const mutantsReportSchema = z.strictObject({
  apiVersion: z.literal(REPORT_API_VERSION),
  kind: z.literal('MutantsReport'),
  verdict: verdictSchema,
  seeds: z.array(z.number().int()),
  trials: z.number().int(),
  wallMs: z.number(),
  ...matrixSchema.shape,
  /** What was not run, and why. */
  skipped: z.array(skippedSchema),
  /** Trials without a verdict. */
  unjudged: z.array(z.strictObject({ target: z.string(), scenario: z.string(), seed: z.number().int(), why: z.string() })),
  /** Absent if only a part of the matrix was run. */
  vacuity: vacuitySchema.optional(),
});
export type MutantsReport = z.infer<typeof mutantsReportSchema>;
