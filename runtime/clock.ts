/**
 * Time as every part of Scaleproof sees it. Nothing outside `runtime/` reads a clock or sets a timer of its own, so
 * that a trial under virtual time is a pure function of its seed.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch, whole. */
  nowMs(): number;

  /** Milliseconds since an arbitrary origin, for measuring durations: unlike `nowMs`, never set forward or back. */
  monotonicMs(): number;

  /**
   * Resolves `ms` milliseconds from now (rounded up to a whole millisecond, never less than 0).
   * Rejects with the signal's reason when `signal` is aborted first. Never settles once the scope is killed.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;

  /**
   * Calls `fire` once, `ms` milliseconds from now (rounded as in `sleep`), and never once the scope is killed. Returns a function that
   * cancels it: cheaper than a sleep with a signal, for the many limits that are never reached.
   */
  after(ms: number, fire: () => void): () => void;

  /**
   * Counts `work` as a call in flight, under `label`, from now until it settles: virtual time cannot pass while a call
   * is in flight and not parked. Never settles once the scope is killed: a rejection would run the dead program's
   * `catch`, and clean up what a SIGKILL would leave behind.
   */
  call<T>(label: string, work: () => Promise<T>): Promise<T>;

  /**
   * Marks one call in flight of this scope as waiting for the clock or for an event in the world: while `wait` is
   * pending, time may pass. Clients wrap the wire in it (see `clients/`).
   */
  park<T>(wait: Promise<T>): Promise<T>;

  /** Covers real I/O (a file, a module load): keeps virtual time from advancing until `work` settles. */
  hold<T>(work: Promise<T>): Promise<T>;
}

/** The clock of one owner (a principal and its incarnation), which can be killed like a process. */
export interface ClockScope extends Clock {
  readonly owner: string;
  readonly killed: boolean;
  /** Notes that this owner's code runs next. Code that calls into it, or answers it, other than through its clock must call this. */
  handover(): void;
  /** Drops the owner's timers, removes its calls from the in-flight count, and never settles any promise that it was given. */
  kill(): void;
  /**
   * Pauses the owner as SIGSTOP pauses a process: timers and answers for its code wait, and are delivered in order when it
   * resumes. Its requests that are already in flight go on.
   * @param onHeld called for each timer or answer that has to wait
   * @returns a function that resumes the owner
   */
  pause(onHeld: () => void): () => void;
  /** Shifts the owner's clock by this much against all others: ahead if positive, behind if negative. Its sleeps stay as long. */
  skew(byMs: number): void;
}

/** The source of all clocks in one world. */
export interface Timeline {
  readonly virtual: boolean;
  nowMs(): number;
  /** A clock for one owner. The name is what the supervisor and error messages show. */
  scope(owner: string): ClockScope;
  /**
   * Drives time until `main` settles, and returns its result. Under virtual time this is the only thing that advances
   * the clock.
   * @throws StalledError when nothing is left to run and `main` is still pending
   * @throws SpinError when one instant takes more than `maxTurnsPerInstant` turns
   */
  run<T>(main: Promise<T>): Promise<T>;
}

/** Called before an owner's code runs. */
export interface TimelineHooks {
  /** `owner` is about to run: its timer fires or its answer is delivered. */
  onHandover?(owner: string): void;
}

/** Virtual time cannot advance: nothing waits for the clock, yet the driven promise is pending. */
export class StalledError extends Error {
  readonly callsInFlight: readonly string[];
  constructor(callsInFlight: readonly string[]) {
    const calls = callsInFlight.length === 0 ? 'no call is in flight' : `calls in flight: ${callsInFlight.join(', ')}`;
    super(`the world has stalled: no timer is set and nothing is left to run, but the trial is not over (${calls})`);
    this.name = 'StalledError';
    this.callsInFlight = callsInFlight;
  }
}

/** An owner kept running without letting time pass. */
export class SpinError extends Error {
  readonly owner: string;
  constructor(owner: string, turns: number, what: string) {
    super(`${owner} kept one instant busy for ${turns} turns: ${what}`);
    this.name = 'SpinError';
    this.owner = owner;
  }
}

/** A promise that never settles: a dead program gets it instead of an answer. */
export function never<T>(): Promise<T> {
  return new Promise<T>(() => undefined);
}
