import type { GateDecision, GateVerdict } from '../../gate/verdict.ts';
import type { Clock } from '../../runtime/clock.ts';

/** Gates that wait for their turn. One runs at a time: it takes all processors. */
export const MAX_WAITING = 16;
/** Gates that have ended and can still be asked for; the oldest go first. */
const MAX_KEPT = 200;

/** What is to be judged: names that the command line allowed. */
export interface GateQuestion {
  readonly baseline: string;
  readonly candidate: string;
}

/** Runs a gate. Rejects when it can't be run, or with the signal's reason. */
export type Judge = (question: GateQuestion, signal: AbortSignal) => Promise<GateDecision>;

/** One gate, from its request to its verdict. */
export interface GateJob extends GateQuestion {
  readonly id: string;
  readonly status: 'waiting' | 'running' | 'done';
  readonly askedMs: number;
  readonly begunMs?: number;
  readonly endedMs?: number;
  /** Once it is done. */
  readonly result?: GateResult;
}

/** A verdict as rollout controllers read it. */
export interface GateResult {
  readonly verdict: GateVerdict;
  readonly reason: string;
  /** Absent when the gate could not be run. */
  readonly decision?: GateDecision;
}

/** Whether it ended without finding anything out. */
export function couldNotRun({ status, result }: GateJob): boolean {
  return status === 'done' && result?.decision === undefined;
}

/** Too many gates wait. */
export class BusyError extends Error {
  constructor() {
    super(`${MAX_WAITING} gates are waiting already; ask again later`);
    this.name = 'BusyError';
  }
}

/** A key was used for another question before. */
export class KeyError extends Error {
  constructor({ id, baseline, candidate }: GateJob) {
    super(`this key is that of ${id}, which asked for ${candidate} in the place of ${baseline}; take another key`);
    this.name = 'KeyError';
  }
}

/** The gates that a server was asked for: one after the other, each asked for once. */
export class GateJobs {
  readonly #judge: Judge;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #onEnd: (job: GateJob) => void;
  /** By id, in the order in which they were asked for. */
  readonly #jobs = new Map<string, GateJob>();
  /** Ids by idempotency key. Bounded by the jobs. */
  readonly #keys = new Map<string, string>();
  readonly #waiting: string[] = [];
  #count = 0;
  #running: Promise<void> | undefined;

  /** @param options.signal ends the gate that runs, and begins no other one */
  constructor(judge: Judge, options: { readonly clock: Clock; readonly signal: AbortSignal; readonly onEnd?: (job: GateJob) => void }) {
    this.#judge = judge;
    this.#clock = options.clock;
    this.#signal = options.signal;
    this.#onEnd = options.onEnd ?? (() => undefined);
  }

  /**
   * Starts a gate, or finds the one that answers the question: of the same key, or of the same question if it has not ended yet.
   * One that could not be run answers nothing, and is run again.
   * @param key what its asker calls it, the same at each repetition
   * @throws BusyError, KeyError
   */
  start(question: GateQuestion, key?: string): GateJob {
    const asked = key === undefined ? this.#openFor(question) : this.byKey(key);
    const known = asked === undefined || couldNotRun(asked) ? undefined : asked;
    if (known !== undefined && (known.baseline !== question.baseline || known.candidate !== question.candidate)) throw new KeyError(known);
    if (known !== undefined) return known;
    if (this.#waiting.length >= MAX_WAITING) throw new BusyError();
    this.#count += 1;
    const job: GateJob = { id: `gate-${this.#count}`, ...question, status: 'waiting', askedMs: this.#clock.nowMs() };
    this.#jobs.set(job.id, job);
    if (key !== undefined) this.#keys.set(key, job.id);
    this.#waiting.push(job.id);
    this.#forgetOldest();
    this.#running ??= this.#work();
    return this.#jobs.get(job.id) ?? job;
  }

  get(id: string): GateJob | undefined {
    return this.#jobs.get(id);
  }

  byKey(key: string): GateJob | undefined {
    return this.#jobs.get(this.#keys.get(key) ?? '');
  }

  /** The newest of a candidate, whether it has ended or not. */
  newest(candidate: string): GateJob | undefined {
    return this.list().findLast((job) => job.candidate === candidate);
  }

  list(): readonly GateJob[] {
    return [...this.#jobs.values()];
  }

  /** Settles when nothing is under way. */
  async idle(): Promise<void> {
    await this.#running;
  }

  #openFor({ baseline, candidate }: GateQuestion): GateJob | undefined {
    return this.list().find((job) => job.status !== 'done' && job.baseline === baseline && job.candidate === candidate);
  }

  async #work(): Promise<void> {
    for (let id = this.#waiting.shift(); id !== undefined && !this.#signal.aborted; id = this.#waiting.shift()) {
      const job = this.#jobs.get(id);
      if (job === undefined) continue;
      const begun: GateJob = { ...job, status: 'running', begunMs: this.#clock.nowMs() };
      this.#jobs.set(id, begun);
      const result = await this.#resultOf(begun);
      const ended: GateJob = { ...begun, status: 'done', endedMs: this.#clock.nowMs(), result };
      this.#jobs.set(id, ended);
      this.#onEnd(ended);
    }
    this.#running = undefined;
  }

  /** A gate that can't be run found nothing out. */
  async #resultOf({ baseline, candidate }: GateQuestion): Promise<GateResult> {
    try {
      const decision = await this.#judge({ baseline, candidate }, this.#signal);
      return { verdict: decision.verdict, reason: decision.sentence, decision };
    } catch (error) {
      const reason = this.#signal.aborted ? 'the server was stopped' : error instanceof Error ? error.message : String(error);
      return { verdict: 'inconclusive', reason: `the gate could not be run: ${reason}` };
    }
  }

  #forgetOldest(): void {
    const ended = this.list().filter(({ status }) => status === 'done');
    for (const { id } of ended.slice(0, Math.max(0, ended.length - MAX_KEPT))) {
      this.#jobs.delete(id);
      for (const [key, owner] of this.#keys) if (owner === id) this.#keys.delete(key);
    }
  }
}
