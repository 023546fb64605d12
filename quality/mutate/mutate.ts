import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { messagesOf } from '../../cli/explore/files.ts';
import { GENERATED_SUITE } from '../../explore/generated.ts';
import type { ScenarioData } from '../../explore/scenario-data.ts';
import { TRIAL_SEED, generatedSource } from '../../explore/trials.ts';
import { whyNotRun } from '../../harness/engine.ts';
import { loadTarget } from '../../harness/load.ts';
import type { ModuleRef } from '../../harness/load.ts';
import { labelOf, planTrials } from '../../harness/run.ts';
import { worldFor } from '../../harness/world-for.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import { sources } from '../../suites/catalogue.ts';
import { inParallel } from '../in-parallel.ts';
import { searchContrast } from '../search-contrast.ts';
import { diffOf, drawMutants } from './draw.ts';
import type { Mutant, Source } from './draw.ts';
import type { MutantReport, MutationReport, Outcome } from './outcome.ts';
import { progressLine } from './report.ts';
import { sitesOf } from './sites.ts';
import { ACTIVE } from './switch.ts';
import { createControlRunner, judgeMutant } from './trials.ts';
import type { Control, SeededTrials, TrialSite } from './trials.ts';
import { mutableSources, writeWorkplace } from './workplace.ts';

/** What to do. */
export interface MutateOptions {
  /** How many mutants. */
  readonly count: number;
  /** Of the draw. */
  readonly seed: number;
  /** With how many seeds, from 1, mutants run in scenarios in which the wires saw them and no check failed. */
  readonly trialSeeds: number;
  /** Ids; all scenarios if there are none. */
  readonly scenarios: readonly string[];
  /** Generated scenarios, for mutants that no other scenario kills. Those that the controller does not pass are left out. */
  readonly generated: readonly ScenarioData[];
  /** Only mutants in these files; in all if there are none. */
  readonly files: readonly string[];
  /** Only these of the drawn mutants, by their numbers; all if there are none. */
  readonly only: readonly number[];
  readonly workers: number;
  /** How long the explorer searches for each mutant that survives; 0 for no search. */
  readonly searchMs: number;
  /** Whether mutants that no scenario kills are also killed at each of their side effects, where scenarios say so. */
  readonly crashPoints: boolean;
  readonly signal: AbortSignal;
  /** Called with lines that end with a newline. */
  readonly say: (line: string) => void;
}

export const DEFAULT_WORKERS = availableParallelism();

/** The seed of the first trial of each scenario. */
const FIRST_SEED = 1;

/**
 * Draws mutants of the controller, and runs each through the scenarios that execute it.
 * @throws Error for unknown files or scenarios, and when the controller does not pass without a mutant
 */
