import { z } from 'zod';
import { defined } from '../model/defined.ts';
import type { Declaration, Mutant } from '../targets/mutants/mutant.ts';
import { isDeclared } from './mutant-trial.ts';
import type { MatrixTrial } from './mutant-trial.ts';

/**
 * Mutants x scenarios: which mutant was caught where, by what, and whether that matches its declaration. Pure functions of
 * digested trials; docs/mutants.md defines the terms.
 */

const whole = z.number().int().nonnegative();

const firstSchema = z.strictObject({
  seed: whole,
  check: z.string(),
  code: z.string(),
  object: z.string(),
  message: z.string(),
  /** Virtual time after which the trial's history proved it, in milliseconds. */
  atMs: z.number(),
  replay: z.string(),
});
export type FirstReport = z.infer<typeof firstSchema>;

/** For one scenario: the seeds that were run, and those that exposed the mutant. */
const seedsSchema = z.strictObject({ ran: z.array(whole), exposed: z.array(whole) });

/**
 * Why a mutant fails in a scenario that it did not declare: `same-finding`, the declared check and code; `other-finding`,
 * another effect of the bug; `control`, the reference fails there too, so the failure is not the mutant's.
 */
const causeSchema = z.enum(['same-finding', 'other-finding', 'control']);

const elsewhereSchema = z.strictObject({ scenario: z.string(), seeds: seedsSchema, first: firstSchema, cause: causeSchema });
export type Elsewhere = z.infer<typeof elsewhereSchema>;

/**
 * `caught`: as declared. `missed`: the declared finding was not made, or proves nothing. `unknown`: a trial could not be
 * judged. `not-run`: the declared scenario was not selected.
 */
const outcomeSchema = z.enum(['caught', 'missed', 'unknown', 'not-run']);

const mutantSchema = z.strictObject({
  name: z.string(),
  resembles: z.string(),
  declared: z.strictObject({
    scenario: z.string(),
    check: z.string(),
    code: z.string(),
    object: z.string(),
    seeds: z.enum(['every', 'some']),
    needs: z.enum(['interleaving', 'crash']).optional(),
  }),
  outcome: outcomeSchema,
  /** Why it is not caught. */
  why: z.string().optional(),
  /** Of the declared scenario: seeds with the declared finding. */
  seeds: seedsSchema,
  /** The first finding in the declared scenario, with the first seed that exposed it. */
  first: firstSchema.optional(),
  elsewhere: z.array(elsewhereSchema),
});
export type MutantReport = z.infer<typeof mutantSchema>;

/** Trials of the reference that did not pass. */
const controlSchema = z.strictObject({
  scenario: z.string(),
  seed: whole,
  verdict: z.enum(['fail', 'unknown']),
  why: z.string(),
  replay: z.string(),
});
export type ControlFailure = z.infer<typeof controlSchema>;

/** @returns a schema of the matrix alone; the command adds its own fields */
export const matrixSchema = z.strictObject({ mutants: z.array(mutantSchema), control: z.array(controlSchema) });
export type Matrix = z.infer<typeof matrixSchema>;

/** What was run. */
export interface MatrixTrials {
  readonly mutants: readonly Mutant[];
  /** Trials of mutants. */
  readonly trials: readonly MatrixTrial[];
  /** Trials of the reference, with every seed of every trial of a mutant: where the reference fails too, nothing is proved. */
  readonly control: readonly MatrixTrial[];
}

/** Judges every mutant by its declaration. */
export function judgeMutants({ mutants, trials, control }: MatrixTrials): Matrix {
  const failing = control.filter(({ verdict }) => verdict !== 'pass');
  const beside = controlOf(control);
  return {
    mutants: mutants.map((mutant) =>
      judgeMutant(
        mutant,
        trials.filter(({ target }) => target === mutant.target.name),
        beside,
      ),
    ),
    control: failing.map(({ scenario, seed, verdict, findings, unknowns, replay }) => ({
      scenario,
      seed,
      verdict: verdict === 'fail' ? 'fail' : 'unknown',
      why: [...findings.map(({ check, code, message }) => `${check} ${code}: ${message}`), ...unknowns].join('; '),
      replay,
    })),
  };
}

/** What the reference did in the same trials. */
interface Control {
  /** The reference passed this trial. */
  passed(trial: Pick<MatrixTrial, 'scenario' | 'seed'>): boolean;
  /** No fault fired there. */
  isCalm(scenario: string): boolean;
}

/** @param control trials of the reference */
export function controlOf(control: readonly MatrixTrial[]): Control {
  const passed = new Set(control.filter(({ verdict }) => verdict === 'pass').map(keyOf));
  const calm = new Set(control.filter(({ fired }) => fired.length === 0).map(({ scenario }) => scenario));
  return { passed: (trial) => passed.has(keyOf(trial)), isCalm: (scenario) => calm.has(scenario) };
}

