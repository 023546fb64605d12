import { rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join, relative } from 'node:path';
import { checkCatalogue } from '../../checks/catalogue.ts';
import { faultCatalogue } from '../../faults/catalogue.ts';
import { resolveBounds } from '../../harness/bounds.ts';
import { whyNotRun } from '../../harness/engine.ts';
import { judgeMutants } from '../../harness/mutant-matrix.ts';
import { digestTrial } from '../../harness/mutant-trial.ts';
import type { MatrixTrial } from '../../harness/mutant-trial.ts';
import { planTrials, runTrials } from '../../harness/run.ts';
import type { PlannedTrial, TrialEnd } from '../../harness/run.ts';
import { findVacuity } from '../../harness/vacuity.ts';
import { DEFAULT_NODES } from '../../harness/trial-spec.ts';
import { worldFor } from '../../harness/world-for.ts';
import type { Bound } from '../../history/events.ts';
import { readHistory } from '../../history/reader.ts';
import { combine } from '../../history/verdict.ts';
import type { Verdict } from '../../history/verdict.ts';
import { removeHistory } from '../../history/usage.ts';
import { defined } from '../../model/defined.ts';
import { nearest } from '../../model/nearest.ts';
import { REPORT_API_VERSION } from '../../reports/run-report.ts';
import type { Clock } from '../../runtime/clock.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import { allSources, sources } from '../../suites/catalogue.ts';
import { VACUITY_REASONS } from '../../suites/vacuity-reasons.ts';
import { currentTargetName } from '../../model/former-names.ts';
import { mutants as mutantCatalogue } from '../../targets/mutants/catalogue.ts';
import type { Mutant } from '../../targets/mutants/mutant.ts';
import { reference } from '../../targets/reference.ts';
import type { Target } from '../../targets/target.ts';
import { chooseScenarios } from '../choose.ts';
import type { ChosenScenario } from '../choose.ts';
import type { Console } from '../console.ts';
import { interruption } from '../interruption.ts';
import { mutantsReportSchema } from '../mutants-report.ts';
import type { MutantsReport, Skipped } from '../mutants-report.ts';
import { formatMutants } from '../mutants-table.ts';
import { Progress } from '../progress.ts';
import { createRunDirectory } from '../run-directory.ts';
import { EXIT, UsageError } from '../usage-error.ts';

/** The flags of `mutants`, parsed. */
export interface MutantsOptions {
  /** By name, with or without `mutant:`; all if there are none. */
  readonly mutants: readonly string[];
  readonly scenarios: readonly string[];
  /** Number of seeds, from 1, for a mutant that declares that only some seeds catch it, in its own scenario. */
  readonly seeds: number;
  /** Every mutant in every scenario. */
  readonly all: boolean;
  readonly workers: number | undefined;
  readonly out: string | undefined;
  readonly json: boolean;
}

/** The scenarios that only run if they are asked for. @param mutants that would run in each, with one seed */
function leftOutBy(mutants: number): Skipped {
  const trials = (allSources.length - sources.length) * mutants;
  return { what: 'scenarios of the profile endurance', why: 'they take long; --scenario runs them', trials };
}

/** Most seeds for a mutant that declares that every seed catches it. */
const SEEDS_OF_EVERY = 3;
/** Each mutant runs in every sixth of the scenarios that it does not declare: all of them would take four times as long. */
const STRIDE = 6;

