import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkCatalogue } from '../../checks/catalogue.ts';
import { HistoryError } from '../../history/reader.ts';
import { checksOf } from '../../harness/load.ts';
import { judgeTrial } from '../../harness/run.ts';
import type { JudgedTrial } from '../../harness/run.ts';
import { urlOf } from '../choose.ts';
import type { Console } from '../console.ts';
import { readRunFacts } from '../run-directory.ts';
import { UsageError } from '../usage-error.ts';
import { printRun, writeReports } from '../write-reports.ts';
import { exitCodeOf, hasUnknownCrashes, reportTrial } from './run.ts';

/** The flags of `check`, parsed. */
interface CheckOptions {
  /** Files of checks of the user's own, which are asked besides those of the catalogue. */
  readonly checks: readonly string[];
  readonly json: boolean;
}

/** `scaleproof check DIR`: recomputes every verdict, and the reports, from the directory alone. */
export async function check(directory: string, options: CheckOptions, console: Console): Promise<number> {
  const checks = [...checkCatalogue, ...(await Promise.all(options.checks.map((path) => checksOf(urlOf(path, 'check'))))).flat()];
  const run = readRunFacts(directory);
  const judged: JudgedTrial[] = [];
  for (const { scenario, title, suite, seed, crash, replay, history } of run.planned) {
    if (!existsSync(join(directory, history))) {
      const isKnown = run.notRun.some((one) => one.scenario === scenario && one.seed === seed);
      if (!isKnown) console.err(`${history} is missing: ${scenario} with seed ${seed} was not judged\n`);
      continue;
    }
    try {
      judged.push(
        judgeTrial(
          { scenario: { id: scenario, title }, suite, targetLabel: run.target.name, seed, crash, replay, history },
          directory,
          checks,
        ),
      );
    } catch (error) {
      if (error instanceof HistoryError) throw new UsageError(error.message);
      throw error;
    }
  }
  const report = writeReports(directory, { run, trials: judged.map((trial) => reportTrial(directory, trial)), notRun: run.notRun });
  if (options.json) console.out(`${JSON.stringify({ directory, ...report }, undefined, 2)}\n`);
  else printRun(report, directory, console);
  return exitCodeOf(
    judged.map(({ result }) => result.verdict),
    judged.length < run.planned.length || hasUnknownCrashes(report),
  );
}
