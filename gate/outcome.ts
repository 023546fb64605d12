import { z } from 'zod';
import { formatList } from '../model/format-list.ts';
import { CRITERIA, gateDecisionSchema } from './verdict.ts';
import { counted } from './wording.ts';

const count = z.number().int().nonnegative();
const text = z.string().min(1);

/** What of the bundled suites a decision did not look at. */
const unseenSchema = z.strictObject({
  /** Number of bundled scenarios. */
  of: count,
  /** Ids of scenarios. */
  scenarios: z.array(z.string()),
  /** Profiles of which no scenario was looked at. */
  profiles: z.array(z.string()),
  /** Ids of requirements that none of the scenarios tests. */
  requirements: z.array(z.string()),
});
export type Unseen = z.infer<typeof unseenSchema>;

/** A gate that ended before its planned look, since no trial until then could change the decision. */
const stopSchema = z.strictObject({
  /** The criteria that reject the candidate for certain. */
  criteria: z.array(z.enum(CRITERIA)),
  /** Trials of both sides in all looks: those that count, and those that were planned until that look. */
  trials: z.strictObject({ run: count, planned: count }),
});
export type GateStop = z.infer<typeof stopSchema>;

/** What was tested on one side. It may contain names of the user's: escape it. */
const sideSchema = z.strictObject({
  /** The target's name, or its path as the user gave it. */
  target: text,
  /** `version 1.2.3`; absent if it is not known. */
  version: text.optional(),
  /** The run directory, if the gate was given one. */
  directory: text.optional(),
});
export type GateSide = z.infer<typeof sideSchema>;

const findingSchema = z.strictObject({
  /** `CHECK/CODE`, or `not-served`. */
  kind: text,
  /** The number of its trials. */
  trials: count,
  /** The first of them. */
  seed: z.number().int(),
  replay: z.string(),
  /** What it shows. It may contain names from a cluster: escape it. */
  what: z.string(),
});
export type ScenarioFinding = z.infer<typeof findingSchema>;

/** The trials of one scenario on one side. */
const tallySchema = z.strictObject({
  pass: count,
  fail: count,
  unknown: count,
  findings: z.array(findingSchema),
});
export type ScenarioTally = z.infer<typeof tallySchema>;

const scenarioSchema = z.strictObject({ scenario: text, baseline: tallySchema, candidate: tallySchema });
export type ScenarioPair = z.infer<typeof scenarioSchema>;

/** The user's manifests, if the scenarios are made from them, with the workloads that can't be shown to be served. */
const manifestsSchema = z.strictObject({ summary: text, gaps: z.array(text) });

/** gate.json: the decision of a gate, and what it is based on. */
export const gateOutcomeSchema = z.strictObject({
  decision: gateDecisionSchema,
  sides: z.strictObject({ baseline: sideSchema, candidate: sideSchema }),
  /** The version of Scaleproof that decided. */
  version: text,
  /** Run directories of the trials, in the order in which they were run. */
  directories: z.array(z.string()),
  /** What was left out and why, and where the policy is laxer than the defaults: a sentence each. */
  notes: z.array(z.string()),
  /** What of the bundled suites was not covered, by choice or because a target can't run it. */
  unseen: unseenSchema,
  /** If it ended before the planned trials, because none of them could change the decision. */
  stopped: stopSchema.optional(),
  manifests: manifestsSchema.optional(),
  /** Both sides of each scenario. */
  scenarios: z.array(scenarioSchema),
});
export type GateOutcome = z.infer<typeof gateOutcomeSchema>;

/** Requirements that a note names; a file has them all. */
const MAX_NAMED = 8;

/** The notes for fields of an outcome: workloads that are not served, an early stop, and what was not covered. */
export function sectionNotes({ manifests, stopped, unseen }: Pick<GateOutcome, 'manifests' | 'stopped' | 'unseen'>): string[] {
  return [
    ...(manifests === undefined ? [] : [manifests.summary, ...manifests.gaps]),
    ...(stopped === undefined ? [] : [describeStop(stopped)]),
    ...describeUnseen(unseen, 'gate.json'),
  ];
}

/** The notes that no field of an outcome says. */
export function otherNotes(outcome: GateOutcome): string[] {
  const ofFields = new Set(sectionNotes(outcome));
  return outcome.notes.filter((note) => !ofFields.has(note));
}

/** Why it stopped, and how many trials that saved. */
function describeStop({ criteria, trials: { run, planned } }: GateStop): string {
  return `stopped after ${run} of ${counted(planned, 'trial')}: the candidate fails ${criteria.join(', ')}, and no further trial could change that; ${counted(planned - run, 'trial')} saved`;
}

/** A sentence, or none if everything was looked at. @param file has all that is unseen */
export function describeUnseen({ of, scenarios, profiles, requirements }: Unseen, file: string): string[] {
  if (scenarios.length === 0) return [];
  const whole = profiles.length === 0 ? '' : `; no scenario of ${profiles.length === 1 ? 'profile' : 'profiles'} ${formatList(profiles)}`;
  const named = requirements.slice(0, MAX_NAMED).join(', ');
  const more = requirements.length > MAX_NAMED ? ` and ${requirements.length - MAX_NAMED} more (${file})` : '';
  const untested = requirements.length === 0 ? '' : `; ${counted(requirements.length, 'requirement')} untested: ${named}${more}`;
  return [`not covered: ${scenarios.length} of ${counted(of, 'scenario')}${whole}${untested}`];
}
