import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportedSource } from '../../explore/export.ts';
import type { ScenarioData } from '../../explore/scenario-data.ts';
import { formatCount } from '../../reports/format.ts';
import { Search } from '../../explore/search.ts';
import type { Found, Standing } from '../../explore/search.ts';
import { TRIAL_SEED, createScenarioRunner } from '../../explore/trials.ts';
import { loadTarget } from '../../harness/load.ts';
import { DEFAULT_NODES } from '../../harness/trial-spec.ts';
import { worldFor } from '../../harness/world-for.ts';
import { defined } from '../../model/defined.ts';
import { createRandom } from '../../runtime/random.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import { chooseTarget, scenarioInFile } from '../choose.ts';
import type { ChosenTarget } from '../choose.ts';
import type { Console } from '../console.ts';
import { Corpus, pathFromHere, readKnown, scenarioFile, scenarioPath, writeFindings, writeScenario } from '../explore/files.ts';
import { SearchProgress } from '../explore/progress.ts';
import { summaryOf } from '../explore/summary.ts';
import { interruption } from '../interruption.ts';
import { prepareTarget } from '../prepare-targets.ts';
import { createDirectory } from '../run-directory.ts';
import { EXIT, UsageError } from '../usage-error.ts';
import { runChosen } from './run.ts';

/** How long a search lasts if the user gives neither time nor trials. */
const DEFAULT_FOR_MS = 600_000;
/** The run of what was found, in the directory of the search. */
const REPORT = 'report';

/** The flags of `explore`, parsed. */
export interface ExploreOptions {
  readonly target: string;
  readonly forMs: number | undefined;
  readonly trials?: number;
  readonly maxFindings?: number;
  readonly seed: number;
  readonly corpus?: string;
  readonly maxCorpus?: number;
  readonly asDrawn: boolean;
  /** The file of a scenario that is to become smaller. */
  readonly shrink?: string;
  readonly known?: string;
  readonly out?: string;
  readonly workers?: number;
  readonly json: boolean;
}

/** `scaleproof explore --export FILE`: prints a scenario as a TypeScript module. */
export function printSource(path: string, console: Console): number {
  console.out(exportedSource(scenarioFile(path)));
  return EXIT.pass;
}

/**
 * `scaleproof explore`: runs generated scenarios against a target, and writes each failure as the smallest scenario that shows it, with
 * a report of all.
 * @returns the exit code
 */
