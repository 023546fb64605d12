/**
 * Longest time between two looks at a trial that counts. A supervisor that did not look for longer was paused or starved itself,
 * and so was the trial, as far as anybody knows.
 */
const LONGEST_GAP_MS = 1_000;

/** What is read at a look, both in milliseconds. */
export interface Look {
  /** Of a clock that never jumps. */
  readonly nowMs: number;
  /** How long the trial's main thread has waited for a processor since its process began. */
  readonly waitedMs: number;
}

/**
 * Real time in which a trial could have run: without the time that it waited for a processor, and without pauses of the machine.
 * Limits of real time are compared with this, so that a busy machine gives the same verdicts as an idle one.
 */
export class WatchedTime {
  #last: Look;
  #ms = 0;

  constructor(first: Look) {
    this.#last = first;
  }

  get ms(): number {
    return this.#ms;
  }

  /** Reports of a starved process are late: what it waited may be subtracted after the time in which it waited was added. */
  look(look: Look): void {
    const gapMs = Math.min(look.nowMs - this.#last.nowMs, LONGEST_GAP_MS);
    this.#ms = Math.max(0, this.#ms + gapMs - (look.waitedMs - this.#last.waitedMs));
    this.#last = look;
  }

  /** Begins again at zero. */
  reset(): void {
    this.#ms = 0;
  }
}
