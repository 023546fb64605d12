import { z } from 'zod';
import { defined } from '../model/defined.ts';
import type { Mutant } from '../targets/mutants/mutant.ts';
import { controlOf } from './mutant-matrix.ts';
import type { MatrixTrials } from './mutant-matrix.ts';
import { isDeclared } from './mutant-trial.ts';
import type { MatrixTrial } from './mutant-trial.ts';

/**
 * Which parts affected no verdict: leave one out, and every verdict of the matrix stays the same. docs/mutants.md defines
 * this for each kind.
 */

/** A bound matters only if some target, correct or faulty, reaches at least this share of it. */
export const NEAR_RATIO = 0.2;

const kindSchema = z.enum(['check', 'scenario', 'fault', 'bound']);

/**
 * `nothing-alone`: every mutant caught by it or in it would also be caught without it. `never-fired`, of faults.
 * `never-near`, of bounds: the check that measures it would give the same result without a limit.
 */
const stateSchema = z.enum(['nothing-alone', 'never-fired', 'never-near']);

const lineSchema = z.strictObject({
  kind: kindSchema,
  name: z.string(),
  state: stateSchema,
  /** The figures behind it, as text. */
  detail: z.string(),
  /** Absent if none is recorded. That of a bound may be in its definition. */
  reason: z.string().optional(),
});
export type VacuousLine = z.infer<typeof lineSchema>;

/** Why these things may stay although they affect no verdict: for this kind, these names, and this state only. */
export type VacuityReason = Pick<VacuousLine, 'kind' | 'state'> & { readonly names: readonly string[]; readonly reason: string };

export const vacuitySchema = z.strictObject({
  lines: z.array(lineSchema),
  /** Reasons for things that are not, or no longer, in that state; only known if every cell was run. */
  stale: z.array(z.strictObject({ kind: kindSchema, name: z.string(), state: stateSchema, reason: z.string() })),
});
export type Vacuity = z.infer<typeof vacuitySchema>;

/** Everything that could matter. */
export interface Inventory {
  readonly scenarios: readonly { readonly id: string; readonly requirements: readonly string[] }[];
  readonly checks: readonly string[];
  readonly faults: readonly string[];
  /** `loose` says why nothing may come near it. */
  readonly bounds: readonly { readonly name: string; readonly loose?: string }[];
  readonly reasons: readonly VacuityReason[];
  /** Every mutant was run in every scenario. Trials that were not run could only show that more is vacuous. */
  readonly isWhole: boolean;
}

/** Finds what is vacuous in a matrix of all mutants and scenarios, and adds the recorded reasons. */
export function findVacuity({ mutants, trials, control }: MatrixTrials, inventory: Inventory): Vacuity {
  const { passed } = controlOf(control);
  const catches = trials.filter((trial) => trial.verdict === 'fail' && passed(trial));
  const own = (those: readonly MatrixTrial[]): MatrixTrial[] =>
    those.filter(({ target, scenario }) =>
      mutants.some((mutant) => mutant.target.name === target && mutant.caughtBy.scenario === scenario),
    );
  const found = [
    ...inventory.checks.flatMap((check) => vacuousCheck(check, { mutants, catches: own(catches) })),
    ...vacuousScenarios(inventory.scenarios, { mutants, catches }),
    ...inventory.faults.flatMap((fault) => vacuousFault(fault, { catches, control })),
    ...vacuousBounds(inventory.bounds, [...own(trials), ...control]),
  ];
  const reasons = inventory.reasons.flatMap(({ names, ...rest }) => names.map((name) => ({ name, ...rest })));
  const isOf = (line: VacuousLine) => (other: Pick<VacuousLine, 'kind' | 'name' | 'state'>) =>
    line.kind === other.kind && line.name === other.name && line.state === other.state;
  return {
    lines: found.map((line) => {
      const reason = line.reason ?? reasons.find(isOf(line))?.reason;
      return reason === undefined ? line : { ...line, reason };
    }),
    stale: inventory.isWhole ? reasons.filter((reason) => !found.some((line) => isOf(line)(reason))) : [],
  };
}

/** A check matters if without it some declared trial of a mutant would pass, or some mutant would not be caught as declared. */
function vacuousCheck(
  name: string,
  { mutants, catches }: { readonly mutants: readonly Mutant[]; readonly catches: readonly MatrixTrial[] },
): VacuousLine[] {
  const by = catches.filter(({ findings }) => findings.some(({ check }) => check === name));
  const isAlone = by.some(({ findings }) => findings.every(({ check }) => check === name));
  const isDeclaredBy = (mutant: Mutant): boolean => mutant.caughtBy.check === name && isCaughtAsDeclared(mutant, by);
  return isAlone || mutants.some(isDeclaredBy) ? [] : [lineOf('check', name, by)];
}

