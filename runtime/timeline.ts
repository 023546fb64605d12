import { AbortListeners } from './abort-listeners.ts';
import { SpinError, StalledError, never } from './clock.ts';
import type { ClockScope, Timeline, TimelineHooks } from './clock.ts';
import type { Random } from './random.ts';
import { Roster } from './roster.ts';
import { TimerHeap } from './timer-heap.ts';
import type { Timer } from './timer-heap.ts';

/** Turns of the event loop that one instant may take before its owner counts as spinning. */
const MAX_TURNS_PER_INSTANT = 50_000;
/**
 * After this many turns in which none of our code ran, a call is taken to be waiting for the machine (a file, a DNS lookup). That time
 * can't be counted in turns, so each further turn is a pause in real time and counts as `TURNS_PER_PAUSE` turns.
 */
const IDLE_TURNS_BEFORE_PAUSES = 2_000;
const PAUSE_MS = 1;
const TURNS_PER_PAUSE = 10;

/** What the two timelines share with their scopes. */
interface Engine {
  readonly hooks: TimelineHooks;
  nowMs(): number;
  /** Time that nobody can set. */
  monotonicMs(): number;
  /** Sets a timer; the returned function cancels it. */
  setTimer(owner: string, dueMs: number, fire: () => void): () => void;
  /** Adds to the number of calls that are neither parked nor settled. */
  addRunning(count: number): void;
  hold<T>(work: Promise<T>): Promise<T>;
}

/** A clock scope over either timeline. All promises handed out go through it, so that a kill silences all of them. */
class Scope implements ClockScope {
  readonly owner: string;
  readonly callsInFlight = new Map<number, string>();
  readonly #engine: Engine;
  readonly #timers = new Roster<() => void>();
  readonly #aborts = new AbortListeners();
  /** The pauses in force; while there is one, deliveries are held. */
  readonly #pauses = new Set<() => void>();
  #held: (() => void)[] = [];
  #skewMs = 0;
  #nextCall = 0;
  #running = 0;
  #killed = false;

  constructor(owner: string, engine: Engine) {
    this.owner = owner;
    this.#engine = engine;
  }

  get killed(): boolean {
    return this.#killed;
  }

  handover(): void {
    this.#engine.hooks.onHandover?.(this.owner);
  }

  nowMs(): number {
    return this.#engine.nowMs() + this.#skewMs;
  }

  monotonicMs(): number {
    return this.#engine.monotonicMs();
  }

  skew(byMs: number): void {
    this.#skewMs += byMs;
  }

