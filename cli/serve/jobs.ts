import type { GateDecision, GateVerdict } from '../../gate/verdict.ts';
import type { Clock } from '../../runtime/clock.ts';

/** Gates that wait for their turn. One runs at a time: it takes all processors. */
export const MAX_WAITING = 16;
/** Gates that have ended and can still be asked for; the oldest go first. */
export const MAX_ENDED = 200;

/** What is to be judged: names that the command line allowed, and the versions that it gave them. */
export interface GateQuestion {
  readonly baseline: string;
  readonly candidate: string;
  /** Absent where nobody said which version the name stands for. */
  readonly baselineVersion?: string;
  readonly candidateVersion?: string;
}

/** The parts of a question that a request names. */
export type NamedParts = { readonly [part in keyof GateQuestion]?: string | undefined };

/** Every part of a question. */
export const QUESTION_PARTS = ['baseline', 'candidate', 'baselineVersion', 'candidateVersion'] as const satisfies (keyof GateQuestion)[];

/** Runs a gate. Rejects when it can't be run, or with the signal's reason. */
export type Judge = (question: GateQuestion, signal: AbortSignal) => Promise<Judged>;

/** What a gate came to. */
export interface Judged {
  readonly decision: GateDecision;
  /** What was left out and why, and what the policy loosened: a sentence each. */
  readonly notes: readonly string[];
}

/** One gate, from its request to its verdict. */
export interface GateJob extends GateQuestion {
  readonly id: string;
  /** What its asker calls it, the same at each repetition. */
  readonly key?: string;
  readonly status: 'waiting' | 'running' | 'done';
  readonly askedMs: number;
  readonly begunMs?: number;
  readonly endedMs?: number;
  /** Once it is done. */
  readonly result?: GateResult;
  /** Its names may stand for something else by now: only its key, or its id, still says that it is meant. */
  readonly byKeyOnly?: boolean;
}

/** A verdict as rollout controllers read it. */
export interface GateResult {
  readonly verdict: GateVerdict;
  readonly reason: string;
  /** Absent when the gate could not be run, as are its notes. */
  readonly decision?: GateDecision;
  readonly notes?: readonly string[];
}

/** Whether it ended without finding anything out. */
export function couldNotRun({ status, result }: GateJob): boolean {
  return status === 'done' && result?.decision === undefined;
}

/** What a gate of a server that is no more comes to: it found nothing out. */
export function interrupted(job: GateJob): GateJob {
  const reason = `${job.id} was interrupted: the server ended before it did; ask for it again`;
  return { ...job, status: 'done', result: { verdict: 'inconclusive', reason } };
}

/** Whether a gate was asked for what a request names; what that leaves open agrees with anything. */
export function agrees(asked: GateQuestion, named: NamedParts): boolean {
  return QUESTION_PARTS.every((part) => named[part] === undefined || named[part] === asked[part]);
}

function isSame(one: GateQuestion, other: GateQuestion): boolean {
  return QUESTION_PARTS.every((part) => one[part] === other[part]);
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
  constructor(job: GateJob) {
    const [baseline, candidate] = [named(job.baseline, job.baselineVersion), named(job.candidate, job.candidateVersion)];
    super(`this key is that of ${job.id}, which asked for ${candidate} in the place of ${baseline}; take another key`);
    this.name = 'KeyError';
  }
}

function named(target: string, version: string | undefined): string {
  return version === undefined ? target : `${target} (version ${version})`;
}

/** What a queue of gates needs. */
export interface GateJobsOptions {
  readonly clock: Clock;
  /** Ends the gate that runs, and begins no other one. */
  readonly signal: AbortSignal;
  /** Gates of a server before this one, all of them done. */
  readonly before?: readonly GateJob[];
  /** Called when a gate was asked for, and again when it has ended. */
  readonly onChange?: (job: GateJob) => void;
}

/** The gates that a server was asked for: one after the other, each asked for once. */
export class GateJobs {
  readonly #judge: Judge;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #onChange: (job: GateJob) => void;
  /** By id, in the order in which they were asked for. */
  readonly #jobs = new Map<string, GateJob>();
  /** Ids by key. Bounded by the jobs. */
  readonly #keys = new Map<string, string>();
  readonly #waiting: string[] = [];
  #count: number;
  #running: Promise<void> | undefined;

  constructor(judge: Judge, { clock, signal, before = [], onChange = () => undefined }: GateJobsOptions) {
    this.#judge = judge;
    this.#clock = clock;
    this.#signal = signal;
    this.#onChange = onChange;
    for (const job of before) this.#add(job);
    this.#count = Math.max(0, ...before.map(({ id }) => numberOf(id)));
    this.#forgetOldest();
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
    if (known !== undefined && !isSame(known, question)) throw new KeyError(known);
    if (known !== undefined) return known;
    if (this.#waiting.length >= MAX_WAITING) throw new BusyError();
    this.#count += 1;
    const job: GateJob = {
      id: `${ID_PREFIX}${this.#count}`,
      ...(key === undefined ? {} : { key }),
      ...question,
      status: 'waiting',
      askedMs: this.#clock.nowMs(),
    };
    this.#add(job);
    this.#onChange(job);
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

  /** The newest of a question, whether it has ended or not. */
  newest(question: GateQuestion): GateJob | undefined {
    return this.list().findLast((job) => job.byKeyOnly !== true && isSame(job, question));
  }

  list(): readonly GateJob[] {
    return [...this.#jobs.values()];
  }

  /** Settles when nothing is under way. */
  async idle(): Promise<void> {
    await this.#running;
  }

  #add(job: GateJob): void {
    this.#jobs.set(job.id, job);
    if (job.key !== undefined) this.#keys.set(job.key, job.id);
  }

  #openFor(question: GateQuestion): GateJob | undefined {
    return this.list().find((job) => job.status !== 'done' && isSame(job, question));
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
      this.#onChange(ended);
    }
    this.#running = undefined;
  }

  /** A gate that can't be run found nothing out. */
  async #resultOf(question: GateQuestion): Promise<GateResult> {
    try {
      const { decision, notes } = await this.#judge(question, this.#signal);
      return { verdict: decision.verdict, reason: decision.sentence, decision, notes };
    } catch (error) {
      const reason = this.#signal.aborted ? 'the server was stopped' : error instanceof Error ? error.message : String(error);
      return { verdict: 'inconclusive', reason: `the gate could not be run: ${reason}` };
    }
  }

  #forgetOldest(): void {
    const ended = this.list().filter(({ status }) => status === 'done');
    for (const { id, key } of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) {
      this.#jobs.delete(id);
      if (key !== undefined && this.#keys.get(key) === id) this.#keys.delete(key);
    }
  }
}

const ID_PREFIX = 'gate-';

function numberOf(id: string): number {
  return Number(id.slice(ID_PREFIX.length)) || 0;
}
