import type { PlannedTrial, TrialEnd } from '../harness/run.ts';
import { plainProgressLine, progressLine } from '../reports/progress.ts';
import type { Console } from './console.ts';

const REWRITE = '\r\u001b[K';

/** Says how far a run is: on a terminal in one line that is rewritten, elsewhere a line a trial. */
export class Progress {
  readonly #console: Console;
  readonly #total: number;
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
    if (!this.#console.interactive) {
      const judged =
        end.kind === 'judged'
          ? {
              time: { ms: end.result.virtualMs, name: this.#timeName },
              findings: end.result.checks.flatMap(({ findings }) => findings).length,
            }
          : {};
      this.#console.err(
        `${plainProgressLine({ done: this.#done, total: this.#total, scenario: trial.scenario.id, seed: trial.seed, verdict, ...judged })}\n`,
      );
    }
    this.#rewrite();
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
  return `${trial.scenario.id} seed ${trial.seed}`;
}