  pause(onHeld: () => void): () => void {
    const pause = (): void => onHeld();
    this.#pauses.add(pause);
    return () => {
      if (!this.#pauses.delete(pause) || this.#pauses.size > 0) return;
      for (const handOver of this.#held.splice(0)) handOver();
    };
  }

  /** Runs a delivery to the owner's code now, or when it resumes. */
  #handOver(what: () => void): void {
    if (this.#pauses.size === 0) {
      what();
      return;
    }
    this.#held.push(() => {
      if (!this.#killed) what();
    });
    for (const onHeld of this.#pauses) onHeld();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (this.#killed) return never();
    if (Number.isNaN(ms)) return Promise.reject(new RangeError('cannot sleep for NaN ms'));
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason as Error);
        return;
      }
      const onAbort = (): void => {
        cancel();
        reject(signal?.reason as Error);
      };
      const cancel = this.#setTimer(ms, resolve, () => stopListening?.());
      const stopListening = signal && this.#aborts.add(signal, onAbort);
    });
  }

  after(ms: number, fire: () => void): () => void {
    if (Number.isNaN(ms)) throw new RangeError('cannot wait for NaN ms');
    if (this.#killed) return () => undefined;
    let isCancelled = false;
    // It may be due and wait for a paused owner.
    const fireUnlessCancelled = (): void => {
      if (!isCancelled) fire();
    };
    const forget = this.#setTimer(ms, fireUnlessCancelled, () => undefined);
    return () => {
      isCancelled = true;
      forget();
    };
  }

  /**
   * Returns a function that cancels the timer.
   * @param onOver called when the timer fires, is cancelled or dies with the scope
   */
  #setTimer(ms: number, fire: () => void, onOver: () => void): () => void {
    const forget = (): void => {
      leave();
      cancel();
      onOver();
    };
    const cancel = this.#engine.setTimer(this.owner, this.#engine.nowMs() + Math.max(0, Math.ceil(ms)), () => {
      forget();
      this.#handOver(fire);
    });
    const leave = this.#timers.join(forget);
    return forget;
  }

  call<T>(label: string, work: () => Promise<T>): Promise<T> {
    if (this.#killed) return never();
    const id = this.#nextCall;
    this.#nextCall += 1;
    this.callsInFlight.set(id, label);
    this.#addRunning(1);
    const end = (): void => {
      this.callsInFlight.delete(id);
      this.#addRunning(-1);
    };
    return this.#guard(begin(work), end);
  }

  park<T>(wait: Promise<T>): Promise<T> {
    if (this.#killed) return never();
    this.#addRunning(-1);
    return this.#guard(
      wait,
      () => undefined,
      () => {
        this.handover();
        this.#addRunning(1);
      },
    );
  }

  hold<T>(work: Promise<T>): Promise<T> {
    return this.#guard(this.#engine.hold(work), () => undefined);
  }

  kill(): void {
    if (this.#killed) return;
    this.#killed = true;
    for (const forget of this.#timers) forget();
    this.callsInFlight.clear();
    this.#engine.addRunning(-this.#running);
    this.#running = 0;
  }

  #addRunning(count: number): void {
    if (this.#killed) return;
    this.#running += count;
    this.#engine.addRunning(count);
  }

  /** Passes a result on when the owner is not paused, unless the scope has been killed meanwhile. */
  #guard<T>(work: Promise<T>, onSettled: () => void, onHandedOver: () => void = () => undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      work.then(
        (value) => {
          if (this.#killed) return;
          onSettled();
          this.#handOver(() => {
            onHandedOver();
            resolve(value);
          });
        },
        (error: Error) => {
          if (this.#killed) return;
          onSettled();
          this.#handOver(() => {
            onHandedOver();
            reject(error);
          });
        },
      );
    });
  }
}

/** Calls a function so that a synchronous throw becomes a rejection. */
async function begin<T>(work: () => Promise<T>): Promise<T> {
  return work();
}

/** Options of a virtual timeline. */
export interface VirtualTimelineOptions {
  /** Where the clock starts, in milliseconds since the Unix epoch. */
  readonly startMs: number;
  /** Decides the order of timers that are due at the same instant. */
  readonly random: Random;
  readonly hooks?: TimelineHooks;
  readonly maxTurnsPerInstant?: number;
}

/**
 * Virtual time: advances only at quiescence, then jumps to the next timer. Quiescent means that every call in flight is
 * parked, nothing is held, and one turn of the event loop found nothing else to run.
 */
export function createVirtualTimeline(options: VirtualTimelineOptions): Timeline {
  return new VirtualTimeline(options);
}

class VirtualTimeline implements Timeline, Engine {
  readonly virtual = true;
  readonly hooks: TimelineHooks;
  readonly #random: Random;
  readonly #maxTurnsPerInstant: number;
  readonly #timers = new TimerHeap();
  readonly #scopes: Scope[] = [];
  readonly #holds = new Set<Promise<unknown>>();
  #nowMs: number;
  #running = 0;
  #activity = 0;
  #lastOwner = 'world';

  constructor(options: VirtualTimelineOptions) {
    this.#nowMs = options.startMs;
    this.#random = options.random;
    this.#maxTurnsPerInstant = options.maxTurnsPerInstant ?? MAX_TURNS_PER_INSTANT;
    const hooks = options.hooks ?? {};
    this.hooks = {
      onHandover: (owner) => {
        this.#lastOwner = owner;
        hooks.onHandover?.(owner);
      },
    };
  }

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  scope(owner: string): ClockScope {
    const scope = new Scope(owner, this);
    this.#scopes.push(scope);
    return scope;
  }

