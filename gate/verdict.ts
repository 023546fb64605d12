import { z } from 'zod';
import { waitCurveSchema } from '../history/wait-curve.ts';

/** `inconclusive` is neither: do not promote, and do not roll back. */
export const gateVerdictSchema = z.enum(['fail', 'inconclusive', 'pass']);
export type GateVerdict = z.infer<typeof gateVerdictSchema>;

/** What to do with a candidate. */
const actionSchema = z.enum(['reject', 'hold', 'promote']);
export type GateAction = z.infer<typeof actionSchema>;

/** In the order of output. */
export const CRITERIA = [
  'invariants',
  'leaks',
  'known-trials',
  'success',
  'scenarios',
  'latency-shift',
  'latency-tail',
  'cost',
  'requests',
  'existing-failures',
] as const;
export type CriterionName = (typeof CRITERIA)[number];

/** An episode to look at. */
const evidenceSchema = z.strictObject({
  scenario: z.string(),
  seed: z.number().int(),
  /** The replay line of the candidate's episode; empty if there was no trial. */
  replay: z.string(),
  /** What it shows. It may contain names from a cluster: escape it. */
  what: z.string(),
});
export type Evidence = z.infer<typeof evidenceSchema>;

const criterionSchema = z.strictObject({
  criterion: z.enum(CRITERIA),
  verdict: gateVerdictSchema,
  /** Nothing was compared, so that a pass says nothing. Absent otherwise. */
  isUntested: z.literal(true).optional(),
  /** The result and its limit, for a platform engineer. It may contain names from a cluster: escape it. */
  sentence: z.string(),
  /** The numbers in the sentence. Ratios are the candidate's over the baseline's; unbounded ones are absent. */
  numbers: z.record(z.string(), z.number()),
  /** Empty if it passed. */
  evidence: z.array(evidenceSchema),
});
export type Criterion = z.infer<typeof criterionSchema>;

const rangeSchema = z.strictObject({
  ms: z.number(),
  /** The true value is at least this, because of pods that ran out of time. */
  isAtLeast: z.boolean(),
});

const phaseSideSchema = z.strictObject({
  pods: z.number().int(),
  /** How many of them ran out of time. */
  censored: z.number().int(),
  p50: rangeSchema,
  p95: rangeSchema,
  p99: rangeSchema,
  /** The whole distribution. Absent in decisions of older versions. */
  curveMs: waitCurveSchema.shape.curveMs.optional(),
});
export type PhaseSide = z.infer<typeof phaseSideSchema>;

/** One phase on both sides, over the pods of all episodes; a side without such pods is absent. */
const phaseSchema = z.strictObject({
  phase: z.string(),
  /** If not, for information only. */
  isJudged: z.boolean(),
  baseline: phaseSideSchema.optional(),
  candidate: phaseSideSchema.optional(),
});
export type PhaseComparison = z.infer<typeof phaseSchema>;

/** The JSON of a gate's decision. */
export const gateDecisionSchema = z.strictObject({
  verdict: gateVerdictSchema,
  action: actionSchema,
  /** The decision and its reason in one sentence. */
  sentence: z.string(),
  criteria: z.array(criterionSchema),
  phases: z.array(phaseSchema),
  episodes: z.strictObject({
    isPaired: z.boolean(),
    baseline: z.number().int(),
    candidate: z.number().int(),
    /** The number for the plan of looks: pairs, or, if unpaired, episodes of the side with fewer. */
    seen: z.number().int(),
  }),
  /** What would let an inconclusive gate decide. */
  needs: z.strictObject({
    /** Further pairs, or episodes per side, until the next look; 0 if the policy allows no more, or none are needed. */
    episodes: z.number().int(),
    sentences: z.array(z.string()),
  }),
});
export type GateDecision = z.infer<typeof gateDecisionSchema>;

/** fail > inconclusive > pass. Without any criteria: inconclusive. */
export function combineGate(verdicts: Iterable<GateVerdict>): GateVerdict {
  let result: GateVerdict | undefined;
  for (const verdict of verdicts) {
    if (verdict === 'fail') return 'fail';
    if (verdict === 'inconclusive' || result === undefined) result = verdict;
  }
  return result ?? 'inconclusive';
}

/** What a verdict means for a rollout. */
export function actionFor(verdict: GateVerdict): GateAction {
  return ({ pass: 'promote', inconclusive: 'hold', fail: 'reject' } as const)[verdict];
}
