import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseRunFacts } from '../reports/report-input.ts';
import type { RunFacts } from '../reports/report-input.ts';
import { UsageError } from './usage-error.ts';

const RUNS = 'runs';
/** Runs that begin within one second get a number; more than this many in one second is no run by hand. */
const MAX_RUNS_A_SECOND = 1_000;

/**
 * Makes the directory of a new run: `out` itself, which must be new or empty, or a new one in `runs/`.
 * @throws UsageError when `out` can't be used
 */
export function createRunDirectory(out: string | undefined, startedAt: string): string {
  const directory = out === undefined ? freeRun(startedAt) : resolve(out);
  if (existsSync(directory)) {
    if (!statSync(directory).isDirectory())
      throw new UsageError(`--out ${out ?? directory} is a file; name a directory that is new or empty`);
    if (readdirSync(directory).length > 0)
      throw new UsageError(`--out ${out ?? directory} is not empty; name a directory that is new or empty`);
  }
  try {
    makeFolders(join(directory, 'histories'));
  } catch (error) {
    throw new UsageError(`--out ${out ?? directory} can't be made: ${error instanceof Error ? error.message : String(error)}`);
  }
  return directory;
}

/** Node's own recursive mkdir never returns where a file system refuses new folders with ENOENT, as /proc does. */
function makeFolders(path: string): void {
  if (existsSync(path)) return;
  makeFolders(dirname(path));
  mkdirSync(path);
}

function freeRun(startedAt: string): string {
  const name = startedAt.replaceAll(/[:T]/g, '-').replace(/\..*$/, '');
  for (let number = 1; number <= MAX_RUNS_A_SECOND; number += 1) {
    const directory = resolve(RUNS, number === 1 ? name : `${name}-${number}`);
    if (!existsSync(directory)) return directory;
  }
  throw new UsageError(`${RUNS}/${name} and its successors exist; name a directory with --out`);
}

/** Writes run.json. */
export function writeRunFacts(directory: string, facts: RunFacts): void {
  writeFileSync(join(directory, 'run.json'), `${JSON.stringify(facts, undefined, 2)}\n`);
}

/** @throws UsageError when the directory holds no run */
export function readRunFacts(directory: string): RunFacts {
  const path = join(directory, 'run.json');
  if (!existsSync(path)) throw new UsageError(`${directory} is no run directory: it has no run.json`);
  try {
    return parseRunFacts(readFileSync(path, 'utf8'), path);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
