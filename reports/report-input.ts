import { z } from 'zod';
import { boundSchema, capabilitySchema, constantsSchema } from '../history/events.ts';
import type { HistoryEvent } from '../history/events.ts';
import type { TrialSeen } from '../history/seen.ts';
import { crashPointSchema, notRunSchema } from '../history/verdict.ts';
import type { NotRun, TrialResult } from '../history/verdict.ts';
import { boundNameNow, scenarioIdNow, targetNameNow } from '../model/former-names.ts';
import { defined } from '../model/defined.ts';

/** Format of run.json. */
export const RUN_FORMAT = 1;

const text = z.string().min(1);
const count = z.number().int().nonnegative();

/** The compiled program that a target ran, and what it was made of: enough to make it again. */
const programFactsSchema = z.strictObject({
  /** `karpenter` and `1.14.1`. */
  name: text,
  version: text,
  /** SHA-256 of the compiled program. */
  sha256: text,
  builtAt: z.iso.datetime(),
  module: text,
  /** As the module proxy has it; absent for a checkout. */
  moduleVersion: text.optional(),
  /** SHA-256 of the files of checkouts that it was built from; absent for a release. */
  sources: text.optional(),
  goVersion: text,
  /** What modules hold, as go.sum says it. */
  sums: z.record(z.string(), text),
  /** Modules that others took the place of, and how it is known that these are the same. */
  replaces: z.array(z.strictObject({ module: text, by: text, evidence: text })),
});
export type ProgramFacts = z.infer<typeof programFactsSchema>;

/** A trial that the run set out to do. */
const plannedTrialSchema = z.strictObject({
  scenario: text,
  title: z.string(),
  suite: text,
  seed: count,
  /** Where the target is killed; absent for a trial as its scenario has it. */
  crash: crashPointSchema.optional(),
  /** The line that repeats it. */
  replay: text,
  /** File name of its history in the run directory, and nothing outside it: who checks a run may not have made it. */
  history: z.string().regex(/^histories\/[\w.-]+\.jsonl$/, 'not a file of the run: it must be histories/NAME.jsonl'),
});

/** What is asked of every autoscaler, of those that declare more, and what no correct API would make it bear. */
export const profileSchema = z.enum(['core', 'extended', 'robustness']);
export type Profile = z.infer<typeof profileSchema>;

export const levelSchema = z.enum(['MUST', 'SHOULD']);

/** A requirement of the specification, and what a report needs to judge it. */
const requirementFactsSchema = z.strictObject({
  id: text,
  level: levelSchema,
  area: text,
  profile: profileSchema,
  title: z.string(),
  /** Findings that are a breach of it where a scenario tests it: codes by the name of their check. */
  breaches: z.record(z.string(), z.array(text)),
  /** All that there are to test it, whether or not they were asked for. */
  scenarios: z.array(text),
});
export type RequirementFacts = z.infer<typeof requirementFactsSchema>;

/** A LocalStack that machines and messages were kept in: what it does otherwise than EC2, so that the front added it. */
const endpointFactsSchema = z.strictObject({
  endpoint: text,
  version: text,
  gaps: z.array(
    z.strictObject({
      gap: text,
      /** What EC2 does. */
      ec2: z.string(),
      /** Whether this endpoint has the gap; absent where the probe could not tell. */
      present: z.boolean().optional(),
      evidence: z.string(),
    }),
  ),
});
export type EndpointFacts = z.infer<typeof endpointFactsSchema>;

/** How long a part of the world took to come up and to be taken down; absent where it did not, or was left. */
const partTimesSchema = z.strictObject({ part: text, upMs: count.optional(), downMs: count.optional() });
export type PartTimes = Readonly<z.infer<typeof partTimesSchema>>;

/** One of `of` parts, counted from 1. */
const shardSchema = z.strictObject({ number: z.number().int().positive(), of: z.number().int().positive() });
export type Shard = Readonly<z.infer<typeof shardSchema>>;

