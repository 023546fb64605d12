/**
 * Time as every part of Scaleproof sees it. Nothing outside `runtime/` reads a clock or sets a timer of its own, so
 * that a trial under virtual time is a pure function of its seed.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch, whole. */
  nowMs(): number;

  /** Milliseconds since some moment, for measuring how long something takes: unlike `nowMs`, never set forward or back. */
  monotonicMs(): number;

  /**
   * Resolves `ms` milliseconds from now (rounded up to a whole millisecond, never less than 0).
   * Rejects with the signal's reason when `signal` is aborted first. Never settles once the scope is killed.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;

  /**
   * Counts `work` as a call in flight, under `label`, from now until it settles: virtual time cannot pass while a call
   * is under way and not parked. Never settles once the scope is killed: a rejection would run the dead program's
   * `catch` and heal what no SIGKILL would.
   */
  call<T>(label: string, work: () => Promise<T>): Promise<T>;

  /**
   * Marks one call in flight of this scope as waiting for something that the clock or an event of the world will
   * bring: while `wait` is pending, time may pass. Clients wrap the wire in it (see `clients/`).
   */
  park<T>(wait: Promise<T>): Promise<T>;

  /** Covers real I/O (a file, a module load): forbids virtual time to advance until `work` settles. */
  hold<T>(work: Promise<T>): Promise<T>;
}

/** The clock of one owner (a principal and its incarnation), which can be killed as a process can. */
export interface ClockScope extends Clock {
  readonly owner: string;
  readonly killed: boolean;
  /** Notes that this owner's code runs next. Whoever calls into it, or answers it, other than by its clock, says so. */
  handover(): void;
  /** Drops the owner's timers, takes its calls out of the in-flight count, and never settles any promise it was given. */
  kill(): void;
  /**
   * Stops the owner as SIGSTOP stops a process: whatever would be handed to its code (a timer, an answer) waits, and is
   * handed over in order when it goes on. What it has under way elsewhere goes on without it.
   * @param onHeld told of each thing that has to wait
   * @returns what lets it go on
   */
  pause(onHeld: () => void): () => void;
  /** Sets the owner's clock so far ahead (behind where negative) of everybody else's. How long it sleeps stays the same. */
  skew(byMs: number): void;
}

/** The source of clocks of one world. */
export interface Timeline {
  readonly virtual: boolean;
  nowMs(): number;
  /** A clock for one owner. The name is what the supervisor and error messages show. */
  scope(owner: string): ClockScope;
  /**
   * Drives time until `main` settles, and returns its result. Under virtual time this is the only thing that advances
   * the clock.
   * @throws StalledError when nothing can happen any more and `main` is still pending
   * @throws SpinError when one instant takes more than `maxTurnsPerInstant` turns
   */
  run<T>(main: Promise<T>): Promise<T>;
}

/** Told before control goes to an owner's code. */
export interface TimelineHooks {
  /** `owner` is about to run: its timer fires or its answer is delivered. */
  onHandover?(owner: string): void;
}

/** Virtual time cannot advance: nobody waits for the clock, yet the driven promise is pending. */
export class StalledError extends Error {
  readonly callsInFlight: readonly string[];
  constructor(callsInFlight: readonly string[]) {
    const calls = callsInFlight.length === 0 ? 'no call is in flight' : `calls in flight: ${callsInFlight.join(', ')}`;
    super(`the world stands still: no timer is set and nothing is left to run, yet the trial is not over (${calls})`);
    this.name = 'StalledError';
    this.callsInFlight = callsInFlight;
  }
}

/** An owner kept the world busy without letting time pass. */
export class SpinError extends Error {
  readonly owner: string;
  constructor(owner: string, turns: number, what: string) {
    super(`${owner} kept one instant busy for ${turns} turns: ${what}`);
    this.name = 'SpinError';
    this.owner = owner;
  }
}

/** A promise that never settles: what a dead program gets. */
export function never<T>(): Promise<T> {
  return new Promise<T>(() => undefined);
}
