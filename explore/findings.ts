import { z } from 'zod';
import type { TrialResult } from '../history/verdict.ts';
import { featuresOf } from './generated.ts';
import type { ScenarioData } from './scenario-data.ts';

/** What was found: the check that failed, and the code of its finding. */
export interface Symptom {
  readonly check: string;
  readonly code: string;
}

/** A finding as one problem: every trial with this symptom whose scenario has all of this in it is the same one, as far as we know. */
export const causeSchema = z.strictObject({
  check: z.string(),
  code: z.string(),
  /** What the smallest scenario that was found for it is made of. */
  ingredients: z.array(z.string()),
});
export type Cause = z.infer<typeof causeSchema>;

/** What failed in a trial, each once. A failure of the harness is a finding, too: ours. */
export function symptomsOf({ checks }: Pick<TrialResult, 'checks'>): Symptom[] {
  const found = checks.flatMap(({ check, verdict, findings }): Symptom[] => {
    if (verdict === 'fail') return findings.length === 0 ? [{ check, code: 'failed' }] : findings.map(({ code }) => ({ check, code }));
    return verdict === 'unknown' && check === 'harness' ? [{ check, code: 'harness-failed' }] : [];
  });
  return found.filter((one, index) => found.findIndex((other) => isSame(one, other)) === index);
}

export function isSame(a: Symptom, b: Symptom): boolean {
  return a.check === b.check && a.code === b.code;
}

/** Whether a failure of a scenario is explained by a cause that is known already. */
export function isOf(cause: Cause, symptom: Symptom, data: ScenarioData): boolean {
  const had = new Set(ingredientsOf(data));
  return isSame(cause, symptom) && cause.ingredients.every((one) => had.has(one));
}

/** The parts of a scenario that may cause something, without their amounts and times. */
export function ingredientsOf(data: ScenarioData): string[] {
  const { pools, workloads, faults, steps } = data;
  const fields = (prefix: string, one: object): string[] =>
    Object.keys(one)
      .filter((key) => !PLAIN.has(key))
      .map((key) => `${prefix}.${key}`);
  const found = [
    ...faults.map(({ fault }) => `fault ${fault}`),
    ...steps.flatMap((step) => (NEUTRAL_STEPS.has(step.do) ? [] : [step.do])),
    ...pools.flatMap((one) => fields('pool', one)),
    ...workloads.flatMap((one) => fields('workload', one)),
    ...workloads.flatMap(({ kind, volume }) => [
      ...(kind === undefined ? [] : [kind]),
      ...(volume === undefined ? [] : [`volume ${volume.is}`]),
    ]),
    ...featuresOf(data).map((feature) => `feature ${feature}`),
  ];
  return [...new Set(found)].sort();
}

/** What every scenario has. */
const PLAIN: ReadonlySet<string> = new Set(['name', 'replicas', 'cpu', 'memory', 'kind', 'instanceTypes']);
const NEUTRAL_STEPS: ReadonlySet<string> = new Set(['deploy', 'inject', 'heal', 'pass', 'until-served', 'until-fired']);