/**
 * run.json: what was run, on what, with which data. Written before the first trial and, with `wallMs`, after the last;
 * with the histories beside it every verdict and report can be made again. The number of workers is not in it: it must
 * not change a byte.
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
  /** This is one part of a run that is shared out; absent in a whole one. */
  shard: shardSchema.optional(),
  /** The scenarios that were asked for. */
  scenarios: z.array(
    z.strictObject({
      id: text,
      title: z.string(),
      suite: text,
      profile: profileSchema,
      requirements: z.array(z.string()),
      /** SHA-256 of the scenario's module source. */
      digest: text,
      /** The target is also killed at each of its side effects; absent where nobody asked for that. */
      crashPoints: z
        .strictObject({
          /** Why that is left out: it is no part of the verdict. */
          leftOut: text.optional(),
          /** Why the side effects can't be told: the verdict is unknown. */
          uncounted: text.optional(),
        })
        .optional(),
    }),
  ),
  /** The specification as it was then; absent where no scenario of the run tests any of it. */
  requirements: z.array(requirementFactsSchema).optional(),
  target: z.strictObject({
    name: text,
    features: z.array(z.string()),
    constants: constantsSchema,
    /** SHA-256 of a user's target file, of a compiled program, or of the digests of both. */
    digest: text.optional(),
    /** Absent for a target that is no compiled program. */
    program: programFactsSchema.optional(),
  }),
  world: z.strictObject({
    name: text,
    capabilities: z.array(capabilitySchema),
    allowances: constantsSchema,
    /** What of the target can't be seen here, a sentence each; absent where everything is. */
    unseen: z.array(text).optional(),
    /** Absent where EC2 is Scaleproof's own alone. */
    ec2: endpointFactsSchema.optional(),
    /** Absent where nothing was started for the run. */
    parts: z.array(partTimesSchema).optional(),
  }),
  /** The limits, resolved for this target in this world. */
  bounds: z.array(boundSchema),
  /** SHA-256 of the instance types and of the prices. */
  digests: z.strictObject({ catalogue: text, prices: text }),
  planned: z.array(plannedTrialSchema),
  notRun: z.array(notRunSchema),
  /** From the first trial's start to the last one's end, of shards the longest; absent while the run goes on or when it was killed. */
  wallMs: z.number().nonnegative().optional(),
});
export type RunFacts = z.infer<typeof runFactsSchema>;

/** A judged trial with its history. */
export interface ReportTrial {
  readonly result: TrialResult;
  readonly seen: TrialSeen;
  /** Read once by each report that tells of single events: may be a getter that reads the file. */
  readonly events: readonly HistoryEvent[];
}

/** All that reports are made of. */
export interface ReportInput {
  readonly run: RunFacts;
  readonly trials: readonly ReportTrial[];
  readonly notRun: readonly NotRun[];
}

/**
 * Reads the text of a run.json. Names that have changed since it was written are today's.
 * @param name what messages call it
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
    throw new Error(`${name} is no description of a run: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not valid'}`);
  }
  const known = new Set(parsed.data.scenarios.map(({ id }) => id));
  const stranger = [...parsed.data.planned, ...parsed.data.notRun].find(({ scenario }) => !known.has(scenario));
  if (stranger !== undefined)
    throw new Error(`${name} is no description of a run: scenarios: "${stranger.scenario}" was planned and is not among them`);
  refuseTwice(parsed.data.planned, name);
  return withNamesOfNow(parsed.data);
}

function withNamesOfNow(run: RunFacts): RunFacts {
  const byScenario = <T extends { readonly scenario: string }>(one: T): T => ({ ...one, scenario: scenarioIdNow(one.scenario) });
  return {
    ...run,
    target: { ...run.target, name: targetNameNow(run.target.name) },
    scenarios: run.scenarios.map((scenario) => ({ ...scenario, id: scenarioIdNow(scenario.id) })),
    ...defined({ requirements: run.requirements?.map((one) => ({ ...one, scenarios: one.scenarios.map(scenarioIdNow) })) }),
    bounds: run.bounds.map((bound) => ({ ...bound, name: boundNameNow(bound.name) })),
    planned: run.planned.map(byScenario),
    notRun: run.notRun.map(byScenario),
  };
}

/** Of two trials in one place one would not be judged. */
function refuseTwice(planned: RunFacts['planned'], name: string): void {
  const trials = new Set<string>();
  const histories = new Set<string>();
  for (const { scenario, seed, crash, history } of planned) {
    const trial = JSON.stringify([scenario, seed, crash]);
    if (trials.has(trial)) throw new Error(`${name} is no description of a run: planned: ${scenario} with seed ${seed} is there twice`);
    if (histories.has(history)) throw new Error(`${name} is no description of a run: planned: ${history} is there twice`);
    trials.add(trial);
    histories.add(history);
  }
}
