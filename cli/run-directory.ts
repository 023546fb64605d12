import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { TrialName } from '../harness/judge-trial.ts';
import { isPath } from '../model/paths.ts';
import { parseRunFacts } from '../reports/report-input.ts';
import type { RunFacts } from '../reports/report-input.ts';
import { makeFolders } from '../model/make-folders.ts';
import { UsageError } from './usage-error.ts';

const RUNS = 'runs';
/** The file of a gate's outcome in its directory. */
export const GATE_FILE = 'gate.json';
/** The data of a comparison. */
export const COMPARISON_FILE = 'compare.json';
/** The data of a matrix. */
export const MATRIX_FILE = 'matrix.json';
export const MATRIX_PAGE = 'matrix.html';
/** Most runs that start within one second. They get a number. */
const MAX_A_SECOND = 1_000;

/**
 * Creates the directory of a new run: `out` itself, which must be new or empty, or a new one in `runs/`.
 * @throws UsageError when `out` can't be used
 */
export function createRunDirectory(out: string | undefined, startedAt: string): string {
  return createDirectory(out, { startedAt, inside: 'histories' });
}

/**
 * Creates an output directory of a command: `out` itself, which must be new or empty, or a new one in `runs/`.
 * @throws UsageError when `out` can't be used
 */
export function createDirectory(
  out: string | undefined,
  { startedAt, prefix = '', inside = '.' }: { readonly startedAt: string; readonly prefix?: string; readonly inside?: string },
): string {
  const directory = out === undefined ? freeDirectory(startedAt, prefix) : resolve(out);
  if (existsSync(directory)) {
    if (!statSync(directory).isDirectory())
      throw new UsageError(`--out ${out ?? directory} is a file; name a directory that is new or empty`);
    if (readdirSync(directory).length > 0)
      throw new UsageError(`--out ${out ?? directory} is not empty; name a directory that is new or empty`);
  }
  try {
    makeFolders(join(directory, inside));
  } catch (error) {
    throw new UsageError(`--out ${out ?? directory} can't be created: ${error instanceof Error ? error.message : String(error)}`);
  }
  return directory;
}

function freeDirectory(startedAt: string, prefix: string): string {
  const name = prefix + startedAt.replaceAll(/[:T]/g, '-').replace(/\..*$/, '');
  for (let number = 1; number <= MAX_A_SECOND; number += 1) {
    const directory = resolve(RUNS, number === 1 ? name : `${name}-${number}`);
    if (!existsSync(directory)) return directory;
  }
  throw new UsageError(`${RUNS}/${name} and its successors exist; name a directory with --out`);
}

/** The run directory in `runs/` that was written last. @throws UsageError if there is none */
export function newestRunDirectory(): string {
  return newestDirectory(['run.json'], 'run directory');
}

/** The directory of a run, a gate, a comparison or a matrix in `runs/` that was written last. @throws UsageError if there is none */
export function newestReportDirectory(): string {
  return newestDirectory(['run.json', GATE_FILE, COMPARISON_FILE, MATRIX_FILE], 'directory of a run, a gate, a comparison or a matrix');
}

/** @param files names of which such a directory has one */
function newestDirectory(files: readonly string[], what: string): string {
  const found = (existsSync(RUNS) ? readdirSync(RUNS) : []).flatMap((name) => {
    const directory = join(RUNS, name);
    const facts = files.map((file) => statSync(join(directory, file), { throwIfNoEntry: false })).find((one) => one !== undefined);
    return facts === undefined ? [] : [{ directory, writtenMs: facts.mtimeMs }];
  });
  const newest = found.reduce<(typeof found)[number] | undefined>(
    (best, one) => (best === undefined || one.writtenMs >= best.writtenMs ? one : best),
    undefined,
  );
  if (newest === undefined) throw new UsageError(`there is no ${what} in ${RUNS}/; name one`);
  return newest.directory;
}

/** Writes run.json. */
export function writeRunFacts(directory: string, facts: RunFacts): void {
  writeFileSync(join(directory, 'run.json'), `${JSON.stringify(facts, undefined, 2)}\n`);
}

/** Whether a name is that of a run directory, rather than of a target. @throws UsageError for a path to a directory without a run */
export function isRunDirectory(name: string): boolean {
  if (!existsSync(name) || !statSync(name).isDirectory()) return false;
  if (existsSync(join(name, 'run.json'))) return true;
  if (!isPath(name)) return false;
  throw new UsageError(`${name} is not a run directory: it has no run.json`);
}

/** @throws UsageError when the directory holds no run */
export function readRunFacts(directory: string): RunFacts {
  const path = join(directory, 'run.json');
  if (!existsSync(path)) throw new UsageError(`${directory} is not a run directory: it has no run.json`);
  try {
    return parseRunFacts(readFileSync(path, 'utf8'), path);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** The name of a planned trial, from run.json. */
export function trialNameOf(planned: RunFacts['planned'][number], run: RunFacts): TrialName {
  const { scenario: id, title, suite, seed, crash, replay, history } = planned;
  const digest = run.scenarios.find((scenario) => scenario.id === id)?.digest;
  return { scenario: { id, title, digest }, suite, targetLabel: run.target.name, seed, crash, replay, history };
}
