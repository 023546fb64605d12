import { checkCatalogue } from '../../checks/catalogue.ts';
import { checksOf } from '../../harness/load.ts';
import { userFileUrl } from '../user-file.ts';
import { gapVerdicts } from '../../reports/manifests.ts';
import type { Console } from '../console.ts';
import { judgeRun } from '../judge-run.ts';
import { printRun, writeReports } from '../write-reports.ts';
import { exitCodeOf, hasUnknownCrashes } from '../exit-code.ts';
import { reportTrial } from '../report-trial.ts';

/** The flags of `check`, parsed. */
interface CheckOptions {
  /** Files with the user's checks, which run besides those of the catalogue. */
  readonly checks: readonly string[];
  readonly json: boolean;
}

/** `scaleproof check DIR`: recomputes every verdict, and the reports, from the directory alone. */
export async function check(directory: string, options: CheckOptions, console: Console): Promise<number> {
  const checks = [...checkCatalogue, ...(await Promise.all(options.checks.map((path) => checksOf(userFileUrl(path, 'check'))))).flat()];
  const { run, judged } = judgeRun(directory, console, checks);
  const report = writeReports(directory, { run, trials: judged.map((trial) => reportTrial(directory, trial)), notRun: run.notRun });
  if (options.json) console.out(`${JSON.stringify({ directory, ...report }, undefined, 2)}\n`);
  else printRun(report, directory, console);
  return exitCodeOf(
    [...judged.map(({ result }) => result.verdict), ...gapVerdicts(run.manifests)],
    judged.length < run.planned.length || hasUnknownCrashes(report),
  );
}
