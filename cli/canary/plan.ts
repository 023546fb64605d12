import { z } from 'zod';
import { describeLaxer, laxerValues, parsePolicy } from '../../gate/policy.ts';
import type { Policy } from '../../gate/policy.ts';
import { MAX_COMPARED } from '../../gate/sides.ts';
import { trialsToAccept } from '../../gate/statistics/sequential.ts';
import { defined } from '../../model/defined.ts';
import { objectError } from '../../model/field-errors.ts';
import { parseDurationMs } from '../../model/go-duration.ts';
import { template, text } from '../../targets/command/target-file.ts';
import { unknownVariable } from '../../targets/command/variables.ts';
import { UsageError } from '../usage-error.ts';
import { parseUserYaml, readUserFile } from '../user-file.ts';

/** What the command of a hook or prober may use as `${NAME}`; its environment has the same value as SCALEPROOF_NAME. */
export const HOOK_VARIABLES = ['ACTION', 'STAGE', 'PERCENT', 'PLACE', 'PLACES', 'BASELINE', 'CANDIDATE'] as const;
export const PROBE_VARIABLES = ['SIDE', 'PLACE', 'TARGET', 'SCENARIO', 'SEED', 'TRIALS', 'OUT'] as const;

const MAX_STAGES = 20;
const MAX_PLACES = 1_000;
/** Further probes each time that there is no decision yet. */
export const PROBE_STEP = 75;
/** A soak in real time has this many parts, with a look after each. */
export const LOOKS_A_SOAK = 4;
/** Bundled scenarios for each kind of probe, if the plan names none. */
const DEFAULT_PROBES = {
  spot: ['scheduling/spot-spread', 'capacity/spot-runs-out'],
  topology: ['scheduling/negative-max-skew', 'scheduling/unusual-spreads'],
} as const;

const A_DURATION = 'a duration such as 90s, 30m or 1h30m';
const duration = z.union([z.string(), z.literal(0)], `must be ${A_DURATION}`).transform((value, { addIssue }) => {
  const ms = parseDurationMs(value);
  if (ms !== undefined) return ms;
  addIssue({ code: 'custom', message: `must be ${A_DURATION}, not ${JSON.stringify(value)}` });
  return z.NEVER;
});

/** It becomes part of directory names, commands and environments. */
const PLACE_NAME = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const placeName = text.regex(PLACE_NAME, 'must be a name of letters, digits, . _ and -, of at most 63');

const place = z.preprocess(
  (value) => (typeof value === 'string' ? { name: value } : value),
  z.strictObject({ name: placeName, kubeconfig: text.optional() }, { error: objectError }),
);

/** A cluster or a pool that can get the candidate. */
export interface Place {
  readonly name: string;
  /** For hooks that patch. */
  readonly kubeconfig?: string | undefined;
}

const isUnique = (places: readonly Place[]): boolean => new Set(places.map(({ name }) => name)).size === places.length;
const places = z
  .array(place, {
    error: ({ input }) =>
      typeof input === 'number'
        ? `must be a number from 1 to ${MAX_PLACES}, of clusters only, or a list of names`
        : 'must be a list of names',
  })
  .nonempty('must name one')
  .max(MAX_PLACES, `must be at most ${MAX_PLACES}`)
  .refine(isUnique, 'names one twice');

/** A number of clusters is a fleet for the embedded world: cluster-01, cluster-02, ... */
const clusters = z.preprocess((value) => {
  if (typeof value !== 'number' || !Number.isInteger(value) || value > MAX_PLACES) return value;
  return Array.from({ length: Math.max(0, value) }, (_, index) => `cluster-${String(index + 1).padStart(2, '0')}`);
}, places);

const share = z
  .strictObject({ clusters: clusters.optional(), pools: places.optional() }, { error: objectError })
  .refine(({ clusters, pools }) => (clusters === undefined) !== (pools === undefined), 'must name either clusters or pools')
  .transform(({ clusters, pools }) =>
    clusters === undefined ? { of: 'pools' as const, places: pools ?? [] } : { of: 'clusters' as const, places: clusters },
  );

