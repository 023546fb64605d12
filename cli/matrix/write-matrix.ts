import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareTargets } from '../../gate/comparison.ts';
import type { ComparedRun, ComparedScenarios } from '../../gate/comparison/compared-run.ts';
import type { JudgedTrial } from '../../harness/judge-trial.ts';
import { seenIn } from '../../history/seen.ts';
import { buildMatrix } from '../../reports/build-matrix.ts';
import type { MatrixVersion } from '../../reports/build-matrix.ts';
import { renderMatrix } from '../../reports/html/matrix.ts';
import { formatMatrix } from '../../reports/matrix-report.ts';
import type { MatrixReport } from '../../reports/matrix-report.ts';
import { readComparedRun } from '../compare/read-run.ts';
import { reportTrial } from '../report-trial.ts';
import { MATRIX_FILE, MATRIX_PAGE, readRunFacts } from '../run-directory.ts';
import { writeReports } from '../write-reports.ts';
import { readPlan } from './directory.ts';
import { formatMatrixMarkdown } from './markdown.ts';

/** One version, judged and measured from its run directory. */
interface ReadVersion extends MatrixVersion {
  readonly compared: ComparedRun;
}

/**
 * Judges and measures all versions from the files of a matrix directory alone, and writes their reports and the matrix.
 * @throws UsageError when the directory holds no matrix, or a history that can't be read
 */
export function writeMatrix(directory: string): MatrixReport {
  const versions = readPlan(directory).versions.map(({ folder }) => readVersion(directory, folder));
  const matrix = buildMatrix(versions, measure(versions.map(({ compared }) => compared)));
  writeFileSync(join(directory, MATRIX_FILE), formatMatrix(matrix));
  writeFileSync(join(directory, MATRIX_PAGE), renderMatrix(matrix));
  writeFileSync(join(directory, 'matrix.md'), formatMatrixMarkdown(matrix));
  return matrix;
}

function readVersion(directory: string, folder: string): ReadVersion {
  const own = join(directory, folder);
  const run = readRunFacts(own);
  const judged: JudgedTrial[] = [];
  const compared = readComparedRun(
    own,
    () => true,
    (result, view) => judged.push({ result, seen: seenIn(view) }),
  );
  const report = writeReports(own, { run, trials: judged.map((trial) => reportTrial(own, trial)), notRun: run.notRun });
  return { folder, report, compared };
}

/** The figures over all trials that the versions have: every scenario counts for every figure. */
function measure(runs: readonly ComparedRun[]): Parameters<typeof buildMatrix>[1] {
  const scenarios = [...new Set(runs.flatMap(({ trials }) => trials.map(({ episode }) => episode.scenario)))];
  const every: ComparedScenarios = {
    scaleOut: { title: 'Latency, by phase', scenarios },
    cost: { title: 'Monthly cost', scenarios },
  };
  return {
    all: compareTargets(runs, every),
    neighbours: runs.slice(1).map((run, index) => compareTargets([runs[index] as ComparedRun, run], every)),
  };
}
