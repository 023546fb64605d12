import type { GateDecision, GateVerdict } from '../../gate/verdict.ts';
import { defined } from '../../model/defined.ts';
import type { Clock } from '../../runtime/clock.ts';

/** Gates that may wait. Only one runs at a time, since it uses all processors. */
export const MAX_WAITING = 16;
/** Finished gates that are remembered; the oldest are forgotten first. */
export const MAX_ENDED = 200;

/** What to judge: targets that the command line allows, with the versions that it states. */
export interface GateQuestion {
  readonly baseline: string;
  readonly candidate: string;
  /** Absent if the version is not known. */
  readonly baselineVersion?: string;
  readonly candidateVersion?: string;
}

/** The parts of a question that a request names. */
export type NamedParts = { readonly [part in keyof GateQuestion]?: string | undefined };

/** Every part of a question. */
export const QUESTION_PARTS = ['baseline', 'candidate', 'baselineVersion', 'candidateVersion'] as const satisfies (keyof GateQuestion)[];

/** Runs a gate. Rejects when it can't be run, or with the signal's reason. */
export type Judge = (question: GateQuestion, signal: AbortSignal) => Promise<Judged>;

/** The result of a gate. */
export interface Judged {
  readonly decision: GateDecision;
  /** What was left out and why, and where the policy is laxer than the defaults: a sentence each. */
  readonly notes: readonly string[];
}

/** One gate, from its request to its verdict. */
export interface GateJob extends GateQuestion {
  readonly id: string;
  /** The client's idempotency key: repeated requests have the same one. */
  readonly key?: string;
  readonly status: 'waiting' | 'running' | 'done';
  readonly askedMs: number;
  readonly begunMs?: number;
  readonly endedMs?: number;
  /** Only if it is done. */
  readonly result?: GateResult;
  /** Its names may mean something else by now, so it can be found only by its key or id. */
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

/** Whether it ended without a decision. */
export function couldNotRun({ status, result }: GateJob): boolean {
  return status === 'done' && result?.decision === undefined;
}

/** A gate that did not finish before its server stopped: inconclusive. */
export function interrupted(job: GateJob): GateJob {
  const reason = `${job.id} was interrupted: the server stopped before it finished; request it again`;
  return { ...job, status: 'done', result: { verdict: 'inconclusive', reason } };
}

/** Whether a gate's question matches the parts that a request names. */
export function agrees(question: GateQuestion, named: NamedParts): boolean {
  return QUESTION_PARTS.every((part) => named[part] === undefined || named[part] === question[part]);
}

function isSame(one: GateQuestion, other: GateQuestion): boolean {
  return QUESTION_PARTS.every((part) => one[part] === other[part]);
}

/** Too many gates wait. */
export class BusyError extends Error {
  constructor() {
    super(`${MAX_WAITING} gates are waiting already; try again later`);
    this.name = 'BusyError';
  }
}

/** A key was used for another question before. */
export class KeyError extends Error {
  constructor(job: GateJob) {
    const [baseline, candidate] = [named(job.baseline, job.baselineVersion), named(job.candidate, job.candidateVersion)];
    super(`this key belongs to ${job.id}, which judges ${candidate} against ${baseline}; use another key`);
    this.name = 'KeyError';
  }
}

function named(target: string, version: string | undefined): string {
  return version === undefined ? target : `${target} (version ${version})`;
}

/** Options of a queue of gates. */
export interface GateJobsOptions {
  readonly clock: Clock;
  /** Stops the running gate, and starts no other. */
  readonly signal: AbortSignal;
  /** Gates of an earlier server, all of them done. */
  readonly before?: readonly GateJob[];
  /** Called when a gate is requested, and again when it ends. */
  readonly onChange?: (job: GateJob) => void;
}

/** A queue of requested gates: they run one after the other, and each question is queued once. */
export class GateJobs {
  readonly #judge: Judge;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #onChange: (job: GateJob) => void;
  /** By id, in the order in which they were requested. */
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
   * Starts a gate, or finds an existing one: with the same key, or without a key an unfinished one with the same question. A gate that
   * could not be run is run again.
   * @param key the client's idempotency key
   * @throws BusyError, KeyError
   */
  start(question: GateQuestion, key?: string): GateJob {
    const found = key === undefined ? this.#openFor(question) : this.byKey(key);
    const known = found === undefined || couldNotRun(found) ? undefined : found;
    if (known !== undefined && !isSame(known, question)) throw new KeyError(known);
    if (known !== undefined) return known;
    if (this.#waiting.length >= MAX_WAITING) throw new BusyError();
    this.#count += 1;
    const job: GateJob = {
      id: `${ID_PREFIX}${this.#count}`,
      ...defined({ key }),
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

  /** The newest gate for a question, whether it has ended or not. */
  newest(question: GateQuestion): GateJob | undefined {
    return this.list().findLast((job) => job.byKeyOnly !== true && isSame(job, question));
  }

  list(): readonly GateJob[] {
    return [...this.#jobs.values()];
  }

  /** Resolves when no gate is running. */
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

  /** A gate that can't be run is inconclusive. */
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
