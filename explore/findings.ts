import { z } from 'zod';
import type { Finding, TrialResult } from '../history/verdict.ts';
import { featuresOf } from './generated.ts';
import { daemonSetOf, tidy } from './scenario-data.ts';
import type { ScenarioData } from './scenario-data.ts';

/** What was found: the check that failed, the code of its findings, and what these are about. */
export interface Symptom {
  readonly check: string;
  readonly code: string;
  /** Kinds of objects, with the condition that the message gives: `nodes: it is being deleted`. */
  readonly about?: readonly string[] | undefined;
}

/** A finding as one problem: every trial with this symptom whose scenario has all of this in it is the same one, as far as we know. */
export const causeSchema = z.strictObject({
  check: z.string(),
  code: z.string(),
  about: z.array(z.string()).readonly().optional(),
  /** What the smallest scenario that was found for it is made of. */
  ingredients: z.array(z.string()),
});
export type Cause = z.infer<typeof causeSchema>;

/** What a finding explains: itself, and what else failed in the same trial. */
export function causesOf({ cause, also }: { readonly cause: Cause; readonly also: readonly Symptom[] }): Cause[] {
  return [cause, ...also.map((one) => ({ ...cause, ...one }))];
}

/** What failed in a trial, each once. A failure of the harness is a finding, too: ours. */
export function symptomsOf({ checks }: Pick<TrialResult, 'checks'>): Symptom[] {
  const found = checks.flatMap(({ check, verdict, findings }): Symptom[] => {
    if (verdict === 'fail')
      return findings.length === 0
        ? [{ check, code: 'failed' }]
        : findings.map(({ code }) => ({ check, code, about: aboutOf(findings, code) }));
    return verdict === 'unknown' && check === 'harness' ? [{ check, code: 'harness-failed' }] : [];
  });
  return found.filter((one, index) => found.findIndex((other) => isSame(one, other)) === index);
}

export function isSame(a: Symptom, b: Symptom): boolean {
  return a.check === b.check && a.code === b.code;
}

function aboutOf(findings: readonly Finding[], code: string): string[] {
  const about = findings
    .filter((one) => one.code === code)
    .map(({ object, message }) => {
      const [, condition] = /: (it [^:.\d]+)/.exec(message) ?? [];
      return `${object.replace(/\/.*$/s, '')}${condition === undefined ? '' : `: ${condition}`}`;
    });
  return [...new Set(about)].sort();
}

/** Whether two failures may have the same cause: the same code, about a kind of object in a condition that both have, if that is known. */
export function isLike(a: Symptom, b: Symptom): boolean {
  return isSame(a, b) && (a.about === undefined || b.about === undefined || a.about.some((one) => b.about?.includes(one)));
}

/** Whether a failure of a scenario may be explained by a cause that is known already. */
export function isOf(cause: Cause, symptom: Symptom, data: ScenarioData): boolean {
  const had = new Set(ingredientsOf(data));
  return isLike(cause, symptom) && cause.ingredients.every((one) => had.has(one));
}

/**
 * The scenario without these ingredients: if it still fails, something else is the cause.
 * @returns undefined if there is nothing that can be left out
 */
export function withoutIngredients(data: ScenarioData, ingredients: readonly string[]): ScenarioData | undefined {
  const gone = new Set(ingredients);
  const fields = <T extends object>(prefix: string, one: T): T =>
    Object.fromEntries(Object.entries(one).filter(([key]) => !gone.has(`${prefix}.${key}`))) as T;
  const left = tidy({
    ...data,
    pools: data.pools.map((one) => fields('pool', one)),
    workloads: data.workloads.map((one) => {
      const { kind, ...rest } = fields('workload', one);
      return kind === undefined || gone.has(kind) ? rest : { ...rest, kind };
    }),
    faults: data.faults.filter(({ fault }) => !gone.has(`fault ${fault}`)),
    steps: data.steps.filter((step) => !gone.has(step.do) && !(gone.has(LATE_AGENT) && daemonSetOf(data, step) !== undefined)),
    origin: data.origin ?? data.name,
  });
  const isLess = (['pools', 'workloads', 'faults', 'steps'] as const).some(
    (kind) => JSON.stringify(left[kind]) !== JSON.stringify(data[kind]),
  );
  return isLess && left.steps.length > 0 ? left : undefined;
}

/** The parts of a scenario that may cause something, without their amounts and times. */
export function ingredientsOf(data: ScenarioData): string[] {
  const { common, pools, workloads } = partsOf(data);
  const features = featuresOf(data).map((feature) => `feature ${feature}`);
  return [...new Set([...common, ...pools.flat(), ...workloads.flat(), ...features])].sort();
}

/** The same for its faults and steps, for each pool and for each workload. */
export function partsOf({ pools, workloads, daemonSets, faults, steps }: ScenarioData): {
  readonly common: readonly string[];
  readonly pools: readonly (readonly string[])[];
  readonly workloads: readonly (readonly string[])[];
} {
  const fields = (prefix: string, one: object): string[] =>
    Object.keys(one)
      .filter((key) => !PLAIN.has(key))
      .map((key) => `${prefix}.${key}`);
  return {
    common: [
      ...faults.map(({ fault }) => `fault ${fault}`),
      ...steps.flatMap((step) => (NEUTRAL_STEPS.has(step.do) ? [] : [step.do])),
      ...(steps.some((step) => daemonSetOf({ daemonSets }, step) !== undefined) ? [LATE_AGENT] : []),
    ],
    pools: pools.map((one) => fields('pool', one)),
    workloads: workloads.map((one) => [
      ...fields('workload', one),
      ...(one.kind === undefined ? [] : [one.kind]),
      ...(one.volume === undefined ? [] : [`volume ${one.volume.is}${'otherZones' in one.volume ? ' in several zones' : ''}`]),
    ]),
  };
}

/** A DaemonSet that a step deploys. */
const LATE_AGENT = 'late DaemonSet';
/** What every scenario has. */
const PLAIN: ReadonlySet<string> = new Set(['name', 'replicas', 'cpu', 'memory', 'kind', 'instanceTypes']);
const NEUTRAL_STEPS: ReadonlySet<string> = new Set(['deploy', 'inject', 'heal', 'pass', 'until-served', 'until-fired']);
