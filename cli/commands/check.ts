import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { HistoryError } from '../../history/reader.ts';
import type { TrialResult } from '../../history/verdict.ts';
import { judgeTrial } from '../../harness/run.ts';
import type { Console } from '../console.ts';
import { readRunFacts } from '../run-directory.ts';
import { UsageError } from '../usage-error.ts';
import { printRun, writeReports } from '../write-reports.ts';
import { exitCodeOf, reportTrial } from './run.ts';

/** `scaleproof check DIR`: recomputes every verdict, and the reports, from the directory alone. */
export function check(directory: string, options: { readonly json: boolean }, console: Console): number {
  const run = readRunFacts(directory);
  const results: TrialResult[] = [];
  for (const { scenario, title, suite, seed, replay, history } of run.planned) {
    if (!existsSync(join(directory, history))) {
      const isKnown = run.notRun.some((one) => one.scenario === scenario && one.seed === seed);
      if (!isKnown) console.err(`${history} is missing: ${scenario} with seed ${seed} was not judged\n`);
      continue;
    }
    try {
      results.push(
        judgeTrial({ scenario: { id: scenario, title }, suite, targetLabel: run.target.name, seed, replay, history }, directory),
      );
    } catch (error) {
      if (error instanceof HistoryError) throw new UsageError(error.message);
      throw error;
    }
  }
  const report = writeReports(directory, { run, trials: results.map((result) => reportTrial(directory, result)), notRun: run.notRun });
  if (options.json) console.out(`${JSON.stringify({ directory, ...report }, undefined, 2)}\n`);
  else printRun(report, directory, console);
  return exitCodeOf(
    results.map(({ verdict }) => verdict),
    results.length < run.planned.length,
  );
}
