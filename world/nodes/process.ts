import type { Clock } from '../../runtime/clock.ts';
import { ClusterError } from '../ports.ts';
import { Tasks } from '../tasks.ts';

/** Between two attempts at a request that the cluster refused. */
const RETRY_MS = 5_000;
/** Status codes that are not retried by default: the object is gone, or was changed by someone else. */
const FINAL: readonly number[] = [404, 409];

/**
 * The process of a kubelet: its work ends with the machine, and pauses while the process is dead. Work that was due meanwhile
 * is done when it runs again, as a restarted kubelet catches up.
 */
export class Process {
  readonly #tasks: Tasks;
  #dead: { readonly sinceMs: number; readonly revived: Promise<void>; readonly revive: () => void } | undefined;
  readonly #clock: Clock;

  /** @param signal ends with the machine */
  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#tasks = new Tasks(clock, signal);
    // Work that waits for the process must end with the machine.
    this.#tasks.signal.addEventListener('abort', () => this.revive(), { once: true });
  }

  /** Aborted when the machine is off. */
  get signal(): AbortSignal {
    return this.#tasks.signal;
  }

  /** When it died, milliseconds since the Unix epoch; undefined while it runs. */
  get deadSinceMs(): number | undefined {
    return this.#dead?.sinceMs;
  }

  kill(): void {
    if (this.#dead !== undefined) return;
    let revive = (): void => undefined;
    const revived = new Promise<void>((resolve) => (revive = resolve));
    this.#dead = { sinceMs: this.#clock.nowMs(), revived, revive };
  }

  revive(): void {
    const dead = this.#dead;
    this.#dead = undefined;
    dead?.revive();
  }

  /** Runs work concurrently, retried while the cluster refuses it. */
  start(work: () => Promise<unknown>): void {
    this.#tasks.start(() => this.retryUntilAccepted(work));
  }

  /** The same after a delay. */
  after(delayMs: number, work: () => Promise<unknown>): void {
    this.#tasks.after(delayMs, () => this.retryUntilAccepted(work));
  }

  /**
   * Does something as soon as the process runs, retried while the cluster refuses it; not at all when the machine is off.
   * @param final status codes that are not retried
   */
  async retryUntilAccepted(work: () => Promise<unknown>, final = FINAL): Promise<void> {
    for (;;) {
      while (this.#dead !== undefined) await this.#dead.revived;
      if (this.signal.aborted) return;
      try {
        await work();
        return;
      } catch (error) {
        if (!(error instanceof ClusterError)) throw error;
        if (final.includes(error.status)) return;
      }
      await this.#clock.sleep(RETRY_MS, this.signal);
    }
  }

  /** Work that is not the process's own: it continues while the process is dead. */
  startIndependent(work: () => Promise<void>): void {
    this.#tasks.start(work);
  }

  /** Resolves when the machine is off and nothing is under way; rejects with the first error. */
  done(): Promise<void> {
    return this.#tasks.done();
  }
}
