import type { Found, Standing } from '../../explore/search.ts';
import { formatCount, formatDuration } from '../../reports/format.ts';
import { printable } from '../../reports/paint.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Console } from '../console.ts';
import { LiveLine } from '../live-line.ts';
import { messagesOf } from './files.ts';

/** Without a terminal there is a line at most this often. */
const LINE_MS = 30_000;
/** Most characters of a finding's message. */
const MAX_MESSAGE = 300;

/** Shows how far a search is, and what it finds as it finds it. */
export class SearchProgress {
  readonly #console: Console;
  readonly #clock: Clock;
  readonly #line: LiveLine;
  readonly #startedMs: number;
  #toldMs: number;
  #ended = 0;

  constructor(console: Console, clock: Clock) {
    this.#console = console;
    this.#clock = clock;
    this.#line = new LiveLine(console);
    this.#startedMs = clock.monotonicMs();
    this.#toldMs = this.#startedMs;
  }

  /** How long the search has lasted. */
  get seconds(): number {
    return (this.#clock.monotonicMs() - this.#startedMs) / 1_000;
  }

  /** A trial has ended, of the search or to make a finding smaller. */
  trial(standing: Standing): void {
    this.#ended += 1;
    const line = standingLine(standing, this.#ended, this.seconds);
    if (this.#console.interactive) this.#line.show(line.slice(0, this.#console.columns - 1));
    else if (this.#clock.monotonicMs() - this.#toldMs >= LINE_MS) {
      this.#toldMs = this.#clock.monotonicMs();
      this.#line.print(line);
    }
  }

  found(found: Found): void {
    const [message = ''] = messagesOf(found);
    const { cause, data, afterTrials, isAsDrawn } = found;
    const size = `${formatCount(data.faults.length, 'fault')}, ${formatCount(data.workloads.length, 'workload')}, ${formatCount(data.pools.length, 'pool')}, ${formatCount(data.steps.length, 'step')}`;
    this.#line.print(
      printable(
        `found ${cause.check}: ${cause.code} in trial ${afterTrials}; ${isAsDrawn ? 'scenario as drawn' : 'smallest scenario'}: ${size}`,
      ),
    );
    this.#line.print(`  ${printable(message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message)}`);
  }

  close(): void {
    this.#line.close();
  }
}

/** One line about a search. @param ended trials so far, also those of a round that is not over */
function standingLine({ covered, found, known, unknown }: Standing, ended: number, seconds: number): string {
  const parts = [
    formatCount(ended, 'trial'),
    `${(ended / Math.max(1, seconds)).toFixed(1)}/s`,
    `${covered} places reached`,
    `${found} found`,
    ...(known === 0 ? [] : [`${known} known again`]),
    ...(unknown === 0 ? [] : [`${unknown} without verdict`]),
    formatDuration(seconds * 1_000),
  ];
  return parts.join(' · ');
}
