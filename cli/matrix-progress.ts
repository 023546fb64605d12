import type { PlannedTrial, TrialEnd } from '../harness/run.ts';
import { formatCount } from '../reports/format.ts';
import { progressLine } from '../reports/progress.ts';
import type { Console } from './console.ts';

const REWRITE = '\r\u001b[K';

/** Says how far a matrix of targets and scenarios is: on a terminal in one line that is rewritten, elsewhere a line a target. */
export class MatrixProgress {
  readonly #console: Console;
  readonly #total: number;
  /** Trials of each target that are still to come. */
  readonly #left = new Map<string, number>();
  /** Scenarios in which each target failed. */
  readonly #failing = new Map<string, Set<string>>();
  readonly #running = new Set<string>();
  #done = 0;
  #unknown = 0;

  /** @param targets the target of each trial */
  constructor(console: Console, targets: readonly string[]) {
    this.#console = console;
    this.#total = targets.length;
    for (const target of targets) this.#left.set(target, (this.#left.get(target) ?? 0) + 1);
  }

  begin(trial: PlannedTrial): void {
    this.#running.add(nameOf(trial));
    this.#rewrite();
  }

  end(trial: PlannedTrial, end: TrialEnd): void {
    const { targetLabel: target, scenario } = trial;
    this.#running.delete(nameOf(trial));
    this.#done += 1;
    const verdict = end.kind === 'judged' ? end.result.verdict : 'unknown';
    const failing = this.#failing.get(target) ?? new Set();
    this.#failing.set(target, failing);
    if (verdict === 'fail') failing.add(scenario.id);
    if (verdict === 'unknown') this.#unknown += 1;
    const left = (this.#left.get(target) ?? 1) - 1;
    this.#left.set(target, left);
    if (left === 0 && !this.#console.interactive) {
      const place = `[${String(this.#done).padStart(String(this.#total).length)}/${this.#total}]`;
      this.#console.err(`${place} ${target} fails ${formatCount(failing.size, 'scenario')}\n`);
    }
    this.#rewrite();
  }

  close(): void {
    if (this.#console.interactive) this.#console.err(REWRITE);
  }

  #rewrite(): void {
    if (!this.#console.interactive) return;
    const { columns, color } = this.#console;
    // That mutants fail is what they are for.
    const how = { done: this.#done, total: this.#total, running: [...this.#running], failed: 0, unknown: this.#unknown };
    this.#console.err(`${REWRITE}${progressLine(how, { columns, color })}`);
  }
}

function nameOf({ targetLabel, scenario, seed }: PlannedTrial): string {
  return `${targetLabel} in ${scenario.id} seed ${seed}`;
}
