import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkCatalogue } from '../checks/catalogue.ts';
import type { Check } from '../checks/check.ts';
import { judgeTrial } from '../harness/judge-trial.ts';
import type { JudgedTrial } from '../harness/judge-trial.ts';
import { HistoryError } from '../history/reader.ts';
import { timeName } from '../reports/clock.ts';
import type { RunFacts } from '../reports/report-input.ts';
import { createRealTimeline } from '../runtime/timeline.ts';
import type { Console } from './console.ts';
import { Progress } from './progress.ts';
import { readRunFacts, trialNameOf } from './run-directory.ts';
import { UsageError } from './usage-error.ts';

/** A run directory that was judged again. */
interface JudgedRun {
  readonly run: RunFacts;
  /** The planned trials that have a history. */
  readonly judged: readonly JudgedTrial[];
}

/**
 * Judges the trials of a run directory again, from its files alone. Reports missing histories on the console.
 * @param checks the catalogue by default
 * @throws UsageError when the directory holds no run, or a history that can't be read
 */
export function judgeRun(directory: string, console: Console, checks: readonly Check[] = checkCatalogue): JudgedRun {
  const run = readRunFacts(directory);
  const isThere = ({ history }: RunFacts['planned'][number]): boolean => existsSync(join(directory, history));
  for (const { scenario, seed, history } of run.planned.filter((planned) => !isThere(planned))) {
    const isKnown = run.notRun.some((one) => one.scenario === scenario && one.seed === seed);
    if (!isKnown) console.err(`${history} is missing: ${scenario} with seed ${seed} was not judged\n`);
  }
  const recorded = run.planned.filter(isThere);
  const clock = createRealTimeline().scope('judge');
  // Failures are printed later, with the report.
  const progress = new Progress(console, { total: recorded.length, clock, timeName: timeName(run), failures: 'silent' });
  try {
    const judged = recorded.map((planned) => {
      const trial = judgeTrial(trialNameOf(planned, run), directory, checks);
      progress.judged(`${planned.scenario} seed ${planned.seed}`, trial.result);
      return trial;
    });
    return { run, judged };
  } catch (error) {
    if (error instanceof HistoryError) throw new UsageError(error.message);
    throw error;
  } finally {
    progress.close();
  }
}