function isCaughtAsDeclared({ target, caughtBy }: Mutant, catches: readonly MatrixTrial[]): boolean {
  return catches.some((trial) => trial.target === target.name && trial.findings.some((finding) => isDeclared(finding, caughtBy)));
}

/**
 * A scenario matters if without it some mutant would be caught nowhere, or not as declared. If it is the only test of a requirement, that is
 * a reason to keep it, but does not show that the test can fail.
 */
function vacuousScenarios(
  scenarios: Inventory['scenarios'],
  { mutants, catches }: { readonly mutants: readonly Mutant[]; readonly catches: readonly MatrixTrial[] },
): VacuousLine[] {
  const sole = soleOf(catches, ({ scenario }) => [scenario]);
  const tests = scenarios.flatMap(({ requirements }) => requirements);
  const isOnlyTestOf = (requirement: string): boolean => tests.filter((tested) => tested === requirement).length === 1;
  return scenarios.flatMap(({ id, requirements }) => {
    const inIt = catches.filter(({ scenario }) => scenario === id);
    if (sole.has(id) || mutants.some((mutant) => mutant.caughtBy.scenario === id && isCaughtAsDeclared(mutant, inIt))) return [];
    const { detail, ...line } = lineOf('scenario', id, inIt);
    const only = requirements.filter(isOnlyTestOf);
    return [{ ...line, detail: only.length === 0 ? detail : `${detail}; the only test of ${only.join(' and ')}` }];
  });
}

/** A fault matters if without the scenarios in which it fires some mutant would be caught nowhere. */
function vacuousFault(
  name: string,
  { catches, control }: { readonly catches: readonly MatrixTrial[]; readonly control: readonly MatrixTrial[] },
): VacuousLine[] {
  const isUnder = ({ fired }: MatrixTrial): boolean => fired.includes(name);
  if (![...catches, ...control].some(isUnder)) return [{ kind: 'fault', name, state: 'never-fired', detail: 'in no trial of the matrix' }];
  if (soleOf(catches, ({ fired }) => fired).has(name)) return [];
  return [lineOf('fault', name, catches.filter(isUnder))];
}

/** What all catches of some mutant have in common. */
function soleOf(catches: readonly MatrixTrial[], thingsOf: (trial: MatrixTrial) => readonly string[]): Set<string> {
  return new Set(
    [...Map.groupBy(catches, ({ target }) => target).values()].flatMap(([one, ...others]) =>
      one === undefined ? [] : thingsOf(one).filter((thing) => others.every((other) => thingsOf(other).includes(thing))),
    ),
  );
}

function lineOf(kind: VacuousLine['kind'], name: string, catches: readonly MatrixTrial[]): VacuousLine {
  const mutants = [...new Set(catches.map(({ target }) => target.replace(/^mutant:/, '')))];
  const detail = mutants.length === 0 ? 'no mutant at all' : `${mutants.join(', ')}: each also caught without it`;
  return { kind, name, state: 'nothing-alone', detail };
}

/** The highest ratio reached for each bound, by the check that measures it. */
function vacuousBounds(bounds: Inventory['bounds'], trials: readonly MatrixTrial[]): VacuousLine[] {
  const nearest = new Map<string, { readonly bound: string; readonly ratio: number }>();
  for (const trial of trials) {
    for (const { check, bound, ratio } of trial.bounds) {
      const name = `${check}: ${bound}`;
      nearest.set(name, { bound, ratio: Math.max(ratio, nearest.get(name)?.ratio ?? 0) });
    }
  }
  const lineOfBound = (name: string, bound: string, detail: string): VacuousLine => {
    const reason = bounds.find((one) => one.name === bound)?.loose;
    return { kind: 'bound', name, state: 'never-near', detail, ...defined({ reason }) };
  };
  const measured = new Set([...nearest.values()].map(({ bound }) => bound));
  const far = [...nearest].filter(([, { ratio }]) => ratio < NEAR_RATIO);
  return [
    ...far.map(([name, { bound, ratio }]) => lineOfBound(name, bound, `${Math.round(100 * ratio)} % at most`)),
    ...bounds.filter(({ name }) => !measured.has(name)).map(({ name }) => lineOfBound(name, name, 'no check measures it')),
  ];
}