  setTimer(owner: string, dueMs: number, fire: () => void): () => void {
    this.#activity += 1;
    const timer: Timer = { dueMs, rank: this.#random.next(), owner, fire, cancelled: false };
    this.#timers.push(timer);
    return () => {
      timer.cancelled = true;
    };
  }

  addRunning(count: number): void {
    this.#activity += 1;
    this.#running += count;
  }

  hold<T>(work: Promise<T>): Promise<T> {
    this.#activity += 1;
    const end = (): void => {
      this.#holds.delete(work);
    };
    this.#holds.add(work);
    work.then(end, end);
    return work;
  }

  async run<T>(main: Promise<T>): Promise<T> {
    let over = false;
    const end = (): void => {
      over = true;
    };
    main.then(end, end);
    let turnsThisInstant = 0;
    for (;;) {
      turnsThisInstant += await this.#drain(this.#maxTurnsPerInstant - turnsThisInstant, () => over);
      if (over) return main;
      const timer = this.#timers.pop();
      if (timer === undefined) throw new StalledError(this.#callsInFlight());
      if (timer.dueMs > this.#nowMs) {
        this.#nowMs = timer.dueMs;
        turnsThisInstant = 0;
      }
      this.hooks.onHandover?.(timer.owner);
      timer.fire();
    }
  }

  /** Runs everything that can run without time passing. Returns the number of turns it took. */
  async #drain(maxTurns: number, isOver: () => boolean): Promise<number> {
    let idleTurns = 0;
    for (let turns = 1; ; turns += idleTurns > IDLE_TURNS_BEFORE_PAUSES ? TURNS_PER_PAUSE : 1) {
      const before = this.#activity;
      await (idleTurns > IDLE_TURNS_BEFORE_PAUSES ? pause() : nextTurn());
      idleTurns = this.#activity === before ? idleTurns + 1 : 0;
      if (isOver()) return turns;
      if (this.#holds.size > 0) {
        await Promise.allSettled(this.#holds);
        continue;
      }
      if (this.#running === 0 && this.#activity === before) return turns;
      if (turns >= maxTurns) {
        const calls = this.#callsInFlight().join(', ');
        throw new SpinError(
          this.#lastOwner,
          turns,
          this.#running > 0 ? `a call neither settled nor reached its wire (${calls})` : 'it keeps setting timers that are due at once',
        );
      }
    }
  }

  #callsInFlight(): string[] {
    return this.#scopes.flatMap((scope) => [...scope.callsInFlight.values()].map((label) => `${scope.owner}: ${label}`));
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, PAUSE_MS);
  });
}

/** Real time, for targets and worlds that run on it, and for supervisors and reporters. */
export function createRealTimeline(hooks: TimelineHooks = {}): Timeline {
  return new RealTimeline(hooks);
}

/** Longest delay of one Node timer; longer sleeps are chained. */
const MAX_TIMER_MS = 2_147_483_647;

class RealTimeline implements Timeline, Engine {
  readonly virtual = false;
  readonly hooks: TimelineHooks;

  constructor(hooks: TimelineHooks) {
    this.hooks = hooks;
  }

  nowMs(): number {
    return Date.now();
  }

  monotonicMs(): number {
    return performance.now();
  }

  scope(owner: string): ClockScope {
    return new Scope(owner, this);
  }

  setTimer(owner: string, dueMs: number, fire: () => void): () => void {
    const due = (): void => {
      this.hooks.onHandover?.(owner);
      fire();
    };
    // Node's shortest timer is a millisecond: a timer that is due now takes the next turn.
    if (dueMs <= Date.now()) {
      const immediate = setImmediate(due);
      return () => clearImmediate(immediate);
    }
    let handle: NodeJS.Timeout;
    const arm = (): void => {
      const again = (): void => (dueMs > Date.now() ? arm() : due());
      handle = setTimeout(again, Math.min(Math.max(0, dueMs - Date.now()), MAX_TIMER_MS));
    };
    arm();
    return () => clearTimeout(handle);
  }

  addRunning(): void {
    // Real time passes by itself: the number of calls in flight doesn't matter.
  }

  hold<T>(work: Promise<T>): Promise<T> {
    return work;
  }

  run<T>(main: Promise<T>): Promise<T> {
    return main;
  }
}
