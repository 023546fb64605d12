import { z } from 'zod';
import { faultNamed } from '../faults/catalogue.ts';
import type { pool } from '../harness/scenario.ts';
import type { DaemonSetSpec, WorkloadSpec } from '../harness/scenario.ts';
import { daemonSetSchema, poolNameSchema, poolOptionsSchema, requirementSchema, workloadSchema } from '../harness/schemas.ts';
import { STOP_SECONDS_ANNOTATION } from '../model/kube.ts';
import type { LabelSelector, TopologySpreadConstraint } from '../model/kube.ts';
import { defined } from '../model/defined.ts';
import { hint, problemOf } from '../model/mistake.ts';
import { unknownName } from './known-names.ts';
import { volumeSchema } from './volumes.ts';
import type { VolumeData } from './volumes.ts';

/** The format of a scenario that is data. A new kind of step or an optional field keeps it. */
export const SCENARIO_SCHEMA = 'scaleproof.dev/scenario/v1';

/** A pool, with the options of `pool(name, options)`. */
export type PoolData = NonNullable<Parameters<typeof pool>[1]> & { readonly name: string };

/** A workload, as `t.deploy` takes it, and the volume of its pods. What is true of it follows from the pools. */
export type WorkloadData = Omit<WorkloadSpec, 'truth' | 'volumes' | 'claimTemplates' | 'spread'> & {
  readonly volume?: VolumeData;
  readonly spread?: readonly SpreadData[];
};

/** A spread constraint. By default it counts the pods of its workload; without a selector (`null`), none. */
export type SpreadData = Omit<TopologySpreadConstraint, 'labelSelector'> & { readonly labelSelector?: LabelSelector | null };

/** A fault of the catalogue with its parameters. */
export interface FaultData {
  /** Steps name it by this. */
  readonly name: string;
  readonly fault: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** What is done, in order. Each step ends before the next one begins. */
export type Step =
  /** A workload, or a DaemonSet that would be there from the start otherwise. */
  | { readonly do: 'deploy'; readonly workload: string }
  | { readonly do: 'scale'; readonly workload: string; readonly replicas: number }
  | { readonly do: 'remove'; readonly workload: string }
  | { readonly do: 'roll-out'; readonly workload: string }
  | { readonly do: 'inject'; readonly fault: string }
  | { readonly do: 'heal'; readonly fault: string }
  /** Applies the pool again, as it is from now on. */
  | { readonly do: 'change-pool'; readonly pool: PoolData }
  | { readonly do: 'withdraw-pool'; readonly pool: string }
  | { readonly do: 'keep-nodes' }
  | { readonly do: 'restart-target' }
  | { readonly do: 'pass'; readonly seconds: number }
  /** Waits until its pods run, for the time in which they have to. */
  | { readonly do: 'until-served'; readonly workload: string }
  /** Waits until the fault has fired, for the time that a launch takes. */
  | { readonly do: 'until-fired'; readonly fault: string };

/** A whole scenario as data: it can be read, varied, made smaller, shared, and run. */
export interface ScenarioData {
  readonly schema: typeof SCENARIO_SCHEMA;
  /** Its id is `explore/NAME`. */
  readonly name: string;
  /** The name of the scenario from which it was made smaller: its random numbers stay the same. */
  readonly origin?: string;
  readonly pools: readonly PoolData[];
  readonly workloads: readonly WorkloadData[];
  /** They are there before the first step, unless one deploys them. */
  readonly daemonSets: readonly DaemonSetSpec[];
  readonly faults: readonly FaultData[];
  readonly steps: readonly Step[];
}

/** The longest single wait. */
export const MAX_PASS_SECONDS = 3_600;
/** The most of each kind, and the most pods of a workload: a trial stays small. */
const MOST = { pools: 10, workloads: 20, daemonSets: 10, faults: 20, steps: 200, replicas: 500, spreads: 10, nameLength: 100 } as const;

const name = z.string().min(1);
const poolSchema = poolOptionsSchema.extend({ name: poolNameSchema });
const replicas = z.int('must be a whole number').min(0, 'must be at least 0').max(MOST.replicas, `must be at most ${MOST.replicas}`);

const affinity = z.array(requirementSchema).optional();

const step = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('deploy'), workload: name }),
  z.strictObject({ do: z.literal('scale'), workload: name, replicas }),
  z.strictObject({ do: z.literal('remove'), workload: name }),
  z.strictObject({ do: z.literal('roll-out'), workload: name }),
  z.strictObject({ do: z.literal('inject'), fault: name }),
  z.strictObject({ do: z.literal('heal'), fault: name }),
  z.strictObject({ do: z.literal('change-pool'), pool: poolSchema }),
  z.strictObject({ do: z.literal('withdraw-pool'), pool: name }),
  z.strictObject({ do: z.literal('keep-nodes') }),
  z.strictObject({ do: z.literal('restart-target') }),
  z.strictObject({ do: z.literal('pass'), seconds: z.number().positive().max(MAX_PASS_SECONDS) }),
  z.strictObject({ do: z.literal('until-served'), workload: name }),
  z.strictObject({ do: z.literal('until-fired'), fault: name }),
]);

