import { formatCrashPoint } from '../harness/crash-points.ts';
import type { PlannedTrial, TrialEnd } from '../harness/run.ts';
import type { Verdict } from '../history/verdict.ts';
import { plainProgressLine, progressLine } from '../reports/progress.ts';
import type { Console } from './console.ts';

/** Without a terminal, crash points that pass get one line for so many trials. */
const CRASHES_A_LINE = 20;

const REWRITE = '\r\u001b[K';

/** Says how far a run is: on a terminal in one line that is rewritten, elsewhere a line a trial. */
export class Progress {
  readonly #console: Console;
  #total: number;
  readonly #timeName: string;
  readonly #running = new Set<string>();
  #done = 0;
  #failed = 0;
  #unknown = 0;

  /** @param timeName what the trials' time is called */
  constructor(console: Console, { total, timeName }: { readonly total: number; readonly timeName: string }) {
    this.#console = console;
    this.#total = total;
    this.#timeName = timeName;
  }

  /** More trials have been planned. */
  add(trials: number): void {
    this.#total += trials;
  }

  begin(trial: PlannedTrial): void {
    this.#running.add(nameOf(trial));
    this.#rewrite();
  }

  end(trial: PlannedTrial, end: TrialEnd): void {
    this.#running.delete(nameOf(trial));
    this.#done += 1;
    const verdict = end.kind === 'judged' ? end.result.verdict : 'unknown';
    if (verdict === 'fail') this.#failed += 1;
    if (verdict === 'unknown') this.#unknown += 1;
    if (!this.#console.interactive && !this.#isPassedOver(trial, verdict)) {
      const judged =
        end.kind === 'judged'
          ? {
              time: { ms: end.result.virtualMs, name: this.#timeName },
              findings: end.result.checks.flatMap(({ findings }) => findings).length,
            }
          : {};
      this.#console.err(
        `${plainProgressLine({ done: this.#done, total: this.#total, scenario: trial.scenario.id, seed: trial.seed, ...crashOf(trial), verdict, ...judged })}\n`,
      );
    }
    this.#rewrite();
  }

  /** Crash points that pass are many: of these some show that it goes on. */
  #isPassedOver({ crash }: PlannedTrial, verdict: Verdict): boolean {
    return crash !== undefined && verdict === 'pass' && this.#done < this.#total && this.#done % CRASHES_A_LINE !== 0;
  }

  close(): void {
    if (this.#console.interactive) this.#console.err(REWRITE);
  }

  #rewrite(): void {
    if (!this.#console.interactive) return;
    const { columns, color } = this.#console;
    const how = { done: this.#done, total: this.#total, running: [...this.#running], failed: this.#failed, unknown: this.#unknown };
    this.#console.err(`${REWRITE}${progressLine(how, { columns, color })}`);
  }
}

function nameOf(trial: PlannedTrial): string {
  const { crash } = crashOf(trial);
  return `${trial.scenario.id} seed ${trial.seed}${crash === undefined ? '' : ` crash ${crash}`}`;
}

function crashOf({ crash }: PlannedTrial): { readonly crash?: string } {
  return crash === undefined ? {} : { crash: formatCrashPoint(crash) };
}
