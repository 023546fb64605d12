import { z } from 'zod';
import { PROFILES, boundSchema, capabilitySchema, constantsSchema } from '../history/events.ts';
import type { HistoryEvent } from '../history/events.ts';
import type { TrialSeen } from '../history/seen.ts';
import { crashPointSchema, notRunSchema } from '../history/verdict.ts';
import type { NotRun, TrialResult } from '../history/verdict.ts';
import { currentBoundName, currentScenarioId, currentTargetName } from '../model/former-names.ts';
import { defined } from '../model/defined.ts';

/** Format of run.json. */
export const RUN_FORMAT = 1;

const text = z.string().min(1);
const count = z.number().int().nonnegative();

/** The compiled program of a target, with everything that is needed to build it again. */
const programFactsSchema = z.strictObject({
  /** `karpenter` and `1.14.1`. */
  name: text,
  version: text,
  /** SHA-256 of the compiled program. */
  sha256: text,
  builtAt: z.iso.datetime(),
  module: text,
  /** The version in the module proxy; absent for a checkout. */
  moduleVersion: text.optional(),
  /** SHA-256 of the files of checkouts that it was built from; absent for a release. */
  sources: text.optional(),
  goVersion: text,
  /** Checksums of modules, as in go.sum. */
  sums: z.record(z.string(), text),
  /** Replaced modules, with the evidence that the replacement is the same. */
  replaces: z.array(z.strictObject({ module: text, by: text, evidence: text })),
});
export type ProgramFacts = z.infer<typeof programFactsSchema>;

/** A planned trial of the run. */
const plannedTrialSchema = z.strictObject({
  scenario: text,
  title: z.string(),
  suite: text,
  seed: count,
  /** The crash point at which the target is killed, if any. */
  crash: crashPointSchema.optional(),
  /** Its replay line. */
  replay: text,
  /** File name of its history. It must be inside the run directory, since run.json is untrusted. */
  history: z.string().regex(/^histories\/[\w.-]+\.jsonl$/, 'not a file of the run: it must be histories/NAME.jsonl'),
});

/** Required of every autoscaler, of those that declare a feature, for robustness against incorrect APIs, or for long and large trials. */
export const profileSchema = z.enum(PROFILES);
export type Profile = z.infer<typeof profileSchema>;

export const levelSchema = z.enum(['MUST', 'SHOULD']);

/** A requirement of the specification, with what a report needs to judge it. */
const requirementFactsSchema = z.strictObject({
  id: text,
  level: levelSchema,
  area: text,
  profile: profileSchema,
  title: z.string(),
  /** Findings that breach it if a scenario tests it: codes by the name of their check. */
  breaches: z.record(z.string(), z.array(text)),
  /** All scenarios that test it, even if they were not requested. */
  scenarios: z.array(text),
});
export type RequirementFacts = z.infer<typeof requirementFactsSchema>;

/** The LocalStack of the run, with its gaps compared with EC2, which Scaleproof's EC2 in front of it filled. */
const endpointFactsSchema = z.strictObject({
  endpoint: text,
  version: text,
  gaps: z.array(
    z.strictObject({
      gap: text,
      /** What EC2 does. */
      ec2: z.string(),
      /** Whether this endpoint has the gap; absent if unknown. */
      present: z.boolean().optional(),
      evidence: z.string(),
    }),
  ),
});
export type EndpointFacts = z.infer<typeof endpointFactsSchema>;

/** The manifests that the scenarios are made from, and which of their workloads this run can't show to be served. */
const manifestsFactsSchema = z.strictObject({
  directory: text,
  /** Number of workloads in them. */
  workloads: count,
  gaps: z.array(
    z.strictObject({
      /** `Deployment shop/web` */
      workload: text,
      /** Its file and document. */
      where: text,
      kind: z.enum(['partly', 'unservable', 'untestable']),
      why: text,
    }),
  ),
  /** A gap decides the verdict. */
  strict: z.boolean(),
});
export type ManifestsFacts = z.infer<typeof manifestsFactsSchema>;

/** How long a part of the world took to start and to be removed; absent if it did not start, or was kept. */
const partTimesSchema = z.strictObject({ part: text, upMs: count.optional(), downMs: count.optional() });
export type PartTimes = Readonly<z.infer<typeof partTimesSchema>>;

/** One of `of` parts, counted from 1. */
const shardSchema = z.strictObject({ number: z.number().int().positive(), of: z.number().int().positive() });
export type Shard = Readonly<z.infer<typeof shardSchema>>;

/**
 * run.json: what was run, against which target and in which world. Written before the first trial and, with `wallMs`, after the last;
 * with the histories beside it, every verdict and report can be recreated. The number of workers is not in it, because it must not
 * change a byte.
 */