const policy = z.enum(['Honor', 'Ignore']).optional();
/** The API server refuses what is refused here, too. */
const spreadSchema = z
  .strictObject({
    maxSkew: z.int().min(1),
    topologyKey: z.string().min(1),
    whenUnsatisfiable: z.enum(['DoNotSchedule', 'ScheduleAnyway']),
    labelSelector: z.looseObject({}).nullable().optional(),
    minDomains: z.int().min(1).optional(),
    nodeAffinityPolicy: policy,
    nodeTaintsPolicy: policy,
    matchLabelKeys: z.array(z.string().min(1)).optional(),
  })
  .refine(({ minDomains, whenUnsatisfiable }) => minDomains === undefined || whenUnsatisfiable === 'DoNotSchedule', {
    path: ['minDomains'],
    message: 'only goes with whenUnsatisfiable: DoNotSchedule',
  })
  .refine(({ matchLabelKeys, labelSelector }) => matchLabelKeys === undefined || labelSelector !== null, {
    path: ['matchLabelKeys'],
    message: 'only goes with a label selector',
  });

const schema = z.strictObject({
  schema: z.literal(SCENARIO_SCHEMA, `must be ${SCENARIO_SCHEMA}`),
  name: z
    .string()
    .max(MOST.nameLength, `must have at most ${MOST.nameLength} characters`)
    .regex(/^[a-z0-9-]+$/, 'must be of a-z, 0-9 and -'),
  origin: name.exactOptional(),
  pools: z.array(poolSchema).min(1).max(MOST.pools),
  workloads: z
    .array(
      workloadSchema.omit({ truth: true, volumes: true, claimTemplates: true }).extend({
        name: workloadSchema.shape.name.unwrap(),
        replicas,
        cpu: workloadSchema.shape.cpu.unwrap(),
        memory: workloadSchema.shape.memory.unwrap(),
        nodeAffinity: affinity,
        spread: z.array(spreadSchema).max(MOST.spreads).optional(),
        nodeAffinityTerms: z.array(z.array(requirementSchema)).optional(),
        preferredAffinity: affinity,
        volume: volumeSchema.optional(),
      }),
    )
    .max(MOST.workloads),
  daemonSets: z.array(daemonSetSchema).max(MOST.daemonSets),
  faults: z.array(z.strictObject({ name, fault: name, params: z.record(z.string(), z.unknown()) })).max(MOST.faults),
  steps: z.array(step).max(MOST.steps),
});

/**
 * A scenario that is data, from JSON.
 * @throws Error that says which field is wrong, or which step names what does not exist
 */
export function parseScenarioData(value: unknown): ScenarioData {
  const problem = problemOf(schema, value, 'a scenario');
  if (problem !== undefined) throw new Error(problem);
  // JSON has no undefined fields, so that the optional ones are what the types say.
  const data = schema.parse(value) as ScenarioData;
  const wrong = partsProblem(data);
  if (wrong !== undefined) throw new Error(wrong);
  let state = initialState(data);
  for (const [index, one] of data.steps.entries()) {
    const why = stepProblem(one, state);
    if (why !== undefined) throw new Error(`steps.${index} (${one.do}): ${why}`);
    state = afterStep(one, state);
  }
  return data;
}