const command = (names: readonly string[]) =>
  z.array(template(names), 'must be a list of the program and its arguments: no shell reads it').nonempty('must name a program');

const limit = duration.refine((ms) => ms > 0 && ms <= 86_400_000, 'must be more than 0 and at most 24h');

const patchHook = z.strictObject(
  {
    apiVersion: text,
    /** Plural, as in the API's paths. */
    resource: text.regex(/^[a-z]+$/, 'must be the plural name in lower case, such as deployments'),
    namespace: text.optional(),
    name: text,
    type: z.enum(['strategic', 'merge'], 'must be strategic or merge').default('strategic'),
    body: z.record(z.string(), z.unknown(), 'must be a map: the patch').superRefine((body, { addIssue }) => {
      const unknown = unknownVariable(JSON.stringify(body), HOOK_VARIABLES);
      if (unknown !== undefined)
        addIssue({ code: 'custom', message: `refers to \${${unknown}}; known variables: ${HOOK_VARIABLES.join(', ')}` });
    }),
  },
  { error: objectError },
);

const hook = z
  .strictObject(
    {
      command: command(HOOK_VARIABLES).optional(),
      patch: patchHook.optional(),
      /** Whether it runs once for each place, or once for the stage. */
      for: z.enum(['place', 'stage'], 'must be place or stage').default('place'),
      timeout: limit.default(600_000),
    },
    { error: objectError },
  )
  .refine(({ command: program, patch }) => (program === undefined) !== (patch === undefined), 'must have either a command or a patch')
  .refine((one) => one.patch === undefined || one.for === 'place', 'is a patch, which is for each place');

/** What to run at a stage, or to roll all of them back. */
export type Hook = Readonly<z.infer<typeof hook>>;
export type PatchHook = Readonly<z.infer<typeof patchHook>>;

const stage = z.strictObject(
  {
    percent: z.number('must be a number').gt(0, 'must be more than 0').max(100, 'must be at most 100'),
    soak: duration.default(0),
  },
  { error: objectError },
);

export const PROBE_KINDS = ['spot', 'topology'] as const;
export type ProbeKind = (typeof PROBE_KINDS)[number];

/** Probes of the candidate in each stage. */
const PROBES_AT_LEAST = { spot: 100, topology: 50 };
/** The 99th percentile may be this many times the baseline's. */
const P99_RATIO = 2;

const probesOf = (atLeast: number, scenarios: readonly string[]) =>
  z
    .strictObject(
      {
        atLeast: z
          .int('must be a whole number')
          .nonnegative('must be at least 0')
          .max(MAX_COMPARED, `must be at most ${MAX_COMPARED}`)
          .default(atLeast),
        scenarios: z
          .array(text, 'must be a list of scenarios')
          .nonempty('must name a scenario')
          .default([...scenarios] as [string, ...string[]]),
      },
      { error: objectError },
    )
    .prefault({});

const probes = z
  .strictObject(
    {
      spot: probesOf(PROBES_AT_LEAST.spot, DEFAULT_PROBES.spot),
      topology: probesOf(PROBES_AT_LEAST.topology, DEFAULT_PROBES.topology),
      /** Probes of the candidate in one stage. After that, the canary holds. */
      most: z.int('must be a whole number').positive('must be at least 1').default(450),
      seed: z.int('must be a whole number').nonnegative('must be at least 0').default(1),
      /** Probes real clusters, and writes a run directory. Without it clusters are simulated. */
      command: command(PROBE_VARIABLES).optional(),
      timeout: limit.default(3_600_000),
    },
    { error: objectError },
  )
  .prefault({})
  .refine(
    ({ spot, topology, most }) => spot.atLeast + topology.atLeast <= most,
    'must have a most that is as many as spot.atLeast and topology.atLeast together',
  )
  .refine(
    ({ spot, topology }) => spot.atLeast + topology.atLeast > 0,
    "must have probes: spot.atLeast and topology.atLeast can't both be 0",
  );

