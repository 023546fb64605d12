import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { judge } from '../checks/judge.ts';
import type { HistoryEvent } from '../history/events.ts';
import { percentile } from '../history/latency.ts';
import type { PhaseValues } from '../history/latency.ts';
import { phasesOf } from '../history/phases.ts';
import { verdictSchema } from '../history/verdict.ts';
import type { Verdict } from '../history/verdict.ts';
import { createView } from '../history/view.ts';
import { defined } from '../model/defined.ts';
import type { AgreedDifference } from './agreed-differences.ts';

/** Medians agree if they differ by no more than `leastMs`, or by no more than the factor. */
export const AGREEMENT = { leastMs: 2_000, factor: 2 } as const;

/** The allowances that set the delays of machines: both worlds must use the same. */
const MACHINE_ALLOWANCES = ['bootMs', 'podStartMs', 'instanceEndMs'] as const;

/** The facts that are compared, from the history of one trial. */
export interface WorldTrial {
  readonly scenario: string;
  readonly seed: number;
  readonly world: string;
  readonly verdict: Verdict;
  /** Codes of its findings, each once. */
  readonly findings: readonly string[];
  readonly phases: readonly PhaseValues[];
  /** Ids of its instances in the order of launch: equal ids draw equal delays. */
  readonly instances: readonly string[];
  /** Values that must be the same in both worlds, by their names in messages. */
  readonly setting: Readonly<Record<string, unknown>>;
}

/** Reads one trial. @returns undefined for a history without `trial.begin` */
export function readWorldTrial({
  events,
  truncated,
}: {
  readonly events: readonly HistoryEvent[];
  readonly truncated: boolean;
}): WorldTrial | undefined {
  const view = createView(events, { truncated });
  const { begin } = view;
  if (begin === undefined) return undefined;
  const { verdict, checks } = judge(events, truncated);
  return {
    scenario: begin.scenario.id,
    seed: begin.seed,
    world: begin.world.name,
    verdict,
    findings: [...new Set(checks.flatMap(({ findings }) => findings.map(({ code }) => code)))].sort(),
    phases: phasesOf(view),
    instances: view.instances.map(({ id }) => id),
    setting: {
      "the scenario's source": begin.scenario.digest,
      'the target': begin.target.name,
      "the target's constants": begin.target.constants,
      '--nodes': begin.nodes,
      'the delays of machines': MACHINE_ALLOWANCES.map((name) => begin.world.allowances[name]),
    },
  };
}

const whole = z.number().int().nonnegative();
const sideSchema = z.strictObject({ count: whole, medianMs: z.number().nonnegative() });

/**
 * The result for a phase. `agrees`; `differs`: by more than the limit of agreement, or of its explanation; `only-one`: no trial of
 * the other world has it; `explained`: a known difference; `stale`: an explanation without a difference.
 */
const phaseOutcomeSchema = z.enum(['agrees', 'differs', 'only-one', 'explained', 'stale']);

const phaseSchema = z.strictObject({
  phase: z.string(),
  a: sideSchema.optional(),
  b: sideSchema.optional(),
  /** The second median minus the first. */
  differenceMs: z.number().optional(),
  outcome: phaseOutcomeSchema,
  /** The known explanation, even if the difference is above its limit. */
  explanation: z.strictObject({ reason: z.string(), see: z.string(), limitMs: z.number() }).optional(),
});
export type PhaseComparison = z.infer<typeof phaseSchema>;

const trialSideSchema = z.strictObject({ verdict: verdictSchema, findings: z.array(z.string()) });

const trialSchema = z.strictObject({
  seed: whole,
  a: trialSideSchema,
  b: trialSideSchema,
  /** `agrees`: the verdicts are equal, and failures share at least one finding. `unknown`: one of the verdicts is. */
  outcome: z.enum(['agrees', 'differs', 'unknown']),
  /** The number of instances in each, and of ids that both have: those have the same delays. */
  instances: z.strictObject({ a: whole, b: whole, shared: whole }),
});

const scenarioSchema = z.strictObject({ scenario: z.string(), trials: z.array(trialSchema), phases: z.array(phaseSchema) });
export type ScenarioComparison = z.infer<typeof scenarioSchema>;

/** The comparison of two worlds. */
export const comparisonSchema = z.strictObject({
  a: z.string(),
  b: z.string(),
  allowed: z.strictObject({ leastMs: z.number(), factor: z.number() }),
  scenarios: z.array(scenarioSchema),
  /** Trials without a pair, or with one that can't be compared. */
  notCompared: z.array(z.strictObject({ scenario: z.string(), seed: whole, why: z.string() })),
  outcome: z.enum(['agree', 'differ', 'unknown']),
});
export type Comparison = z.infer<typeof comparisonSchema>;

/** The trials of one run. */
export interface WorldRun {
  /** Its name in messages. */
  readonly name: string;
  readonly trials: readonly WorldTrial[];
}

/**
 * Compares the same trials in two worlds: verdicts by pair, and the median of each phase by scenario, over all pairs.
 * @param agreed the explained differences
 */