function keyOf({ scenario, seed }: Pick<MatrixTrial, 'scenario' | 'seed'>): string {
  return `${scenario} ${seed}`;
}

function judgeMutant({ target, resembles, caughtBy }: Mutant, trials: readonly MatrixTrial[], control: Control): MutantReport {
  const own = trials.filter(({ scenario }) => scenario === caughtBy.scenario);
  const others = trials.filter(({ scenario }) => scenario !== caughtBy.scenario);
  const exposing = own.filter((trial) => control.passed(trial) && trial.findings.some((finding) => isDeclared(finding, caughtBy)));
  const first = exposing[0] === undefined ? undefined : reportFirst(exposing[0]);
  const elsewhere = elsewhereOf(caughtBy, others, control);
  return {
    name: target.name,
    resembles,
    declared: { ...caughtBy },
    ...(contradictionOf(caughtBy, others, elsewhere, control) ?? outcomeOf(caughtBy, own, exposing, control)),
    seeds: { ran: own.map(({ seed }) => seed), exposed: exposing.map(({ seed }) => seed) },
    ...defined({ first }),
    elsewhere,
  };
}

type Outcome = Pick<MutantReport, 'outcome' | 'why'>;

/** A mutant that declares to need an interleaving or a crash must pass most of the scenarios without faults. */
function contradictionOf(
  { needs }: Declaration,
  others: readonly MatrixTrial[],
  elsewhere: readonly Elsewhere[],
  { isCalm }: Control,
): Outcome | undefined {
  if (needs === undefined) return undefined;
  const calm = new Set(others.map(({ scenario }) => scenario).filter(isCalm));
  const failing = elsewhere.filter(({ scenario, cause }) => cause !== 'control' && calm.has(scenario));
  if (failing.length <= calm.size / 2) return undefined;
  return {
    outcome: 'missed',
    why: `it declares to need ${WORDS[needs]}, but fails ${failing.length} of ${calm.size} other scenarios without faults`,
  };
}

const WORDS = { interleaving: 'an interleaving', crash: 'a crash' } as const;

function outcomeOf(declared: Declaration, own: readonly MatrixTrial[], exposing: readonly MatrixTrial[], control: Control): Outcome {
  if (own.length === 0) return { outcome: 'not-run', why: `${declared.scenario} was not run` };
  const isEnough = declared.seeds === 'every' ? exposing.length === own.length : exposing.length > 0;
  if (isEnough) return { outcome: 'caught' };
  const others = own.filter((trial) => !exposing.includes(trial));
  const uncontrolled = others.filter((trial) => !control.passed(trial));
  if (uncontrolled.length > 0)
    return {
      outcome: 'missed',
      why: `the reference does not pass ${declared.scenario} with ${seedsOf(uncontrolled)}, so nothing is proved`,
    };
  const unknown = others.filter(({ verdict }) => verdict === 'unknown');
  if (unknown.length > 0)
    return {
      outcome: 'unknown',
      why: `${declared.scenario} is unknown with ${seedsOf(unknown)}: ${unknown[0]?.unknowns.join('; ') ?? ''}`,
    };
  const wanted = `${declared.check} ${declared.code} of ${declared.object}`;
  return { outcome: 'missed', why: `${wanted} was not found with ${seedsOf(others)}; found: ${foundIn(others)}` };
}

function seedsOf(trials: readonly MatrixTrial[]): string {
  return `${trials.length === 1 ? 'seed' : 'seeds'} ${trials.map(({ seed }) => seed).join(', ')}`;
}

function foundIn(trials: readonly MatrixTrial[]): string {
  const found = trials.flatMap(({ findings }) => findings.map(({ check, code, object }) => `${check} ${code} of ${object}`));
  return [...new Set(found)].slice(0, MAX_FOUND).join(', ') || 'nothing';
}

/** Most findings that a message names. */
const MAX_FOUND = 4;

function reportFirst({ seed, first, replay }: MatrixTrial): FirstReport | undefined {
  return first === undefined ? undefined : { seed, ...first, replay };
}

/** The scenarios that a mutant fails without having declared it. */
function elsewhereOf(declared: Declaration, trials: readonly MatrixTrial[], control: Control): Elsewhere[] {
  return [...Map.groupBy(trials, ({ scenario }) => scenario)].flatMap(([scenario, ofScenario]) => {
    const failing = ofScenario.filter(({ verdict }) => verdict === 'fail');
    const [worst = failing[0]] = failing.filter((trial) => control.passed(trial));
    const first = worst === undefined ? undefined : reportFirst(worst);
    if (worst === undefined || first === undefined) return [];
    const isSame = worst.findings.some(({ check, code }) => check === declared.check && code === declared.code);
    return [
      {
        scenario,
        seeds: { ran: ofScenario.map(({ seed }) => seed), exposed: failing.map(({ seed }) => seed) },
        first,
        cause: !control.passed(worst) ? ('control' as const) : isSame ? ('same-finding' as const) : ('other-finding' as const),
      },
    ];
  });
}