const rules = z
  .strictObject(
    {
      success: z.unknown().optional(),
      unknown: z.unknown().optional(),
      /** The candidate is rolled back when its 99th percentile is more than this many times the baseline's. */
      p99Ratio: z.number('must be a number').gt(1, 'must be more than 1').max(100, 'must be at most 100').default(P99_RATIO),
    },
    { error: objectError },
  )
  .prefault({});

const schema = z.strictObject(
  {
    name: placeName,
    baseline: text,
    candidate: text,
    share,
    stages: z
      .array(stage, 'must be a list of stages')
      .nonempty('must have a stage')
      .max(MAX_STAGES, `must be at most ${MAX_STAGES}`)
      .refine(
        (all) => all.every(({ percent }, index) => percent > (all[index - 1]?.percent ?? 0)),
        'must each have more percent than the one before',
      )
      .refine((all) => all.at(-1)?.percent === 100, 'must end with 100 percent: the last stage is the whole fleet'),
    probes,
    rules,
    hooks: z.strictObject({ deploy: hook.optional(), rollback: hook.optional() }, { error: objectError }).prefault({}),
  },
  { error: objectError },
);
type Parsed = z.infer<typeof schema>;

/** The fewest probes of a stage. */
export function leastOf({ spot, topology }: Pick<Parsed['probes'], 'spot' | 'topology'>): number {
  return spot.atLeast + topology.atLeast;
}

/** The kinds of which a plan wants probes. Fleets without spot capacity want none of that kind. */
export function kindsOf({ probes: given }: { readonly probes: Pick<Parsed['probes'], ProbeKind> }): readonly ProbeKind[] {
  return PROBE_KINDS.filter((kind) => given[kind].atLeast > 0);
}

/** The number of sizes at which a stage can finish. */
export function looksAStage(probes: Pick<Parsed['probes'], 'spot' | 'topology' | 'most'>): number {
  return 1 + Math.ceil((probes.most - leastOf(probes)) / PROBE_STEP);
}

/** What is wrong across fields. */
function complaintsOf(plan: Parsed): string[] {
  const { share: among, probes: given, hooks, stages } = plan;
  const { deploy, rollback } = hooks;
  const isReal = given.command !== undefined;
  const patches = [deploy, rollback].some((one) => one?.patch !== undefined);
  const bare = among.places.find((one: Place) => one.kubeconfig === undefined);
  const total = given.most * stages.length;
  const missing = Object.entries({ deploy, rollback }).flatMap(([name, one]) => (one === undefined ? [name] : []));
  return [
    ...(isReal ? missing.map((name) => `hooks.${name} is missing: probes.command probes real clusters, and only hooks change them`) : []),
    ...(!isReal && missing.length === 1 ? ['hooks must have both deploy and rollback, or neither'] : []),
    ...(isReal && among.of === 'pools'
      ? [`share has pools, and ${FIGHT}; this can't be checked for what probes.command runs: use clusters`]
      : []),
    ...(patches && bare !== undefined ? [`share has ${bare.name} without a kubeconfig, which a patch needs`] : []),
    ...(isReal && shareOf(plan, 0).length === among.places.length
      ? ['stages.0 takes all places: with real clusters, one must keep the baseline for comparison']
      : []),
    ...(isReal && stages.some(({ soak }) => soak > 0) && given.most < leastOf(given) + LOOKS_A_SOAK * PROBE_STEP
      ? [`probes.most must be ${leastOf(given) + LOOKS_A_SOAK * PROBE_STEP} at least: real clusters are probed through the soak`]
      : []),
    ...(total > MAX_COMPARED ? [`probes.most adds up to ${total} in all stages, and at most ${MAX_COMPARED} can be compared`] : []),
  ];
}

/** Why only targets that can be confined may share a cluster. */
export const FIGHT =
  'two autoscalers in one cluster fight over one lease and one set of claims, unless each can be confined to pools of its own, its garbage collection too';

/** A validated staged rollout. Scenarios and targets are still names. */
export type CanaryPlan = Readonly<Omit<Parsed, 'rules'>> & { readonly policy: Policy };

/** A plan with its text. @throws UsageError that names the file, and each field that is wrong */
export function readPlan(path: string): { readonly plan: CanaryPlan; readonly source: string } {
  const source = readUserFile(path, 'plan');
  return { plan: parsePlan(source, path), source };
}