export async function explore(options: ExploreOptions, console: Console): Promise<number> {
  const { seed, workers = availableParallelism(), json } = options;
  const target = await prepareTarget(chooseTarget(options.target), console);
  const loaded = await loadTarget(target.ref);
  if (loaded.time === 'real')
    throw new UsageError(
      `target ${target.label} is a program in real time, and the explorer needs virtual time; a Go program can be compiled into the world: docs/go-targets.md`,
    );
  const known = options.known === undefined ? [] : readKnown(options.known);
  if (options.maxCorpus !== undefined && options.corpus === undefined)
    throw new UsageError('--max-corpus needs --corpus, the directory that it is about');
  const corpus = new Corpus(options.corpus);
  const plan = planOf(options, corpus);
  const clock = createRealTimeline().scope('command');
  const startedAt = new Date(clock.nowMs()).toISOString();
  const directory = createDirectory(options.out, { startedAt, prefix: 'explore-' });
  const scratch = mkdtempSync(join(tmpdir(), 'scaleproof-explore-'));
  const interrupted = interruption();
  // Time that is up ends a search as Ctrl-C does: making findings smaller can take longer than the search.
  const timeUp = new AbortController();
  const cancelTimer = plan.forMs === undefined ? undefined : clock.after(plan.forMs, () => timeUp.abort());
  const signal = AbortSignal.any([interrupted.signal, timeUp.signal]);
  const progress = new SearchProgress(console, clock);
  const runner = createScenarioRunner({
    target,
    directory: scratch,
    workers,
    signal,
    labelOf: ({ name }) => pathFromHere(scenarioPath(directory, name)),
    onTrial: () => progress.trial(search.standing),
  });
  const search = new Search({
    random: createRandom(seed),
    site: { features: loaded.features, capabilities: worldFor(loaded, undefined).facts.capabilities },
    known,
    corpus: plan.first,
    shrinks: !options.asDrawn,
    ...defined({ maxFindings: options.maxFindings }),
    run: runner.run,
    onKept: (data) => corpus.keep(data),
    onFound: (found) => {
      writeScenario(directory, found.data);
      progress.found(found);
    },
  });
  const left = (): number => plan.trials - search.standing.trials;
  try {
    while (!signal.aborted && !search.isOver && left() > 0) await search.round(left());
  } finally {
    cancelTimer?.();
    progress.close();
    await runner.end();
    rmSync(scratch, { recursive: true, force: true });
    interrupted.release();
  }
  const { found, standing, problems } = search;
  const { seconds } = progress;
  const wasInterrupted = interrupted.signal.aborted;
  writeFindings(directory, { target: target.label, seed, standing, found, known });
  if (found.length > 0 && !wasInterrupted) await writeReport(found, { target, directory, workers }, console);
  const summary = {
    directory,
    standing,
    found,
    target: target.label,
    seconds,
    interrupted: wasInterrupted,
    problems,
  };
  const remarks = {
    nothing: nothingFound(options.shrink, standing),
    ...defined({ corpus: options.maxCorpus === undefined ? undefined : cut(corpus, options.maxCorpus, { search, first: plan.first }) }),
  };
  if (json) console.out(`${JSON.stringify(summary, undefined, 2)}\n`);
  else console.out(summaryOf(summary, remarks, console.columns));
  if (found.length > 0) return EXIT.fail;
  return wasInterrupted || standing.trials === 0 || standing.unknown === standing.trials ? EXIT.unknown : EXIT.pass;
}

/** What to say if nothing was found. @param shrink the file that was to become smaller */
function nothingFound(shrink: string | undefined, { trials, unknown }: Standing): string {
  if (shrink === undefined || unknown > 0) return 'Nothing new was found.';
  return trials === 0 ? `${shrink} did not run.` : `${shrink} passes: there is nothing to make smaller.`;
}

/** Removes scenarios from a corpus until it has at most `most`. @returns what became of it */
function cut(
  corpus: Corpus,
  most: number,
  { search, first }: { readonly search: Search; readonly first: readonly ScenarioData[] },
): string {
  // Of those that did not run, nobody knows what they reach.
  if (search.standing.trials < first.length) return 'Nothing was removed from the corpus, since not all of its scenarios ran.';
  const before = corpus.size;
  corpus.remove(search.dispensable(most));
  return `The corpus keeps ${corpus.size} of ${formatCount(before, 'scenario')}.`;
}

/** How long a search lasts, and with which scenarios it begins. */
function planOf(
  { shrink, trials, forMs }: Pick<ExploreOptions, 'shrink' | 'trials' | 'forMs'>,
  corpus: Corpus,
): { readonly first: readonly ScenarioData[]; readonly trials: number; readonly forMs: number | undefined } {
  // Making it smaller has limits of its own.
  if (shrink !== undefined) return { first: [scenarioFile(shrink)], trials: 1, forMs };
  if (trials !== undefined) return { first: corpus.scenarios, trials, forMs: undefined };
  return { first: corpus.scenarios, trials: Infinity, forMs: forMs ?? DEFAULT_FOR_MS };
}

/** Runs what was found once more, from the files that were written, and writes a report as any other run does. */
async function writeReport(
  found: readonly Found[],
  { target, directory, workers }: { readonly target: ChosenTarget; readonly directory: string; readonly workers: number },
  console: Console,
): Promise<void> {
  const chosen = found.map(({ data }) => scenarioInFile(pathFromHere(scenarioPath(directory, data.name))));
  const how = { seed: TRIAL_SEED, trials: 1, nodes: DEFAULT_NODES, world: undefined, workers, json: false };
  await runChosen({ chosen, target, ...how, out: join(directory, REPORT) }, console, () => undefined);
}
