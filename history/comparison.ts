import { z } from 'zod';
import { waitCurveSchema } from './wait-curve.ts';

/** Format of compare.json. */
export const COMPARISON_FORMAT = 1;

const text = z.string().min(1);
const whole = z.number().int().nonnegative();

/** One figure of one side, with its bounds: each holds with the comparison's confidence (one-sided). */
export const comparedCellSchema = z.strictObject({
  value: z.number().optional().describe('The figure; absent if unknown.'),
  atLeast: z.literal(true).optional().describe('Pods were still waiting at the end: the true value is at least this.'),
  lower: z.number().optional().describe('Lower bound of the figure; absent if there is none.'),
  upper: z.number().optional().describe('Upper bound of the figure; absent if there is none.'),
  of: z.string().describe('The sample size.'),
  detail: z.string().optional().describe('More about the sample.'),
  why: z.string().optional().describe('Why there is no figure, or no bound on it.'),
});
export type ComparedCell = z.infer<typeof comparedCellSchema>;

/**
 * A side compared with the first. `better` or `worse` if the bounds show it; `unclear` if they don't, because there are too
 * few trials or there is no difference: `within` tells these apart.
 */
export const comparedChangeSchema = z.strictObject({
  outcome: z.enum(['better', 'worse', 'unclear']).describe('Whether the bounds show a difference.'),
  ratio: z
    .strictObject({
      value: z.number().describe('The ratio.'),
      lower: z.number().optional().describe('Its lower bound.'),
      upper: z.number().optional().describe('Its upper bound.'),
    })
    .optional()
    .describe("This side's figure divided by the first one's, over the same trials. Too few trials give no bounds."),
  difference: z
    .strictObject({
      value: z.number().describe('The difference.'),
      lower: z.number().describe('Its lower bound.'),
      upper: z.number().describe('Its upper bound.'),
    })
    .optional()
    .describe("For shares: this side's minus the first one's, over the trials that were judged on both sides."),
  within: z
    .strictObject({
      margin: z.number().describe('The margin.'),
      most: z.number().describe('How far apart they are at most.'),
    })
    .optional()
    .describe(
      'The sides are the same but for this margin: they differ by `most` at most, as a share of the smaller figure, or as a difference of shares. Absent if the bounds don’t show that. A difference can be sure and yet within the margin.',
    ),
  needs: z
    .strictObject({ trials: whole.describe('Number of trials.') })
    .optional()
    .describe('How many trials with this measure bound the ratio. Absent if there were enough.'),
});
export type ComparedChange = z.infer<typeof comparedChangeSchema>;

export const comparedUnitSchema = z.enum(['ratio', 'ms', 'usd', 'number']);
export type ComparedUnit = z.infer<typeof comparedUnitSchema>;

const rowSchema = z.strictObject({
  id: text,
  title: z.string(),
  unit: comparedUnitSchema,
  better: z.enum(['higher', 'lower']),
  /** One for each side. */
  cells: z.array(comparedCellSchema),
  /** One for each side but the first. */
  changes: z.array(comparedChangeSchema),
});
export type ComparedRow = z.infer<typeof rowSchema>;

/** The waits of all sides in one phase, over the same trials. */
const phaseCurvesSchema = z.strictObject({
  phase: text,
  /** One for each side. */
  sides: z.array(waitCurveSchema),
});

const sectionSchema = z.strictObject({
  id: text,
  title: z.string(),
  about: z.string(),
  rows: z.array(rowSchema),
  /** For waits: the distributions of which rows have percentiles, named `PHASE p50`. */
  curves: z.array(phaseCurvesSchema).optional(),
});
export type ComparedSection = z.infer<typeof sectionSchema>;

const sideSchema = z.strictObject({
  /** `A`, `B`, ... */
  letter: text,
  target: text,
  /** The run directory. */
  directory: text,
  world: text,
  time: z.enum(['virtual', 'real']),
  /** The version of Scaleproof at the time of the run. */
  version: text,
  trials: whole,
});
export type ComparedSide = z.infer<typeof sideSchema>;

const leftOutSchema = z.strictObject({ scenario: text, seeds: z.array(whole), why: text });
export type LeftOut = z.infer<typeof leftOutSchema>;

/** One kind of finding of one side, by a check without tolerance: a single one fails. */
const brokenSchema = z.strictObject({
  letter: text,
  check: text,
  code: text,
  /** Number of compared trials with it. */
  trials: whole,
  /** One of them. */
  example: z.strictObject({ scenario: text, seed: whole, object: z.string(), message: z.string(), replay: text }),
});
export type BrokenRequirement = z.infer<typeof brokenSchema>;

/** What versions of an autoscaler did in the same trials, side by side. */
export const targetComparisonSchema = z.strictObject({
  format: z.literal(COMPARISON_FORMAT),
  confidence: z.number(),
  sides: z.array(sideSchema),
  /** The trials that all sides have; only these are compared. */
  compared: z.strictObject({ trials: whole, scenarios: z.array(text) }),
  sections: z.array(sectionSchema),
  broken: z.array(brokenSchema),
  /** Other differences between the runs than the target, one sentence each. */
  differences: z.array(text),
  /** Workloads of the user's manifests that no trial shows to be served, after a sentence with their number. */
  unserved: z.array(text).optional(),
  leftOut: z.array(leftOutSchema),
});
export type TargetComparison = z.infer<typeof targetComparisonSchema>;
