import { join, relative, resolve } from 'node:path';
import type { Shard } from '../../reports/report-input.ts';
import { formatMatrix } from '../../reports/matrix-report.ts';
import type { MatrixReport } from '../../reports/matrix-report.ts';
import { formatCount } from '../../reports/format.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import { chooseScenarios } from '../choose.ts';
import type { ScenarioChoice } from '../choose.ts';
import type { Console } from '../console.ts';
import { openMatrix } from '../matrix/directory.ts';
import { runCells } from '../matrix/run-cells.ts';
import { formatMatrixSummary } from '../matrix/terminal.ts';
import { chooseVersions } from '../matrix/versions.ts';
import { writeMatrix } from '../matrix/write-matrix.ts';
import { MATRIX_PAGE } from '../run-directory.ts';
import { prepareTargets } from '../prepare-targets.ts';
import { EXIT, UsageError } from '../usage-error.ts';

/** The flags of `matrix`, parsed. */
export interface MatrixOptions extends ScenarioChoice {
  readonly seeds: number;
  readonly workers?: number | undefined;
  readonly shard?: Shard | undefined;
  readonly out: string;
  readonly json: boolean;
}

/**
 * `scaleproof matrix A B ...`: runs the scenarios on every version, as far as the directory does not have their trials yet, and writes
 * the matrix.
 * @returns the exit code: 0 when every cell has a verdict, whatever it is
 */
export async function matrix(names: readonly string[], options: MatrixOptions, console: Console): Promise<number> {
  const { versions: named, notes } = chooseVersions(names);
  const chosen = await chooseScenarios(options);
  if (chosen.length === 0) throw new UsageError('these flags select no scenario');
  for (const note of notes) console.err(`${note}\n`);
  const versions = await prepareTargets(named, console);
  const { seeds, shard, workers, out } = options;
  const directory = resolve(out);
  const release = openMatrix(out);
  try {
    const startedAt = new Date(createRealTimeline().scope('command').nowMs()).toISOString();
    const end = await runCells({ versions, chosen, seeds, shard, workers }, { directory, startedAt }, console);
    if (end.kept > 0) console.err(`${formatCount(end.kept, 'trial')} of the matrix had been run before\n`);
    const report = writeMatrix(directory);
    printMatrix(report, directory, options, console);
    if (end.isInterrupted) console.err('scaleproof: interrupted; the same command continues the matrix\n');
    return end.isInterrupted ? EXIT.unknown : matrixExit(report);
  } finally {
    release();
  }
}

/** Prints a matrix, and where its page is. */
export function printMatrix(report: MatrixReport, directory: string, { json }: { readonly json: boolean }, console: Console): void {
  if (json) console.out(formatMatrix(report));
  else {
    console.out(formatMatrixSummary(report, console));
    console.out(`\nMatrix: ${relative('.', join(directory, MATRIX_PAGE))}\n`);
  }
}

/** 0 if every cell has a verdict, or can't have one; what other shards run does not count. */
export function matrixExit({ scenarios, shard }: MatrixReport): number {
  const cells = scenarios.flatMap((scenario) => scenario.cells);
  const isOpen = cells.some(
    ({ verdict, trials }) => verdict === 'unknown' || trials.missing > 0 || (verdict === 'missing' && shard === undefined),
  );
  return isOpen ? EXIT.unknown : EXIT.pass;
}
