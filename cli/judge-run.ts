import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkCatalogue } from '../checks/catalogue.ts';
import type { Check } from '../checks/check.ts';
import { judgeTrial } from '../harness/judge-trial.ts';
import type { JudgedTrial } from '../harness/judge-trial.ts';
import { HistoryError } from '../history/reader.ts';
import type { RunFacts } from '../reports/report-input.ts';
import type { Console } from './console.ts';
import { readRunFacts, trialNameOf } from './run-directory.ts';
import { UsageError } from './usage-error.ts';

/** What a run directory says once it is judged again. */
interface JudgedRun {
  readonly run: RunFacts;
  /** Those of the planned trials that have a history. */
  readonly judged: readonly JudgedTrial[];
}

/**
 * Judges the trials of a run directory again, from its files alone. A history that is missing is said on the console.
 * @param checks by default those of the catalogue
 * @throws UsageError when the directory holds no run, or a history that can't be read
 */
export function judgeRun(directory: string, console: Console, checks: readonly Check[] = checkCatalogue): JudgedRun {
  const run = readRunFacts(directory);
  const judged: JudgedTrial[] = [];
  for (const planned of run.planned) {
    const { scenario, seed, history } = planned;
    if (!existsSync(join(directory, history))) {
      const isKnown = run.notRun.some((one) => one.scenario === scenario && one.seed === seed);
      if (!isKnown) console.err(`${history} is missing: ${scenario} with seed ${seed} was not judged\n`);
      continue;
    }
    try {
      judged.push(judgeTrial(trialNameOf(planned, run), directory, checks));
    } catch (error) {
      if (error instanceof HistoryError) throw new UsageError(error.message);
      throw error;
    }
  }
  return { run, judged };
}
