import { z } from 'zod';
import { comparedCellSchema, comparedChangeSchema, comparedUnitSchema } from '../history/comparison.ts';
import { formatPublishedSchema } from './published-schema.ts';
import { levelSchema, profileSchema } from './report-input.ts';
import { REPORT_API_VERSION } from './run-report.ts';

const count = z.number().int().nonnegative();
const index = count.describe('Index of the version in `versions`, from 0.');

const cellVerdictSchema = z
  .enum(['fail', 'unknown', 'pass', 'not-run', 'missing'])
  .describe('not-run: the version can’t run it; missing: it was not run yet, or is in another shard.');
export type CellVerdict = z.infer<typeof cellVerdictSchema>;

const page = z.string().describe('Where the evidence is: a page and a place on it, relative to the matrix.');

/** One kind of finding of one version in one scenario. */
const kindSchema = z.object({
  check: z.string().describe('Name of the check.'),
  code: z.string().describe('Stable code of the finding.'),
  trials: count.describe('Number of trials with it.'),
  message: z.string().describe('The first of them, in a sentence.'),
  object: z.string().describe('The object that it is about.'),
  seed: count.describe('Seed of that trial.'),
  replay: z.string().describe('Replay line of that trial.'),
});
export type MatrixFinding = z.infer<typeof kindSchema>;

const cellSchema = z.object({
  verdict: cellVerdictSchema,
  trials: z
    .object({
      passed: count.describe('Trials that passed.'),
      failed: count.describe('Trials that failed.'),
      unknown: count.describe('Trials without a verdict.'),
      missing: count.describe('Trials that were not run yet.'),
    })
    .describe('The trials of the cell.'),
  why: z.string().optional().describe('Why there is no verdict; absent if there is one.'),
  findings: z.array(kindSchema).describe('The kinds of findings, causes first.'),
  page,
});
export type MatrixCell = z.infer<typeof cellSchema>;

const scenarioSchema = z.object({
  id: z.string().describe('Stable id of the scenario.'),
  title: z.string().describe('What it is about, in a sentence.'),
  suite: z.string().describe('The suite that it belongs to.'),
  profile: profileSchema.describe('Who has to pass it.'),
  requirements: z.array(z.string()).describe('Ids of the requirements that it tests.'),
  cells: z.array(cellSchema).describe('One for each version.'),
});
export type MatrixScenario = z.infer<typeof scenarioSchema>;

const requirementSchema = z.object({
  id: z.string().describe('Stable id of the requirement.'),
  level: levelSchema.describe('MUST or SHOULD.'),
  area: z.string().describe('The area of the specification.'),
  profile: profileSchema.describe('Who has to meet it.'),
  title: z.string().describe('The requirement in a sentence.'),
  scenarios: z.array(z.string()).describe('Ids of the scenarios of the matrix that test it.'),
  cells: z
    .array(
      z.object({
        verdict: cellVerdictSchema,
        breachedBy: z.array(z.string()).describe('Ids of the scenarios in which it was broken.'),
        page,
      }),
    )
    .describe('One for each version.'),
});
export type MatrixRequirement = z.infer<typeof requirementSchema>;

const measurementSchema = z.object({
  id: z.string().describe('Stable id of the measurement.'),
  title: z.string().describe('What is measured.'),
  unit: comparedUnitSchema.describe('ratio: 0 to 1; ms: milliseconds; usd: US dollars; number: a plain number.'),
  better: z.enum(['higher', 'lower']).describe('Which direction is better.'),
});

const sectionSchema = z.object({
  id: z.string().describe('Stable id of the section.'),
  title: z.string().describe('What the measurements are about.'),
  rows: z
    .array(measurementSchema.extend({ cells: z.array(comparedCellSchema).describe('One for each version, over the same trials.') }))
    .describe('The measurements.'),
});
export type MatrixSection = z.infer<typeof sectionSchema>;
export type MatrixMeasurement = MatrixSection['rows'][number];

/** What happened to a scenario between two versions. */
export const SCENARIO_CHANGES = ['fails', 'new-finding', 'fails-more', 'fails-unseen', 'lost', 'passes'] as const;
export type ScenarioChangeKind = (typeof SCENARIO_CHANGES)[number];

const scenarioChangeSchema = z.object({
  scenario: z.string().describe('Id of the scenario.'),
  kind: z
    .enum(SCENARIO_CHANGES)
    .describe(
      'fails: it passed before; new-finding: it failed before, in another way; fails-more: it fails in a larger share of its trials, by bounds that do not overlap; fails-unseen: it had no verdict before; lost: it had a verdict before; passes: it failed before.',
    ),
  before: cellVerdictSchema,
  after: cellVerdictSchema,
  breaches: z.array(z.string()).describe('Ids of the requirements that it breaks now and did not break before.'),
  findings: z.array(kindSchema).describe('The findings that are new; for `passes`, those that are gone.'),
  why: z.string().optional().describe('Why there is no verdict now; absent if there is one.'),
});
export type ScenarioChange = z.infer<typeof scenarioChangeSchema>;

