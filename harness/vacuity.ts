import { z } from 'zod';
import type { Mutant } from '../targets/mutants/mutant.ts';
import { controlOf } from './mutant-matrix.ts';
import type { MatrixTrials } from './mutant-matrix.ts';
import { isDeclared } from './mutant-trial.ts';
import type { MatrixTrial } from './mutant-trial.ts';

/**
 * What mattered to no verdict: leave one thing out, and every verdict of the matrix stays as it was. docs/mutants.md
 * says what that means for each kind.
 */

/** A bound of which nothing, right or wrong, ever comes nearer than this share of the way is not seen to judge. */
export const NEAR_RATIO = 0.2;

const kindSchema = z.enum(['check', 'scenario', 'fault', 'bound']);

/**
 * `nothing-alone`: no mutant is caught by it or in it that would not be caught without it. `never-fired`, of faults.
 * `never-near`, of bounds: the check that measures it would say the same without a limit.
 */
const stateSchema = z.enum(['nothing-alone', 'never-fired', 'never-near']);

const lineSchema = z.strictObject({
  kind: kindSchema,
  name: z.string(),
  state: stateSchema,
  /** The figures behind it, in words. */
  detail: z.string(),
  /** Absent where none is written down. */
  reason: z.string().optional(),
});
export type VacuousLine = z.infer<typeof lineSchema>;

/** Why things may stay that matter to no verdict: of this kind and these names, and in this state only. */
export type VacuityReason = Pick<VacuousLine, 'kind' | 'state'> & { readonly names: readonly string[]; readonly reason: string };

export const vacuitySchema = z.strictObject({
  lines: z.array(lineSchema),
  /** Reasons for what is not, or no more, in that state; known only where every cell was run. */
  stale: z.array(z.strictObject({ kind: kindSchema, name: z.string(), state: stateSchema, reason: z.string() })),
});
export type Vacuity = z.infer<typeof vacuitySchema>;

/** What could matter. */
export interface Inventory {
  readonly scenarios: readonly { readonly id: string; readonly requirements: readonly string[] }[];
  readonly checks: readonly string[];
  readonly faults: readonly string[];
  readonly bounds: readonly string[];
  readonly reasons: readonly VacuityReason[];
  /** Every mutant was run in every scenario. What was not run could only show that more is vacuous. */
  readonly isWhole: boolean;
}

type BareLine = Omit<VacuousLine, 'reason'>;

/** Finds what is vacuous in a matrix of all mutants and scenarios, and puts the reasons to it. */
export function findVacuity({ mutants, trials, control }: MatrixTrials, inventory: Inventory): Vacuity {
  const { passed } = controlOf(control);
  const catches = trials.filter((trial) => trial.verdict === 'fail' && passed(trial));
  const own = (those: readonly MatrixTrial[]): MatrixTrial[] =>
    those.filter(({ target, scenario }) =>
      mutants.some((mutant) => mutant.target.name === target && mutant.caughtBy.scenario === scenario),
    );
  const found = [
    ...inventory.checks.flatMap((check) => vacuousCheck(check, { mutants, catches: own(catches) })),
    ...vacuousScenarios(inventory.scenarios, catches),
    ...inventory.faults.flatMap((fault) => vacuousFault(fault, { catches, control })),
    ...vacuousBounds(inventory.bounds, [...own(trials), ...control]),
  ];
  const reasons = inventory.reasons.flatMap(({ names, ...rest }) => names.map((name) => ({ name, ...rest })));
  const isOf = (line: BareLine) => (other: Omit<BareLine, 'detail'>) =>
    line.kind === other.kind && line.name === other.name && line.state === other.state;
  return {
    lines: found.map((line) => {
      const reason = reasons.find(isOf(line))?.reason;
      return reason === undefined ? line : { ...line, reason };
    }),
    stale: inventory.isWhole ? reasons.filter((reason) => !found.some((line) => isOf(line)(reason))) : [],
  };
}

/** Without a check that matters, some declared trial of a mutant would pass, or some mutant would not be caught as it declared. */
function vacuousCheck(
  name: string,
  { mutants, catches }: { readonly mutants: readonly Mutant[]; readonly catches: readonly MatrixTrial[] },
): BareLine[] {
  const by = catches.filter(({ findings }) => findings.some(({ check }) => check === name));
  const isAlone = by.some(({ findings }) => findings.every(({ check }) => check === name));
  const isDeclaredBy = ({ target, caughtBy }: Mutant): boolean =>
    caughtBy.check === name &&
    by.some((trial) => trial.target === target.name && trial.findings.some((finding) => isDeclared(finding, caughtBy)));
  return isAlone || mutants.some(isDeclaredBy) ? [] : [lineOf('check', name, by)];
}

/**
 * Without a scenario that matters, some mutant would be caught nowhere. That one is the only test of a requirement is a reason to
 * keep it, and shows of no test that it can fail.
 */
function vacuousScenarios(scenarios: Inventory['scenarios'], catches: readonly MatrixTrial[]): BareLine[] {
  const sole = soleOf(catches, ({ scenario }) => [scenario]);
  const tests = scenarios.flatMap(({ requirements }) => requirements);
  const isOnlyTestOf = (requirement: string): boolean => tests.filter((tested) => tested === requirement).length === 1;
  return scenarios.flatMap(({ id, requirements }) => {
    if (sole.has(id)) return [];
    const inIt = catches.filter(({ scenario }) => scenario === id);
    const { detail, ...line } = lineOf('scenario', id, inIt);
    const only = requirements.filter(isOnlyTestOf);
    return [{ ...line, detail: only.length === 0 ? detail : `${detail}; the only test of ${only.join(' and ')}` }];
  });
}

/** Without the scenarios in which a fault that matters fires, some mutant would be caught nowhere. */
function vacuousFault(
  name: string,
  { catches, control }: { readonly catches: readonly MatrixTrial[]; readonly control: readonly MatrixTrial[] },
): BareLine[] {
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

function lineOf(kind: BareLine['kind'], name: string, catches: readonly MatrixTrial[]): BareLine {
  const mutants = [...new Set(catches.map(({ target }) => target.replace(/^mutant:/, '')))];
  const detail = mutants.length === 0 ? 'no mutant at all' : `${mutants.join(', ')}: each without it, too`;
  return { kind, name, state: 'nothing-alone', detail };
}

/** The nearest that anything came to each bound, by the check that measures it. */
function vacuousBounds(names: readonly string[], trials: readonly MatrixTrial[]): BareLine[] {
  const nearest = new Map<string, number>();
  for (const { bounds } of trials) {
    for (const { check, bound, ratio } of bounds) {
      const name = `${check}: ${bound}`;
      nearest.set(name, Math.max(ratio, nearest.get(name) ?? 0));
    }
  }
  const line = (name: string, detail: string): BareLine => ({ kind: 'bound', name, state: 'never-near', detail });
  const measured = new Set(trials.flatMap(({ bounds }) => bounds.map(({ bound }) => bound)));
  return [
    ...[...nearest].flatMap(([name, ratio]) => (ratio >= NEAR_RATIO ? [] : [line(name, `${Math.round(100 * ratio)} % at most`)])),
    ...names.filter((name) => !measured.has(name)).map((name) => line(name, 'no check measures it')),
  ];
}