/** `scaleproof mutants`: runs planted bugs through the scenarios, and says whether each is caught as declared. @returns the exit code */
export async function mutants(options: MutantsOptions, console: Console): Promise<number> {
  const chosen = {
    mutants: chooseMutants(options.mutants),
    scenarios: await chooseScenarios({ suites: [], scenarios: options.scenarios }),
  };
  const seeds = Array.from({ length: options.seeds }, (_none, index) => index + 1);
  const isPart = options.mutants.length > 0 || options.scenarios.length > 0;
  // If the user selected mutants or scenarios, none of those is skipped.
  const plan = await planMatrix(chosen, seeds, options.all || isPart);

  const clock = createRealTimeline().scope('command');
  const startedAtMs = clock.nowMs();
  const directory = createRunDirectory(options.out, new Date(startedAtMs).toISOString());
  const interrupted = interruption();
  const where = { directory, workers: options.workers ?? availableParallelism(), signal: interrupted.signal, clock };
  const ran = await runMatrix(plan, where, console);
  interrupted.release();

  const matrix = judgeMutants({ mutants: chosen.mutants, ...ran });
  const vacuity =
    isPart || ran.unjudged.length > 0
      ? undefined
      : findVacuity(
          { mutants: chosen.mutants, ...ran },
          {
            scenarios: chosen.scenarios.map(({ scenario }) => scenario),
            checks: checkCatalogue.map(({ name }) => name),
            faults: faultCatalogue.map(({ name }) => name),
            bounds: allBounds(),
            reasons: VACUITY_REASONS,
            isWhole: options.all,
          },
        );
  const parts = { ...matrix, unjudged: ran.unjudged, ...defined({ vacuity }) };
  const report = mutantsReportSchema.parse({
    apiVersion: REPORT_API_VERSION,
    kind: 'MutantsReport',
    verdict: verdictOf(parts),
    seeds,
    trials: ran.trials.length + ran.control.length,
    wallMs: clock.nowMs() - startedAtMs,
    ...parts,
    skipped: options.scenarios.length > 0 ? plan.skipped : [...plan.skipped, leftOutBy(chosen.mutants.length)],
  });
  const path = join(directory, 'mutants.json');
  const text = `${JSON.stringify(report, undefined, 2)}\n`;
  writeFileSync(path, text);
  if (options.json) console.out(text);
  else console.out(`${formatMutants(report, { color: console.color, columns: console.columns })}\nReport: ${relative('.', path)}\n`);
  return { pass: EXIT.pass, fail: EXIT.fail, unknown: EXIT.unknown }[report.verdict];
}

/** Pass if every selected mutant is caught as declared, the reference passes, and nothing is vacuous without a reason. */
function verdictOf({ mutants, control, unjudged, vacuity }: Pick<MutantsReport, 'mutants' | 'control' | 'unjudged' | 'vacuity'>): Verdict {
  const ofMutants = mutants.flatMap(({ outcome }): Verdict[] => {
    if (outcome === 'not-run') return [];
    return [outcome === 'caught' ? 'pass' : outcome === 'missed' ? 'fail' : 'unknown'];
  });
  const isExplained = vacuity === undefined || (vacuity.stale.length === 0 && vacuity.lines.every(({ reason }) => reason !== undefined));
  return combine([
    ...ofMutants,
    ...control.map(({ verdict }) => verdict),
    ...unjudged.map((): Verdict => 'unknown'),
    ...(isExplained ? [] : (['fail'] as const)),
  ]);
}

/** All bounds, for the reference. */
function allBounds(): Bound[] {
  const { allowances } = worldFor(reference).facts;
  return Object.values(resolveBounds({ constants: reference.constants, allowances, nodes: DEFAULT_NODES, offerings: 1 }));
}

/** @throws UsageError for an unknown mutant */
function chooseMutants(names: readonly string[]): Mutant[] {
  const known = mutantCatalogue.map(({ target }) => target.name);
  const wanted = names.map((name) => currentTargetName(name.startsWith('mutant:') ? name : `mutant:${name}`));
  for (const name of wanted) {
    if (known.includes(name)) continue;
    const meant = nearest(name, known);
    throw new UsageError(
      `no mutant is named "${name}"; ${meant === undefined ? `there are: ${known.join(', ')}` : `did you mean ${meant}?`}`,
    );
  }
  return mutantCatalogue.filter(({ target }) => wanted.length === 0 || wanted.includes(target.name));
}

interface Chosen {
  readonly mutants: readonly Mutant[];
  readonly scenarios: readonly ChosenScenario[];
}

interface MatrixPlan {
  readonly trials: readonly PlannedTrial[];
  readonly skipped: readonly Skipped[];
}

/**
 * The reference first, with every seed that a mutant gets; then each mutant, starting with the scenario that it declares. Other
 * scenarios get one seed: all of them with `isAll`, else some of them, which differ for each mutant.
 */