const requirementChangeSchema = z.object({
  requirement: z.string().describe('Id of the requirement.'),
  level: levelSchema.describe('MUST or SHOULD.'),
  title: z.string().describe('The requirement in a sentence.'),
  kind: z.enum(['broken', 'holds']).describe('broken: it held before; holds: it was broken before.'),
  scenarios: z.array(z.string()).describe('Ids of the scenarios that show it.'),
});
export type RequirementChange = z.infer<typeof requirementChangeSchema>;

const measurementChangeSchema = measurementSchema.extend({
  before: comparedCellSchema.describe('The figure of the earlier version.'),
  after: comparedCellSchema.describe('The figure of the later version, over the same trials.'),
  change: comparedChangeSchema.describe('How they differ; its bounds show a difference.'),
});
export type MeasurementChange = z.infer<typeof measurementChangeSchema>;

const riskSchema = z.object({
  level: z
    .enum(['fail', 'unknown', 'worse', 'none'])
    .describe(
      'fail: something fails that did not; unknown: verdicts are lost or new; worse: only measurements got worse; none: none of these.',
    ),
  must: count.describe('MUST requirements that are newly broken.'),
  should: count.describe('SHOULD requirements that are newly broken.'),
  fails: count.describe('Scenarios that newly fail.'),
  findings: count.describe('Scenarios that failed before and have a finding of a new kind, or fail more often.'),
  unseen: count.describe('Scenarios that fail and had no verdict before.'),
  lost: count.describe('Scenarios that lost their verdict.'),
  worse: count.describe('Measurements that got worse.'),
});
export type Risk = z.infer<typeof riskSchema>;

const upgradeSchema = z.object({
  from: index,
  to: index,
  risk: riskSchema.describe('How risky it is: upgrades are ordered by its counts, the first one first.'),
  requirements: z.array(requirementChangeSchema).describe('Requirements that are newly broken, then those that newly hold.'),
  scenarios: z.array(scenarioChangeSchema).describe('Scenarios whose results differ, the worst first.'),
  measurements: z.array(measurementChangeSchema).describe('Measurements that are surely different, worse ones first.'),
  compared: count.describe('Number of trials that both have: measurements are compared over these.'),
});
export type Upgrade = z.infer<typeof upgradeSchema>;

/** matrix.json: what versions of an autoscaler do in the same scenarios. */
export const matrixReportSchema = z.object({
  apiVersion: z.literal(REPORT_API_VERSION),
  kind: z.literal('ConformanceMatrix').describe('The kind of document.'),
  scaleproof: z.string().describe('Version of Scaleproof.'),
  seeds: z
    .object({ first: count.describe('The first seed.'), count: count.describe('Number of consecutive seeds.') })
    .describe('Seeds of each cell.'),
  shard: z
    .object({ number: count.describe('Number of the shard, from 1.'), of: count.describe('Number of shards.') })
    .optional()
    .describe('The shard of the matrix; absent for a whole one.'),
  confidence: z.number().describe('Confidence of each bound, which is one-sided.'),
  versions: z
    .array(
      z.object({
        target: z.string().describe('Its name, or its file as the user gave it.'),
        folder: z.string().describe('Its run directory, relative to the matrix.'),
        digest: z.string().optional().describe('SHA-256 of its file or program; absent for a bundled target.'),
        page,
        scenarios: z
          .object({
            passed: count.describe('Those that passed.'),
            failed: count.describe('Those that failed.'),
            unknown: count.describe('Those without a verdict.'),
            notRun: count.describe('Those that it can’t run.'),
            missing: count.describe('Those that were not run yet.'),
          })
          .describe('Number of scenarios, by verdict.'),
        broken: z
          .object({ must: count.describe('Of level MUST.'), should: count.describe('Of level SHOULD.') })
          .describe('Number of broken requirements.'),
      }),
    )
    .describe('The columns, in requested order.'),
  upgrades: z.array(upgradeSchema).describe('What changed between neighbours, the riskiest upgrade first.'),
  requirements: z.array(requirementSchema).describe('Those that scenarios of the matrix test, by area.'),
  scenarios: z.array(scenarioSchema).describe('By profile, and in each in requested order.'),
  measured: z
    .object({
      trials: count.describe('Number of trials that all versions have: measurements are over these.'),
      sections: z.array(sectionSchema).describe('The measurements by what they are about.'),
    })
    .describe('What was measured beside the verdicts.'),
});
export type MatrixReport = z.infer<typeof matrixReportSchema>;

/** The published JSON Schema of matrix.json, as the text of its file. */
export function formatMatrixSchema(): string {
  return formatPublishedSchema(matrixReportSchema, 'Scaleproof matrix.json');
}

/** The text of matrix.json. */
export function formatMatrix(matrix: MatrixReport): string {
  return `${JSON.stringify(matrix, null, 2)}\n`;
}