/** What is wrong with a part, or between parts, that their shapes don't show. */
function partsProblem({ pools, workloads, daemonSets, faults, steps }: ScenarioData): string | undefined {
  for (const [kind, parts] of Object.entries({ pools, workloads, faults, 'workloads and daemonSets': [...workloads, ...daemonSets] })) {
    const twice = parts.map((one) => one.name).find((one, index, all) => all.indexOf(one) !== index);
    if (twice !== undefined) return `${kind}: two are named "${twice}"`;
  }
  const names = workloads.map((one) => one.name);
  for (const [index, { near, annotations, kind, runSeconds }] of workloads.entries()) {
    if (near !== undefined && !names.includes(near.workload))
      return `workloads.${index}.near: there is no workload "${near.workload}"${hint(near.workload, names)}`;
    if (runSeconds !== undefined && kind !== 'Job')
      return `workloads.${index}.runSeconds: only pods of a Job finish; add "kind": "Job", or leave it out`;
    const seconds = annotations?.[STOP_SECONDS_ANNOTATION];
    if (seconds !== undefined && !(Number(seconds) >= 0))
      return `workloads.${index}.annotations: ${STOP_SECONDS_ANNOTATION} must be a number of seconds, and is "${seconds}"`;
  }
  for (const [index, { fault, params }] of faults.entries()) {
    const known = faultNamed(fault);
    if (known === undefined) return `faults.${index}: no fault is named "${fault}"; \`scaleproof list faults\` shows them all`;
    const problem = problemOf(known.params, params, 'its parameters');
    if (problem !== undefined) return `faults.${index} (${fault}): ${problem}`;
  }
  const changes = steps.map((one) => (one.do === 'change-pool' ? one.pool : undefined));
  const unknown = unknownName({ pools, changes, workloads, daemonSets, faults });
  if (unknown !== undefined) return unknown;
  const limited = [...pools, ...changes].find(
    (one) => one?.replicas !== undefined && (one.limits?.cpu ?? one.limits?.memoryMiB) !== undefined,
  );
  return limited === undefined ? undefined : `pool "${limited.name}" has a fixed size (replicas), so that it can only limit nodes`;
}

/** What exists between two steps. */
interface State {
  readonly known: ReadonlySet<string>;
  readonly jobs: ReadonlySet<string>;
  /** Workloads whose pods finish. */
  readonly finishing: ReadonlySet<string>;
  readonly pools: ReadonlySet<string>;
  /** Pools of a fixed size. */
  readonly fixed: ReadonlySet<string>;
  /** DaemonSets that are not there yet, as far as steps say. */
  readonly agents: ReadonlySet<string>;
  readonly deployed: ReadonlySet<string>;
  readonly over: ReadonlySet<string>;
  readonly armed: ReadonlySet<string>;
  readonly healed: ReadonlySet<string>;
}

function initialState({ pools, workloads, daemonSets, faults }: ScenarioData): State {
  return {
    known: new Set([
      ...workloads.map((one) => `workload ${one.name}`),
      ...daemonSets.map((one) => `DaemonSet ${one.name}`),
      ...faults.map((one) => `fault ${one.name}`),
    ]),
    jobs: new Set(workloads.flatMap((one) => (one.kind === 'Job' ? [one.name] : []))),
    finishing: new Set(workloads.flatMap((one) => (one.runSeconds === undefined ? [] : [one.name]))),
    pools: new Set(pools.map((one) => one.name)),
    fixed: new Set(pools.filter(({ replicas }) => replicas !== undefined).map((one) => one.name)),
    agents: new Set(daemonSets.map((one) => one.name)),
    deployed: new Set(),
    over: new Set(),
    armed: new Set(),
    healed: new Set(),
  };
}

