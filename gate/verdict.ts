import { z } from 'zod';

/** `inconclusive` is neither: it promotes nothing and rolls nothing back. */
export const gateVerdictSchema = z.enum(['fail', 'inconclusive', 'pass']);
export type GateVerdict = z.infer<typeof gateVerdictSchema>;

/** What to do about it. */
const actionSchema = z.enum(['reject', 'hold', 'promote']);
export type GateAction = z.infer<typeof actionSchema>;

/** In the order in which they are read. */
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
  /** What runs the candidate's episode again; empty where there was no trial. */
  replay: z.string(),
  /** What is to be seen there. It may hold names from a cluster: escape it. */
  what: z.string(),
});
export type Evidence = z.infer<typeof evidenceSchema>;

const criterionSchema = z.strictObject({
  criterion: z.enum(CRITERIA),
  verdict: gateVerdictSchema,
  /** What was found and what it was held to, for a platform engineer. It may hold names from a cluster: escape it. */
  sentence: z.string(),
  /** What the sentence is made of. Ratios are the candidate's over the baseline's; what has no limit is absent. */
  numbers: z.record(z.string(), z.number()),
  /** Unless it passed. */
  evidence: z.array(evidenceSchema),
});
export type Criterion = z.infer<typeof criterionSchema>;

const rangeSchema = z.strictObject({
  ms: z.number(),
  /** It is at least so much: pods that ran out of time are among it. */
  isAtLeast: z.boolean(),
});

const phaseSideSchema = z.strictObject({
  pods: z.number().int(),
  /** Of these, ran out of time. */
  censored: z.number().int(),
  p50: rangeSchema,
  p95: rangeSchema,
  p99: rangeSchema,
});
export type PhaseSide = z.infer<typeof phaseSideSchema>;

/** One phase on both sides, pods of all episodes together; a side that no pod went through it on is absent. */
const phaseSchema = z.strictObject({
  phase: z.string(),
  /** Or information only. */
  isJudged: z.boolean(),
  baseline: phaseSideSchema.optional(),
  candidate: phaseSideSchema.optional(),
});
export type PhaseComparison = z.infer<typeof phaseSchema>;

/** What a gate says, as JSON holds it. */
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
    /** That count for the plan of looks: pairs, or if unpaired those of the side with fewer. */
    seen: z.number().int(),
  }),
  /** What would let an inconclusive gate decide. */
  needs: z.strictObject({
    /** More pairs, or episodes a side, until it is looked again; 0 when there have been as many as the policy has, or none are needed. */
    episodes: z.number().int(),
    sentences: z.array(z.string()),
  }),
});
export type GateDecision = z.infer<typeof gateDecisionSchema>;

/** fail > inconclusive > pass. No criteria at all prove nothing. */
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
