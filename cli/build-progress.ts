import { EVIDENCE } from '../targets/go/artefacts/manifest.ts';
import type { BuildProgress } from '../targets/go/build/spec.ts';
import { formatShort } from '../reports/format.ts';
import { clip } from '../reports/table.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Console } from './console.ts';
import { LiveLine } from './live-line.ts';

/** How often the elapsed time on a terminal is updated. */
const TICK_MS = 1_000;
/** Elsewhere than on a terminal: one line for this many compiled packages. */
const PACKAGES_A_LINE = 200;

/** Shows the progress of a build: on a terminal in one line that is rewritten, elsewhere in a line for each step. */
export class BuildProgressLine {
  readonly #console: Console;
  readonly #clock: Clock;
  readonly #line: LiveLine;
  readonly #startedMs: number;
  readonly #closed = new AbortController();
  #now = '';
  #lastPlain = '';

  constructor(console: Console, clock: Clock) {
    this.#console = console;
    this.#line = new LiveLine(console);
    this.#clock = clock;
    this.#startedMs = clock.nowMs();
    if (console.interactive) void this.#tick();
  }

  report(progress: BuildProgress): void {
    this.#now = inWords(progress);
    if (!this.#console.interactive) this.#plain(progress);
    // A replacement is worth knowing about afterwards, too.
    else if (progress.step === 'replace') this.#line.print(this.#now);
    else this.#rewrite();
  }

  close(): void {
    this.#closed.abort();
    this.#line.close();
  }

  #plain(progress: BuildProgress): void {
    // A build fetches hundreds of modules and compiles thousands of packages.
    const isOneOfMany =
      (progress.step === 'fetch' && this.#lastPlain === 'fetch') ||
      (progress.step === 'compile' && progress.compiled % PACKAGES_A_LINE > 0);
    this.#lastPlain = progress.step;
    if (!isOneOfMany) this.#line.print(`[${this.#elapsed()}] ${this.#now}`);
  }

  #rewrite(): void {
    this.#line.show(clip(`${this.#elapsed()}  ${this.#now}`, this.#console.columns - 1));
  }

  #elapsed(): string {
    return formatShort(Math.floor((this.#clock.nowMs() - this.#startedMs) / TICK_MS) * TICK_MS)
      .replace(/^0ms$/, '0s')
      .replace('.0s', 's');
  }

  async #tick(): Promise<void> {
    try {
      for (;;) {
        await this.#clock.sleep(TICK_MS, this.#closed.signal);
        this.#rewrite();
      }
    } catch {
      // Closed.
    }
  }
}

function inWords(progress: BuildProgress): string {
  switch (progress.step) {
    case 'wait':
      return 'waiting for another build';
    case 'go':
      return `building with ${progress.version}`;
    case 'fetch':
      return `fetching ${progress.what}`;
    case 'replace': {
      const { module, by, evidence } = progress.replacement;
      return `using ${by} for ${module}: ${EVIDENCE[evidence]}`;
    }
    case 'resolve':
      return 'resolving all packages';
    case 'compile': {
      const { compiled, packages, last } = progress;
      return `compiling, ${compiled} of at most ${packages} packages${last === '' ? '' : `: ${last}`}`;
    }
    case 'finish':
      return 'writing the artefact';
  }
}