async function planMatrix({ mutants, scenarios }: Chosen, seeds: readonly number[], isAll: boolean): Promise<MatrixPlan> {
  const { capabilities } = worldFor(reference).facts;
  const seedsOf = ({ caughtBy }: Mutant): readonly number[] => (caughtBy.seeds === 'every' ? seeds.slice(0, SEEDS_OF_EVERY) : seeds);
  const first = seeds.slice(0, 1);
  const trials: PlannedTrial[] = [];
  const skipped = new Map<string, Skipped>();
  const skip = ({ what, why, trials: count }: Skipped): void => {
    const key = `${what}: ${why}`;
    skipped.set(key, { what, why, trials: count + (skipped.get(key)?.trials ?? 0) });
  };
  const add = async (target: Target, source: ChosenScenario, some: readonly number[]): Promise<void> => {
    const reason = whyNotRun(source.scenario, target, capabilities);
    if (reason !== undefined) {
      skip({ what: source.scenario.id, why: reason, trials: some.length });
      return;
    }
    if (some.length < seeds.length)
      skip({
        what: `seeds ${some.length + 1} to ${seeds.length} ${some === first ? 'of scenarios that a mutant does not declare, and of the reference there' : 'of mutants that every seed exposes, and of the reference beside them'}`,
        why: 'to save time',
        trials: seeds.length - some.length,
      });
    const planned = await planTrials(source, { ref: { name: target.name }, label: target.name }, some);
    // Without the prefix, targets would share a file for the same scenario and seed.
    const prefix = target.name.replaceAll(/[^a-z0-9-]+/g, '.');
    trials.push(...planned.map((trial) => ({ ...trial, history: `histories/${prefix}.${basename(trial.history)}` })));
  };
  for (const source of scenarios) {
    const wanted = mutants.filter(({ caughtBy }) => caughtBy.scenario === source.scenario.id).map(seedsOf);
    await add(reference, source, wanted.sort((a, b) => b.length - a.length)[0] ?? first);
  }
  for (const [row, mutant] of mutants.entries()) {
    const { target, caughtBy } = mutant;
    const isOwn = ({ scenario }: ChosenScenario): boolean => scenario.id === caughtBy.scenario;
    for (const source of scenarios.filter(isOwn)) await add(target, source, seedsOf(mutant));
    for (const [column, source] of scenarios.entries()) {
      if (isOwn(source)) continue;
      if (isAll || (row + column) % STRIDE === 0) await add(target, source, first);
      else
        skip({
          what: `${STRIDE - 1} of ${STRIDE} scenarios that a mutant does not declare, others for each mutant`,
          why: 'to save time; --all runs them',
          trials: 1,
        });
    }
  }
  return { trials, skipped: [...skipped.values()] };
}

interface RanMatrix {
  readonly trials: readonly MatrixTrial[];
  readonly control: readonly MatrixTrial[];
  readonly unjudged: MutantsReport['unjudged'];
}

/** Runs the plan and keeps only a digest of each trial: the same seed recreates its history. */
async function runMatrix(
  plan: MatrixPlan,
  where: { readonly directory: string; readonly workers: number; readonly signal: AbortSignal; readonly clock: Clock },
  console: Console,
): Promise<RanMatrix> {
  const digests: MatrixTrial[] = [];
  const unjudged: MutantsReport['unjudged'] = [];
  const progress = new Progress(console, {
    total: plan.trials.length,
    clock: where.clock,
    timeName: 'virtual time',
    hasTargets: true,
    // Mutants are meant to fail.
    failures: 'silent',
  });
  const finish = (trial: PlannedTrial, end: TrialEnd): void => {
    const path = join(where.directory, trial.history);
    const { targetLabel: target, scenario, seed } = trial;
    // The history of a mutant that passes is not needed, and most pass.
    const isRead = end.kind === 'judged' && (end.result.verdict !== 'pass' || target === reference.name);
    if (end.kind === 'judged') digests.push(digestTrial(end.result, isRead ? readHistory(path).events : []));
    else unjudged.push({ target, scenario: scenario.id, seed, why: end.kind === 'refused' ? end.message : 'the run was interrupted' });
    removeHistory(path);
    progress.end(trial, end);
  };
  const ends = await runTrials(plan.trials, { ...where, onBegin: (trial) => progress.begin(trial), onEnd: finish }).finally(() =>
    progress.close(),
  );
  rmSync(join(where.directory, 'histories'), { recursive: true, force: true });
  const notBegun = plan.trials.filter((_trial, index) => ends[index]?.kind === 'not-begun');
  for (const { targetLabel: target, scenario, seed } of notBegun)
    unjudged.push({ target, scenario: scenario.id, seed, why: 'the run was interrupted before it started' });
  // In the order of the plan, with any number of workers.
  const order = new Map(plan.trials.map(({ targetLabel, scenario, seed }, index) => [`${targetLabel} ${scenario.id} ${seed}`, index]));
  const placeOf = ({ target, scenario, seed }: MatrixTrial): number => order.get(`${target} ${scenario} ${seed}`) ?? 0;
  digests.sort((a, b) => placeOf(a) - placeOf(b));
  return {
    trials: digests.filter(({ target }) => target !== reference.name),
    control: digests.filter(({ target }) => target === reference.name),
    unjudged,
  };
}
