import { formatCrashPoint } from '../harness/crash-points.ts';
import type { PlannedTrial, TrialEnd } from '../harness/run.ts';
import type { TrialResult, Verdict } from '../history/verdict.ts';
import { formatCount } from '../reports/format.ts';
import { createPaint, printable } from '../reports/paint.ts';
import { furtherFailuresLine, progressLine, tallyLine, trialLine } from '../reports/progress.ts';
import type { EndedTrial, Progress as Standing } from '../reports/progress.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Console } from './console.ts';
import { LiveLine } from './live-line.ts';

/** How often the line on a terminal is updated. */
const TICK_MS = 1_000;
/** Without a terminal there is a line for each tenth of the trials, at most one in this time. */
const TALLIES = 10;
const TALLY_MS = 5_000;
/** Most failures of a run that are printed as they happen. */
const MAX_PRINTED = 20;

interface ProgressOptions {
  readonly total: number;
  /** Real time, to estimate the remaining time. */
  readonly clock: Clock;
  /** The name of the trials' time. */
  readonly timeName: string;
  /** There is more than one target, so names of trials include it. */
  readonly hasTargets?: boolean;
  /** The side of each trial, if there are several: each is counted, and named with its trials. */
  readonly sides?: ReadonlyMap<PlannedTrial, string>;
  /** `silent`: failures are neither counted nor printed, because they are expected or will be printed together. */
  readonly failures?: 'printed' | 'silent';
}

/**
 * Shows the progress of a run: on a terminal in one line that is rewritten, elsewhere in a line now and then. Failures are printed at
 * once; with `--verbose`, every trial is.
 */
export class Progress {
  readonly #console: Console;
  readonly #options: ProgressOptions;
  readonly #line: LiveLine;
  readonly #closed = new AbortController();
  readonly #startedMs: number;
  readonly #running = new Set<string>();
  /** By name. */
  readonly #sides = new Map<string, { done: number; total: number }>();
  #total: number;
  #done = 0;
  #failed = 0;
  #unknown = 0;
  #printed = 0;
  #tallied = 0;
  #talliedMs: number;
  /** When the last trial ended. */
  #endedMs: number;

  constructor(console: Console, options: ProgressOptions) {
    this.#console = console;
    this.#options = options;
    this.#line = new LiveLine(console);
    this.#total = options.total;
    for (const side of options.sides?.values() ?? []) {
      const known = this.#sides.get(side);
      if (known === undefined) this.#sides.set(side, { done: 0, total: 1 });
      else known.total += 1;
    }
    this.#startedMs = options.clock.monotonicMs();
    this.#talliedMs = this.#startedMs;
    this.#endedMs = this.#startedMs;
    if (console.interactive) void this.#tick();
  }

  /** Adds trials to the total, and says so. @param what what they are */
  add(trials: number, what: string): void {
    if (trials > 0) this.#line.print(`${formatCount(trials, 'more trial')}: ${what}`);
    this.#total += trials;
    this.#tallied = this.#tenth();
  }

  /** Prints lines that stay, whatever the console shows. */
  say(lines: string): void {
    this.#line.print(lines);
  }

  begin(trial: PlannedTrial): void {
    this.#running.add(this.#nameOf(trial));
    this.#rewrite();
  }

  end(trial: PlannedTrial, end: TrialEnd): void {
    const name = this.#nameOf(trial);
    const side = this.#sides.get(this.#sideOf(trial) ?? '');
    if (side !== undefined) side.done += 1;
    if (end.kind === 'judged') this.judged(name, end.result);
    else this.#ended({ name, verdict: 'unknown' });
  }

  /** A trial was judged, whether or not `begin` was called for it. */
  judged(name: string, { verdict, virtualMs, checks }: TrialResult): void {
    this.#ended({ name, verdict, time: { ms: virtualMs, name: this.#options.timeName }, codes: codesOf(checks) });
  }

  close(): void {
    this.#closed.abort();
    this.#line.close();
  }

  #ended(trial: EndedTrial): void {
    this.#running.delete(trial.name);
    this.#done += 1;
    this.#endedMs = this.#options.clock.monotonicMs();
    if (this.#options.failures !== 'silent' && trial.verdict === 'fail') this.#failed += 1;
    if (trial.verdict === 'unknown') this.#unknown += 1;
    this.#report(trial);
    if (this.#console.interactive) this.#rewrite();
    else this.#tally();
  }

  #report(trial: EndedTrial): void {
    const place = { done: this.#done, total: this.#total, columns: this.#console.columns };
    if (this.#console.verbose === true) this.#print(trialLine(trial, place), trial.verdict);
    else if (trial.verdict !== 'pass' && this.#options.failures !== 'silent' && this.#printed <= MAX_PRINTED) {
      const { time: _time, ...what } = trial;
      this.#print(this.#printed < MAX_PRINTED ? trialLine(what, place) : furtherFailuresLine(MAX_PRINTED), trial.verdict);
      this.#printed += 1;
    }
  }

  #print(lines: readonly string[], verdict: Verdict): void {
    const { color, interactive } = this.#console;
    const paint = createPaint(color && interactive);
    this.#line.print(lines.map((line) => (verdict === 'pass' ? line : paint(verdict, line))).join('\n'));
  }

  #tally(): void {
    const nowMs = this.#options.clock.monotonicMs();
    // After the last trial, the results follow at once.
    if (this.#console.verbose === true || this.#done === this.#total) return;
    if (this.#tenth() === this.#tallied || nowMs - this.#talliedMs < TALLY_MS) return;
    this.#tallied = this.#tenth();
    this.#talliedMs = nowMs;
    this.#line.print(tallyLine(this.#standing()));
  }

  #tenth(): number {
    return Math.floor((TALLIES * this.#done) / this.#total);
  }

  #rewrite(): void {
    const { columns, color, interactive } = this.#console;
    if (interactive) this.#line.show(progressLine(this.#standing(), { columns, color }));
  }

  #standing(): Standing {
    const how = {
      done: this.#done,
      total: this.#total,
      sides: [...this.#sides].map(([name, counts]) => ({ name: printable(name), ...counts })),
      running: [...this.#running],
      failed: this.#failed,
      unknown: this.#unknown,
    };
    const left = this.#total - this.#done;
    if (this.#done === 0 || left === 0) return how;
    // Estimated when a trial ends, and counted down until the next one ends.
    const estimateMs = ((this.#endedMs - this.#startedMs) / this.#done) * left;
    return { ...how, leftMs: Math.max(0, estimateMs - (this.#options.clock.monotonicMs() - this.#endedMs)) };
  }

  #sideOf(trial: PlannedTrial): string | undefined {
    return this.#options.sides?.get(trial);
  }

  #nameOf(trial: PlannedTrial): string {
    const { targetLabel, scenario, seed, crash } = trial;
    const side = this.#sideOf(trial) ?? (this.#options.hasTargets === true ? targetLabel : undefined);
    const prefix = side === undefined ? '' : `${side} in `;
    return printable(`${prefix}${scenario.id} seed ${seed}${crash === undefined ? '' : ` crash ${formatCrashPoint(crash)}`}`);
  }

  async #tick(): Promise<void> {
    try {
      for (;;) {
        await this.#options.clock.sleep(TICK_MS, this.#closed.signal);
        this.#rewrite();
      }
    } catch {
      // Closed.
    }
  }
}

function codesOf(checks: TrialResult['checks']): string[] {
  const found = checks.flatMap(({ findings }) => findings.map(({ code }) => code));
  return found.length > 0 ? found : checks.flatMap(({ check, verdict }) => (verdict === 'unknown' ? [check] : []));
}