/** Why a step can't be done; undefined if it can. */
function stepProblem(one: Step, state: State): string | undefined {
  const { known, jobs, finishing, pools, fixed, agents, deployed, over, armed, healed } = state;
  switch (one.do) {
    case 'deploy':
      if (known.has(`DaemonSet ${one.workload}`)) return agents.has(one.workload) ? undefined : `"${one.workload}" was deployed before`;
      if (!known.has(`workload ${one.workload}`)) return `there is no workload "${one.workload}"`;
      return deployed.has(one.workload) || over.has(one.workload) ? `"${one.workload}" was deployed before` : undefined;
    case 'scale':
      if (finishing.has(one.workload)) return `"${one.workload}" has as many pods as have to finish, and can't be scaled`;
      return undeployed(one.workload, state);
    case 'roll-out':
      if (jobs.has(one.workload)) return `"${one.workload}" is a Job, whose template can't be changed`;
      return undeployed(one.workload, state);
    case 'remove':
    case 'until-served':
      return undeployed(one.workload, state);
    case 'inject':
      if (!known.has(`fault ${one.fault}`)) return `there is no fault "${one.fault}"`;
      return armed.has(one.fault) || healed.has(one.fault) ? `"${one.fault}" was injected before` : undefined;
    case 'heal':
    case 'until-fired':
      return armed.has(one.fault) ? undefined : `no fault "${one.fault}" is active then`;
    case 'change-pool':
      if (!pools.has(one.pool.name)) return `there is no pool "${one.pool.name}" then`;
      // Karpenter's NodePool has such a rule.
      return fixed.has(one.pool.name) === (one.pool.replicas !== undefined)
        ? undefined
        : `a pool can't become one of a fixed size (replicas), nor the other way round`;
    case 'withdraw-pool':
      return pools.has(one.pool) ? undefined : `there is no pool "${one.pool}" then`;
    case 'keep-nodes':
    case 'restart-target':
    case 'pass':
      return undefined;
  }
}

function undeployed(workload: string, { deployed }: State): string | undefined {
  return deployed.has(workload) ? undefined : `no workload "${workload}" is deployed then`;
}

function afterStep(one: Step, state: State): State {
  switch (one.do) {
    case 'deploy':
      return state.agents.has(one.workload)
        ? { ...state, agents: without(state.agents, one.workload) }
        : { ...state, deployed: including(state.deployed, one.workload) };
    case 'remove':
      return { ...state, deployed: without(state.deployed, one.workload), over: including(state.over, one.workload) };
    case 'inject':
      return { ...state, armed: including(state.armed, one.fault) };
    case 'heal':
      return { ...state, armed: without(state.armed, one.fault), healed: including(state.healed, one.fault) };
    case 'withdraw-pool':
      return { ...state, pools: without(state.pools, one.pool) };
    default:
      return state;
  }
}

function including(set: ReadonlySet<string>, value: string): ReadonlySet<string> {
  return new Set([...set, value]);
}

function without(set: ReadonlySet<string>, value: string): ReadonlySet<string> {
  return new Set([...set].filter((one) => one !== value));
}

/** So long may the replacement of an expired node take, with its pods, beside the time that these need to stop. */
const REPLACED_IN_MS = 120_000;

/** The consolidation that replaces nodes, too. */
export const MOVES_PODS = 'when-empty-or-underutilized';
/** The longest that pods take to stop where nodes are consolidated. */
const MAX_STOP_SECONDS = 60;

/**
 * The scenario without steps that can't be done, without workloads and faults that no step uses, and without nearness to such workloads.
 * Nodes live long enough for a moment at which none of them is being replaced, with one pod each: the world would never settle. It would
 * not in time either if nodes that are consolidated, one after the other, each waited for minutes until their pods have stopped.
 */
