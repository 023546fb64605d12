import { z } from 'zod';
import {
  checkResultSchema,
  crashPointSchema,
  findingSchema,
  latencySchema,
  notRunSchema,
  trialResultSchema,
  verdictSchema,
} from '../history/verdict.ts';
import { boundSchema } from '../history/events.ts';
import { growthSchema } from '../history/growth.ts';
import { usageSchema } from '../history/usage.ts';
import { waitCurveSchema } from '../history/wait-curve.ts';
import { formatPublishedSchema } from './published-schema.ts';
import { trendRunSchema } from './trend.ts';
import { levelSchema, profileSchema, runFactsSchema } from './report-input.ts';

/** Version of the format. A new optional field keeps it; any other change makes it v2, with its own schema. */
export const REPORT_API_VERSION = 'scaleproof/v1';

const count = z.number().int().nonnegative();

/** The description of an event that shows a finding. */
const evidenceSchema = z.object({
  /** Index in the trial's history. */
  i: count.describe('Index of the event in the history of the trial, from 0.'),
  t: z.number().describe('Milliseconds since the start of the trial.'),
  what: z.string(),
  object: z.string().optional(),
});
export type Evidence = z.infer<typeof evidenceSchema>;

const reportedFindingSchema = findingSchema.extend({
  evidence: z.array(evidenceSchema).describe('Descriptions of the events that show it; at most the first few of `events`.'),
});
export type ReportedFinding = z.infer<typeof reportedFindingSchema>;

const reportedCheckSchema = checkResultSchema.extend({ findings: z.array(reportedFindingSchema) });

/** One trial. */
const trialReportSchema = trialResultSchema.omit({ scenario: true, title: true, suite: true, target: true, crash: true }).extend({
  checks: z.array(reportedCheckSchema),
  truncated: z.boolean().describe('The history is truncated: the process of the trial was killed.'),
});
export type TrialReport = z.infer<typeof trialReportSchema>;

/** One injection, over all trials of its scenario. */
const faultReportSchema = z.object({
  id: z.string().describe('Its name within each trial.'),
  fault: z.string().describe('Name in the catalogue of faults.'),
  description: z.string(),
  legal: z.boolean().describe('Whether a correct API server or EC2 may behave so.'),
  firing: z.enum(['must-fire', 'may-fire']),
  armedTrials: count,
  firedTrials: count,
  firings: count,
  vacuous: z.boolean().describe('It may fire, and never did in any trial, so it proved nothing.'),
});
export type FaultReport = z.infer<typeof faultReportSchema>;

/** A bound with the worst value of all trials. Bounds are upper limits: the worst value is the largest. */
const boundReportSchema = z.object({
  check: z.string(),
  bound: boundSchema,
  worst: z.number().optional().describe('Absent if nothing was measured.'),
  object: z.string().optional(),
  seed: count.optional().describe('Seed of the trial with the worst value.'),
});
export type BoundReport = z.infer<typeof boundReportSchema>;

const successSchema = z
  .object({ served: count, asked: count })
  .describe('Pods served in time, and pods that had to be served; 0 of 0 if there were none.');
const instancesSchema = z.object({ created: count, terminated: count, live: count, leaked: count });

/** The trial in which the target was killed on one side of a side effect. */
const crashTrialSchema = z.object({
  verdict: verdictSchema,
  check: z.string().optional().describe('Check of the first finding, or the first that could not judge.'),
  code: z.string().optional().describe('Code of the first finding.'),
  why: z.string().optional().describe('Message of the first finding, or why it is unknown; absent if it passed.'),
  findings: count,
  replay: z.string(),
  history: z.string(),
});
export type CrashTrialReport = z.infer<typeof crashTrialSchema>;

/** One side effect of the target, with the results of a crash before and after it, or of an upgrade at it. */
const crashPointReportSchema = crashPointSchema.omit({ moment: true }).extend({
  seed: count,
  before: crashTrialSchema.optional().describe('Killed before the request was forwarded; absent if not requested.'),
  after: crashTrialSchema.optional().describe('Killed after it took effect and before its response; absent if not requested.'),
  upgrade: crashTrialSchema
    .optional()
    .describe('Upgraded after it took effect, and told to stop before its response; absent if not requested.'),
});
export type CrashPointReport = z.infer<typeof crashPointReportSchema>;

const crashPointsSchema = z.object({
  leftOut: z.string().optional().describe('Why there are none; not part of the verdict.'),
  uncounted: z.string().optional().describe('Why the side effects could not be counted: unknown.'),
  passed: count,
  failed: count,
  unknown: count,
  points: z.array(crashPointReportSchema).describe('By seed, in the order of the side effects.'),
});
export type CrashPointsReport = z.infer<typeof crashPointsSchema>;

/** What the target used of the machine. */
const usageReportSchema = z
  .object({
    trials: count.describe('In which it was measured.'),
    cpuMs: z.number().describe('Processor time of the target in all of them. It is real time, and not judged.'),
    memory: usageSchema.shape.memory.describe(
      'webassembly: the memory of a compiled program, which only grows; resident: that of a process.',
    ),
    peakMiB: z.number().describe('The most memory that it had in one of them.'),
    growth: growthSchema
      .extend({ seed: count })
      .optional()
      .describe('How fast what it holds grew, in the trial where it surely grew fastest; absent unless a scenario expects steady memory.'),
  })
  .describe('What the target used of the machine: it differs a little from run to run.');