/** @throws UsageError */
export function parsePlan(source: string, path: string): CanaryPlan {
  const parsed = schema.safeParse(parseUserYaml(source, path));
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path: at, message }) => `${at.length === 0 ? 'it' : at.map(String).join('.')} ${message}`);
    throw new UsageError(`${path}: ${problems.join('; ')}`);
  }
  const complaints = complaintsOf(parsed.data);
  if (complaints.length > 0) throw new UsageError(`${path}: ${complaints.join('; ')}`);
  const { rules: given, ...plan } = parsed.data;
  return { ...plan, policy: policyOf(given, plan, path) };
}

/** The gate's policy for a canary, with the plan's numbers of probes and its limit for the tail. */
function policyOf(
  { success, unknown, p99Ratio }: z.infer<typeof rules>,
  { probes, stages }: Pick<Parsed, 'probes' | 'stages'>,
  path: string,
): Policy {
  let policy: Policy;
  try {
    policy = parsePolicy(
      {
        ...defined({ success, unknown }),
        episodes: { step: 1_000, max: 10_000 },
      },
      `${path}: rules`,
    );
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  const clean = trialsToAccept(policy.success, 0);
  const { most } = probes;
  if (clean > most)
    throw new UsageError(
      `${path}: rules.success needs ${clean} clean probes, and probes.most is ${most}, so no stage could finish: raise most, or lower p1`,
    );
  return {
    ...policy,
    latency: { ...policy.latency, quantile: 0.99, tailMarginRatio: p99Ratio - 1 },
    // A stage repeats few scenarios many times. The looks are planned so that the error rates are split among all of them.
    episodes: {
      seeds: 1,
      first: leastOf(probes),
      step: PROBE_STEP,
      max: leastOf(probes) + PROBE_STEP * (looksAStage(probes) * stages.length - 1),
    },
  };
}

/** Where a plan is laxer than the defaults, in one sentence or none, so that nobody trusts its rollout more than they should. */
export function notesOnPlan({ policy, probes: given }: CanaryPlan): string[] {
  // Values that a plan can't set have the gate's defaults, or the canary's below.
  const { latency, episodes } = parsePolicy({});
  const ofPolicy = laxerValues({ ...policy, latency, episodes }).map((value) => ({ ...value, key: `rules.${value.key}` }));
  const p99Ratio = policy.latency.tailMarginRatio + 1;
  const ofTail = p99Ratio > P99_RATIO ? [{ key: 'rules.p99Ratio', given: p99Ratio, usual: P99_RATIO }] : [];
  const ofProbes = PROBE_KINDS.map((kind) => ({
    key: `probes.${kind}.atLeast`,
    given: given[kind].atLeast,
    usual: PROBES_AT_LEAST[kind],
  })).filter((probe) => probe.given < probe.usual);
  return describeLaxer([...ofPolicy, ...ofTail, ...ofProbes]);
}

/** The places that have the candidate in a stage: the percentage rounded up, and at least one. */
export function shareOf({ share: { places: all }, stages }: Pick<Parsed, 'share' | 'stages'>, index: number): readonly Place[] {
  const percent = stages[index]?.percent ?? 0;
  return all.slice(0, Math.max(1, Math.ceil((all.length * percent) / 100)));
}

/** One stage of a rollout. */
export interface StageFacts {
  /** From 1. */
  readonly number: number;
  readonly percent: number;
  /** All places that have the candidate, and those of them that get it in this stage. */
  readonly places: readonly Place[];
  readonly added: readonly Place[];
  readonly soakMs: number;
}

/** @param index from 0 */
export function stageOf(plan: Pick<Parsed, 'share' | 'stages'>, index: number): StageFacts {
  const places = shareOf(plan, index);
  const before = index === 0 ? 0 : shareOf(plan, index - 1).length;
  const { percent = 0, soak = 0 } = plan.stages[index] ?? {};
  return { number: index + 1, percent, places, added: places.slice(before), soakMs: soak };
}