export async function mutate(options: MutateOptions): Promise<MutationReport> {
  const { count, seed, signal, say, crashPoints } = options;
  const texts = sourcesNamed(options.files);
  const mutants = mutantsNumbered(options.only, drawMutants(texts, { count, seed }));
  const folder = mkdtempSync(join(tmpdir(), 'scaleproof-mutate-'));
  try {
    const site: TrialSite = { folder, clock: createRealTimeline().scope('mutate'), signal };
    const chosen = scenariosNamed(options.scenarios);
    const generated = options.generated.map((data) => generatedSource(data));
    const ref = writeWorkplace(mkdtempSync(join(folder, 'sources-')), mutants);
    const trials = await plan([...chosen, ...generated], ref, options.trialSeeds);
    say(`${mutants.length} mutants, ${trials.length} scenarios; first without a mutant\n`);
    const controls = await runControls(trials, site, options);
    const crashed = new Set(chosen.flatMap(({ scenario }) => (crashPoints && scenario.crashPoints === true ? [scenario.id] : [])));
    const reports = signal.aborted ? [] : await judgeAll(mutants, controls, { site: { ...site, crashed }, ref, texts, options });
    return {
      version: 1,
      seed,
      sites: texts.reduce((sum, { text }) => sum + sitesOf(text).length, 0),
      scenarios: controls.length,
      crashPoints,
      trialSeeds: options.trialSeeds,
      searchSeconds: options.searchMs / 1_000,
      interrupted: signal.aborted,
      mutants: reports,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function sourcesNamed(files: readonly string[]): Source[] {
  const all = mutableSources();
  const unknown = files.find((name) => !all.some(({ file }) => file === name));
  if (unknown !== undefined)
    throw new Error(`--file ${unknown}: no trial loads such a file of the controller; name one as in controller/leader.ts`);
  return files.length === 0 ? all : all.filter(({ file }) => files.includes(file));
}

function mutantsNumbered(numbers: readonly number[], drawn: readonly Mutant[]): readonly Mutant[] {
  const unknown = numbers.find((number) => !drawn.some(({ id }) => id === number));
  if (unknown !== undefined)
    throw new Error(`--mutant ${unknown}: no mutant that is drawn has this number; give the --count, --seed and --file of the report`);
  return numbers.length === 0 ? drawn : drawn.filter(({ id }) => numbers.includes(id));
}

type ChosenSource = (typeof sources)[number];

function scenariosNamed(ids: readonly string[]): readonly ChosenSource[] {
  const unknown = ids.find((id) => !sources.some(({ scenario }) => scenario.id === id));
  if (unknown !== undefined) throw new Error(`--scenario ${unknown}: there is no such scenario; \`scaleproof list scenarios\` shows them`);
  return ids.length === 0 ? sources : sources.filter(({ scenario }) => ids.includes(scenario.id));
}

async function plan(chosen: readonly ChosenSource[], ref: ModuleRef, seeds: number): Promise<SeededTrials[]> {
  const target = await loadTarget(ref);
  const { capabilities } = worldFor(target).facts;
  const possible = chosen.filter(({ scenario }) => whyNotRun(scenario, target, capabilities) === undefined);
  return Promise.all(
    possible.map(async (source) => {
      // A generated scenario has its own random numbers: other seeds are other scenarios.
      const most = source.suite === GENERATED_SUITE ? 1 : seeds;
      const numbers = Array.from({ length: most }, (_none, index) => FIRST_SEED + index);
      const [first, ...others] = await planTrials(source, { ref, label: labelOf(ref) }, numbers);
      if (first === undefined) throw new Error(`${source.scenario.id}: no trial was planned`);
      return { first, others };
    }),
  );
}

async function runControls(trials: readonly SeededTrials[], site: TrialSite, { workers }: MutateOptions): Promise<Control[]> {
  const runners = Array.from({ length: workers }, () => createControlRunner(site));
  try {
    const controls = await inParallel(workers, trials, async (trial, worker) =>
      site.signal.aborted ? undefined : runners[worker]?.run(trial),
    );
    return controls.filter((control) => control !== undefined);
  } finally {
    await Promise.all(runners.map((runner) => runner.end()));
  }
}

/** What mutants are judged with. */
interface Judging {
  readonly site: Parameters<typeof judgeMutant>[2];
  /** The controller with all mutants. */
  readonly ref: ModuleRef;
  readonly texts: readonly Source[];
  readonly options: MutateOptions;
}

async function judgeAll(mutants: readonly Mutant[], controls: readonly Control[], judging: Judging): Promise<MutantReport[]> {
  const { site, texts, options } = judging;
  let done = 0;
  const reports = await inParallel(options.workers, mutants, async (mutant) => {
    const source = texts.find(({ file }) => file === mutant.file);
    const result = site.signal.aborted ? undefined : await judgeOne(mutant.id, controls, judging);
    if (result === undefined || source === undefined) return undefined;
    const { id, file, line, kind } = mutant;
    const report: MutantReport = { id, file, line, kind, ...diffOf(source, mutant), result };
    done += 1;
    options.say(progressLine(report, done, mutants.length));
    return report;
  });
  return reports.filter((report) => report !== undefined);
}

async function judgeOne(id: number, controls: readonly Control[], { site, ref, options }: Judging): Promise<Outcome | undefined> {
  const result = await judgeMutant(id, controls, site);
  if (options.searchMs === 0 || result?.outcome !== 'survived') return result;
  const touched = new Set(controls.flatMap(({ trial, differing }) => (differing.has(id) ? [trial.scenario.id] : [])));
  const target = { ref, label: labelOf(ref) };
  const { found } = await searchContrast({
    faulty: { target, environment: { [ACTIVE]: String(id) } },
    sound: { target },
    seed: `mutant-${id}`,
    corpus: options.generated.filter((data) => touched.has(generatedSource(data).scenario.id)),
    clock: site.clock,
    signal: site.signal,
    limitMs: options.searchMs,
  });
  if (found === undefined) return site.signal.aborted ? undefined : result;
  const { cause, data } = found;
  const [message = cause.code] = messagesOf(found);
  const scenario = `${GENERATED_SUITE}/${data.name}`;
  return { outcome: 'killed', scenario, seed: TRIAL_SEED, check: cause.check, code: cause.code, message, generated: { ...data } };
}