export function compareWorlds(a: WorldRun, b: WorldRun, agreed: readonly AgreedDifference[]): Comparison {
  const keyOf = ({ scenario, seed }: WorldTrial): string => `${scenario} ${seed}`;
  const others = new Map(b.trials.map((trial) => [keyOf(trial), trial]));
  const mine = new Set(a.trials.map(keyOf));
  const notCompared = b.trials.filter((trial) => !mine.has(keyOf(trial))).map((trial) => ({ ...idOf(trial), why: `not in ${a.name}` }));
  const pairs = new Map<string, Pair[]>();
  for (const trial of a.trials) {
    const other = others.get(keyOf(trial));
    const why = other === undefined ? `not in ${b.name}` : whyIncomparable(trial, other);
    if (other === undefined || why !== undefined) notCompared.push({ ...idOf(trial), why: why ?? '' });
    else pairs.set(trial.scenario, [...(pairs.get(trial.scenario) ?? []), { a: trial, b: other }]);
  }
  const scenarios = [...pairs].map(([scenario, of]) => ({
    scenario,
    trials: of.map(compareTrials),
    phases: comparePhases(
      of,
      agreed.filter((one) => one.scenario === undefined || one.scenario === scenario),
    ),
  }));
  return { a: a.name, b: b.name, allowed: AGREEMENT, scenarios, notCompared, outcome: outcomeOf(scenarios, notCompared.length > 0) };
}

interface Pair {
  readonly a: WorldTrial;
  readonly b: WorldTrial;
}

function idOf({ scenario, seed }: WorldTrial): { scenario: string; seed: number } {
  return { scenario, seed };
}

function whyIncomparable(a: WorldTrial, b: WorldTrial): string | undefined {
  const unlike = Object.keys(a.setting).filter((name) => !isDeepStrictEqual(a.setting[name], b.setting[name]));
  return unlike.length === 0 ? undefined : `${unlike.join(', ')} differ`;
}

function compareTrials({ a, b }: Pair): ScenarioComparison['trials'][number] {
  const isSame = a.verdict === b.verdict && (a.verdict !== 'fail' || a.findings.some((code) => b.findings.includes(code)));
  const isUnknown = a.verdict === 'unknown' || b.verdict === 'unknown';
  const side = ({ verdict, findings }: WorldTrial): { verdict: Verdict; findings: string[] } => ({ verdict, findings: [...findings] });
  return {
    seed: a.seed,
    a: side(a),
    b: side(b),
    outcome: isUnknown ? 'unknown' : isSame ? 'agrees' : 'differs',
    instances: { a: a.instances.length, b: b.instances.length, shared: a.instances.filter((id) => b.instances.includes(id)).length },
  };
}

/** Phases in the order in which either world has them; explained ones that neither has come last. */
function comparePhases(pairs: readonly Pair[], agreed: readonly AgreedDifference[]): PhaseComparison[] {
  const a = pool(pairs.map((pair) => pair.a));
  const b = pool(pairs.map((pair) => pair.b));
  const names = new Set([...a.keys(), ...b.keys(), ...agreed.filter(isStale).map(({ phase }) => phase)]);
  return [...names].map((phase) => comparePhase(phase, { a: a.get(phase), b: b.get(phase) }, agreed));
}

function comparePhase(
  phase: string,
  values: { readonly a: readonly number[] | undefined; readonly b: readonly number[] | undefined },
  agreed: readonly AgreedDifference[],
): PhaseComparison {
  const a = sideOf(values.a);
  const b = sideOf(values.b);
  const known = agreed.find((one) => one.phase === phase);
  const outcome = outcomeOfPhase(a, b, known);
  return {
    phase,
    ...defined({ a, b, differenceMs: a && b && b.medianMs - a.medianMs }),
    outcome,
    ...(known === undefined || outcome === 'agrees' || outcome === 'only-one'
      ? {}
      : { explanation: { reason: known.reason, see: known.see, limitMs: known.limitMs } }),
  };
}

function outcomeOfPhase(a: PhaseComparison['a'], b: PhaseComparison['b'], known: AgreedDifference | undefined): PhaseComparison['outcome'] {
  if ((a === undefined) !== (b === undefined)) return 'only-one';
  if (a === undefined || b === undefined || agrees(a.medianMs, b.medianMs)) return isStale(known) ? 'stale' : 'agrees';
  return known !== undefined && Math.abs(a.medianMs - b.medianMs) <= known.limitMs ? 'explained' : 'differs';
}

/** Whether an explanation should be removed because the phase agrees. */
function isStale(known: AgreedDifference | undefined): boolean {
  return known !== undefined && known.isNear !== true;
}

/** Whether two medians differ by no more than the larger of `leastMs` and the factor. */
export function agrees(aMs: number, bMs: number): boolean {
  return Math.abs(aMs - bMs) <= AGREEMENT.leastMs || Math.max(aMs, bMs) <= AGREEMENT.factor * Math.min(aMs, bMs);
}

function sideOf(valuesMs: readonly number[] | undefined): PhaseComparison['a'] {
  return valuesMs === undefined ? undefined : { count: valuesMs.length, medianMs: percentile(valuesMs, 50) };
}

/** The values of all trials, sorted. */
function pool(trials: readonly WorldTrial[]): Map<string, number[]> {
  const pooled = new Map<string, number[]>();
  for (const { phases } of trials) {
    for (const { phase, valuesMs } of phases) pooled.set(phase, [...(pooled.get(phase) ?? []), ...valuesMs]);
  }
  for (const values of pooled.values()) values.sort((a, b) => a - b);
  return pooled;
}

/** A difference counts even if some trials could not be compared. If nothing was compared, the result is unknown. */
function outcomeOf(scenarios: readonly ScenarioComparison[], isPartial: boolean): Comparison['outcome'] {
  const trials = scenarios.flatMap((one) => one.trials);
  const phases = scenarios.flatMap((one) => one.phases);
  if (trials.some(({ outcome }) => outcome === 'differs') || phases.some(({ outcome }) => outcome === 'differs' || outcome === 'stale'))
    return 'differ';
  const isUnknown = trials.some(({ outcome }) => outcome === 'unknown') || phases.some(({ outcome }) => outcome === 'only-one');
  return isPartial || isUnknown || trials.length === 0 ? 'unknown' : 'agree';
}