export const runFactsSchema = z.strictObject({
  format: z.literal(RUN_FORMAT),
  id: text,
  /** Wall time, ISO 8601 in UTC. */
  startedAt: z.iso.datetime(),
  versions: z.object({ scaleproof: text, node: text }).catchall(z.string()),
  /** Seeds of each scenario: from `seed` on, `trials` of them. */
  seed: count,
  trials: count,
  /** The shard of the run; absent for a whole run. */
  shard: shardSchema.optional(),
  /** The requested scenarios. */
  scenarios: z.array(
    z.strictObject({
      id: text,
      title: z.string(),
      suite: text,
      profile: profileSchema,
      requirements: z.array(z.string()),
      /** SHA-256 of the scenario's module source. */
      digest: text,
      /** The target is also killed at each of its side effects; absent if not requested. */
      crashPoints: z
        .strictObject({
          /** Why they are skipped; not part of the verdict. */
          leftOut: text.optional(),
          /** Why the side effects could not be counted: the verdict is unknown. */
          uncounted: text.optional(),
        })
        .optional(),
    }),
  ),
  /** By profile: how many of the bundled scenarios the run leaves out. Absent in runs of earlier versions. */
  notRequested: z.object({ core: count, extended: count, robustness: count, endurance: count.optional() }).optional(),
  /** Absent unless the scenarios are made from a user's manifests. */
  manifests: manifestsFactsSchema.optional(),
  /** The specification at that time; absent if no scenario of the run tests any of it. */
  requirements: z.array(requirementFactsSchema).optional(),
  target: z.strictObject({
    name: text,
    features: z.array(z.string()),
    constants: constantsSchema,
    /** SHA-256 of a user's target file, of a compiled program, or of the digests of both. */
    digest: text.optional(),
    /** Absent for a target without a compiled program. */
    program: programFactsSchema.optional(),
  }),
  world: z.strictObject({
    name: text,
    capabilities: z.array(capabilitySchema),
    allowances: constantsSchema,
    /** What can't be recorded of the target, a sentence each; absent if everything is. */
    unseen: z.array(text).optional(),
    /** Absent if EC2 is Scaleproof's own. */
    ec2: endpointFactsSchema.optional(),
    /** Absent if nothing was started for the run. */
    parts: z.array(partTimesSchema).optional(),
  }),
  /** The limits, resolved for this target in this world. */
  bounds: z.array(boundSchema),
  /** SHA-256 of the instance types and of the prices. */
  digests: z.strictObject({ catalogue: text, prices: text }),
  planned: z.array(plannedTrialSchema),
  notRun: z.array(notRunSchema),
  /** From the first trial's start to the last one's end, for shards the longest; absent while the run is going on, or if it was killed. */
  wallMs: z.number().nonnegative().optional(),
});
export type RunFacts = z.infer<typeof runFactsSchema>;

/** A judged trial with its history. */
export interface ReportTrial {
  readonly result: TrialResult;
  readonly seen: TrialSeen;
  /** Read once by each report that shows single events; may be a getter that reads the file. */
  readonly events: readonly HistoryEvent[];
}

/** The input of all reports. */
export interface ReportInput {
  readonly run: RunFacts;
  readonly trials: readonly ReportTrial[];
  readonly notRun: readonly NotRun[];
}

/**
 * Parses the text of a run.json. Former names in it are replaced with the current ones.
 * @param name its name in messages
 * @throws Error that says what is wrong, in one line
 */
export function parseRunFacts(content: string, name: string): RunFacts {
  let raw: unknown;
  try {
    raw = JSON.parse(content);
  } catch {
    throw new Error(`${name} is not JSON`);
  }
  const parsed = runFactsSchema.safeParse(raw);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new Error(`${name} is not a valid description of a run: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not valid'}`);
  }
  const known = new Set(parsed.data.scenarios.map(({ id }) => id));
  const unlisted = [...parsed.data.planned, ...parsed.data.notRun].find(({ scenario }) => !known.has(scenario));
  if (unlisted !== undefined)
    throw new Error(`${name} is not a valid description of a run: scenarios: "${unlisted.scenario}" was planned and is not listed`);
  refuseDuplicates(parsed.data.planned, name);
  return withCurrentNames(parsed.data);
}

function withCurrentNames(run: RunFacts): RunFacts {
  const byScenario = <T extends { readonly scenario: string }>(one: T): T => ({ ...one, scenario: currentScenarioId(one.scenario) });
  return {
    ...run,
    target: { ...run.target, name: currentTargetName(run.target.name) },
    scenarios: run.scenarios.map((scenario) => ({ ...scenario, id: currentScenarioId(scenario.id) })),
    ...defined({ requirements: run.requirements?.map((one) => ({ ...one, scenarios: one.scenarios.map(currentScenarioId) })) }),
    bounds: run.bounds.map((bound) => ({ ...bound, name: currentBoundName(bound.name) })),
    planned: run.planned.map(byScenario),
    notRun: run.notRun.map(byScenario),
  };
}

/** With duplicates, one of them would not be judged. */
function refuseDuplicates(planned: RunFacts['planned'], name: string): void {
  const trials = new Set<string>();
  const histories = new Set<string>();
  for (const { scenario, seed, crash, history } of planned) {
    const trial = JSON.stringify([scenario, seed, crash]);
    if (trials.has(trial))
      throw new Error(`${name} is not a valid description of a run: planned: ${scenario} with seed ${seed} is duplicated`);
    if (histories.has(history)) throw new Error(`${name} is not a valid description of a run: planned: ${history} is duplicated`);
    trials.add(trial);
    histories.add(history);
  }
}