export type UsageReport = z.infer<typeof usageReportSchema>;

/** One scenario over all its trials. */
const scenarioReportSchema = z.object({
  id: z.string(),
  title: z.string(),
  suite: z.string(),
  profile: profileSchema,
  requirements: z.array(z.string()),
  verdict: verdictSchema,
  trials: z.object({ passed: count, failed: count, unknown: count, notBegun: count }),
  success: successSchema,
  latencies: z.array(latencySchema).describe('Percentiles by nearest rank over the pods of all trials.'),
  instances: instancesSchema,
  faults: z.object({ armed: count, fired: count, injections: z.array(faultReportSchema) }),
  bounds: z.array(boundReportSchema),
  interleavings: count.describe('Distinct orders of effects on both wires among the trials.'),
  virtualMs: z.number(),
  usage: usageReportSchema.optional().describe('Absent if that can not be told from what the rest of a trial uses.'),
  crashPoints: crashPointsSchema
    .optional()
    .describe('Trials in which the target was killed at each of its side effects: counted in no other number here.'),
  results: z.array(trialReportSchema),
});
export type ScenarioReport = z.infer<typeof scenarioReportSchema>;

/** How long pods took for a phase, over all trials. */
const totalWaitsSchema = waitCurveSchema.extend({
  phase: z.string(),
  p50Ms: z.number().optional(),
  p95Ms: z.number().optional(),
  p99Ms: z.number().optional(),
});
export type TotalWaits = z.infer<typeof totalWaitsSchema>;

/** One profile, over its requested scenarios. */
const profileReportSchema = z.object({
  name: profileSchema,
  result: z
    .enum(['success', 'partial', 'failure', 'unknown'])
    .describe('failure before unknown before partial: some scenario of the profile was not run, or not requested.'),
  scenarios: z.object({
    passed: count,
    failed: count,
    unknown: count,
    notRun: count,
    notRequested: count
      .optional()
      .describe('Scenarios of the profile that are not part of the run, or of this shard; absent in reports of earlier versions.'),
  }),
});
export type ProfileReport = z.infer<typeof profileReportSchema>;

/** One requirement, over the scenarios that test it. */
const requirementReportSchema = z.object({
  id: z.string(),
  level: levelSchema,
  area: z.string(),
  profile: profileSchema,
  title: z.string(),
  verdict: z
    .enum(['fail', 'unknown', 'pass', 'not-run'])
    .describe('fail before unknown before pass, of the scenarios that ran; not-run if none did.'),
  scenarios: z
    .array(z.object({ id: z.string(), verdict: verdictSchema }))
    .describe(
      'Those that ran, each with its verdict on this requirement: a finding counts against those requirements of its scenario that it breaches, or against all of them if it breaches none.',
    ),
  notRun: z.array(z.object({ id: z.string(), reason: z.string() })).describe('Requested ones that did not run, and why.'),
  notAskedFor: z.array(z.string()).describe('Others that test it, and were not part of the run.'),
});
export type RequirementReport = z.infer<typeof requirementReportSchema>;

/** report.json: a whole run. */
export const runReportSchema = z.object({
  apiVersion: z.literal(REPORT_API_VERSION),
  kind: z.literal('ConformanceReport'),
  run: runFactsSchema.omit({ format: true, planned: true, notRun: true, wallMs: true, requirements: true }).extend({
    wallMs: z.number().optional(),
    virtualMs: z.number().describe('Sum of the durations of all trials.'),
    ratio: z.number().optional().describe('Virtual over wall time.'),
  }),
  verdict: verdictSchema.describe('fail before unknown before pass. A run without any trial is unknown.'),
  totals: z.object({
    scenarios: z.object({ passed: count, failed: count, unknown: count, notRun: count }),
    trials: z.object({ passed: count, failed: count, unknown: count, notBegun: count, notRun: count }),
    success: successSchema,
    instances: instancesSchema,
    faults: z.object({ armed: count, fired: count }),
    findings: count,
    waits: z
      .array(totalWaitsSchema)
      .optional()
      .describe('How long pods took for each phase, over all trials. Absent in reports of older versions.'),
    interleavings: count,
    crashPoints: z.object({ passed: count, failed: count, unknown: count }).optional().describe('Absent if none were requested.'),
  }),
  profiles: z.array(profileReportSchema).describe('Only profiles with requested scenarios.'),
  requirements: z
    .array(requirementReportSchema)
    .optional()
    .describe('The whole specification (docs/specification.md); absent if no scenario of the run tests any of it.'),
  scenarios: z.array(scenarioReportSchema).describe('By profile, and in each in requested order.'),
  notRun: z.array(notRunSchema),
  trend: z.array(trendRunSchema).optional().describe('This run among earlier ones, by their start; absent unless requested.'),
});
export type RunReport = z.infer<typeof runReportSchema>;

/** The published JSON Schema of report.json, as the text of its file. */
export function formatReportSchema(): string {
  return formatPublishedSchema(runReportSchema, 'Scaleproof report.json');
}

/** The text of report.json. */
export function formatReport(report: RunReport): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}