export function tidy(data: ScenarioData): ScenarioData {
  let state = initialState(data);
  const steps: Step[] = [];
  for (const one of data.steps) {
    if (stepProblem(one, state) !== undefined) continue;
    state = afterStep(one, state);
    steps.push(one);
  }
  const deployed = new Set(steps.flatMap((one) => (one.do === 'deploy' && daemonSetOf(data, one) === undefined ? [one.workload] : [])));
  const injected = new Set(steps.flatMap((one) => (one.do === 'inject' ? [one.fault] : [])));
  const changed = steps.flatMap((one) => (one.do === 'change-pool' ? [one.pool] : []));
  const isConsolidated = [...data.pools, ...changed].some(({ disruption }) => disruption?.consolidation === MOVES_PODS);
  const workloads = data.workloads.map((one) => (isConsolidated ? stoppingWithin(MAX_STOP_SECONDS, one) : one));
  const peaks = [...peaksOf({ workloads: workloads.filter(({ name }) => deployed.has(name)), steps }).values()];
  const nodes = [...peaks, ...data.pools.map(({ replicas = 0 }) => replicas)].reduce((sum, one) => sum + one, 1);
  const leastAgeMs = nodes * (REPLACED_IN_MS + 1_000 * Math.max(0, ...workloads.map(stopSecondsOf)));
  return {
    ...data,
    pools: data.pools.map((pool) => livingFor(leastAgeMs, pool)),
    workloads: workloads.filter((one) => deployed.has(one.name)).map((one) => nearOneOf(deployed, one)),
    faults: data.faults.filter((one) => injected.has(one.name)),
    steps: steps.map((one) => (one.do === 'change-pool' ? { ...one, pool: livingFor(leastAgeMs, one.pool) } : one)),
  };
}

export function needsGpus({ gpus = 0 }: WorkloadData): boolean {
  return gpus > 0;
}

/** The DaemonSet that a step deploys, if it does. */
export function daemonSetOf({ daemonSets }: Pick<ScenarioData, 'daemonSets'>, step: Step): DaemonSetSpec | undefined {
  return step.do === 'deploy' ? daemonSets.find(({ name }) => name === step.workload) : undefined;
}

/** The DaemonSets that are there from the start. */
export function earlyDaemonSets({ daemonSets, steps }: Pick<ScenarioData, 'daemonSets' | 'steps'>): readonly DaemonSetSpec[] {
  const late = new Set(steps.map((step) => daemonSetOf({ daemonSets }, step)));
  return daemonSets.filter((one) => !late.has(one));
}

/** What `t.deploy` takes, without volumes and what is owed. */
export function specOf({ volume: _volume, spread, ...spec }: WorkloadData): Omit<WorkloadSpec, 'truth'> {
  if (spread === undefined) return spec;
  return {
    ...spec,
    spread: spread.map(({ labelSelector, ...one }) => {
      // Without the field it would get the selector of its workload.
      if (labelSelector === null) return { ...one, labelSelector: undefined };
      return { ...one, ...defined({ labelSelector }) };
    }),
  };
}

/** How long its pods take to stop, at most their grace period. */
export function stopSecondsOf({ annotations, graceSeconds = 0 }: WorkloadData): number {
  return Math.min(Number(annotations?.[STOP_SECONDS_ANNOTATION] ?? 0), graceSeconds);
}

function livingFor(leastAgeMs: number, pool: PoolData): PoolData {
  const { expireAfterMs } = pool;
  return expireAfterMs === undefined || expireAfterMs >= leastAgeMs ? pool : { ...pool, expireAfterMs: leastAgeMs };
}

function nearOneOf(names: ReadonlySet<string>, workload: WorkloadData): WorkloadData {
  const { near, ...rest } = workload;
  return near === undefined || names.has(near.workload) ? workload : rest;
}

/** How much larger than its number of replicas a Deployment may be while it is rolled out: the default of `maxSurge`, rounded up. */
const SURGE = 0.25;

function stoppingWithin(seconds: number, workload: WorkloadData): WorkloadData {
  if (stopSecondsOf(workload) <= seconds) return workload;
  return { ...workload, annotations: { ...workload.annotations, [STOP_SECONDS_ANNOTATION]: String(seconds) } };
}

/** The most pods that each workload has at once, by its name. */
export function peaksOf({ workloads, steps }: Pick<ScenarioData, 'workloads' | 'steps'>): ReadonlyMap<string, number> {
  const peaks = new Map(workloads.map((one) => [one.name, one.replicas]));
  for (const one of steps) {
    if (one.do === 'scale') peaks.set(one.workload, Math.max(peaks.get(one.workload) ?? 0, one.replicas));
  }
  for (const { name, kind } of workloads) {
    const isRolledOut = kind === 'Deployment' && steps.some((one) => one.do === 'roll-out' && one.workload === name);
    const peak = peaks.get(name) ?? 0;
    if (isRolledOut) peaks.set(name, peak + Math.ceil(SURGE * peak));
  }
  return peaks;
}
