import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import type { Heal, StaleReadPort } from '../ports.ts';

/**
 * How late a change is seen when nothing is wrong: mostly at once, now and then by up to two seconds. EC2 promises no more
 * than to be consistent in the end, and advises to wait "starting with a couple of seconds" and "up to five minutes".
 * Source: "Eventual consistency in the Amazon EC2 API".
 */
export const READ_LAG: ReadLag = { probability: 0.1, maxMs: 2_000 };

/** How often a change is seen late, and by how much at most. */
export interface ReadLag {
  readonly probability: number;
  readonly maxMs: number;
}

type Delay = Omit<Parameters<StaleReadPort['delay']>[0], 'resources'>;

/** A state of a thing, and from when reads see it. */
interface Version<T> {
  /** Absent: it is gone. */
  readonly value: T | undefined;
  readonly seenFromMs: number;
  /** What a fault makes of it. */
  readonly late: readonly { readonly delay: Delay; readonly seenFromMs: number }[];
}

/**
 * What requests see of things that change: each change only a lag after it happened, in order, so that what was seen
 * once is never unseen. Real reads may go back and forth between copies of different age; these don't.
 */
export class Replica<T> {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #lag: ReadLag;
  /** Of each thing what is seen now and what will be, oldest first. Bounded by what lives and changed lately. */
  readonly #versions = new Map<string, Version<T>[]>();
  readonly #delays = new Set<Delay>();

  constructor(clock: Clock, random: Random, lag: ReadLag) {
    this.#clock = clock;
    this.#random = random;
    this.#lag = lag;
  }

  /** Lets changes from now on be seen late, until undone. */
  delay(delay: Delay): Heal {
    const armed = { ...delay };
    this.#delays.add(armed);
    return () => void this.#delays.delete(armed);
  }

  /** A thing has always been there: every read sees it. */
  found(id: string, value: T): void {
    this.#versions.set(id, [{ value, seenFromMs: Number.NEGATIVE_INFINITY, late: [] }]);
  }

  /** A thing has changed; `undefined`: it is gone. */
  write(id: string, value: T | undefined): void {
    const nowMs = this.#clock.nowMs();
    const lagMs = this.#random.chance(this.#lag.probability) ? this.#random.int(0, this.#lag.maxMs) : 0;
    const late = [...this.#delays].map((delay) => ({ delay, seenFromMs: nowMs + this.#random.int(0, delay.maxMs) }));
    const versions = this.#versions.get(id) ?? [];
    this.#versions.set(id, [...versions, { value, seenFromMs: nowMs + lagMs, late }]);
    this.#prune(id);
  }

  /** Forgets a thing altogether. */
  forget(id: string): void {
    this.#versions.delete(id);
  }

  /** A thing as a read sees it now. @param span of the request that reads */
  read(id: string, span: number): T | undefined {
    const versions = this.#versions.get(id) ?? [];
    const nowMs = this.#clock.nowMs();
    const seen = this.#seen(versions, nowMs);
    this.#tell(versions, seen, nowMs, span, () => true);
    return versions[seen]?.value;
  }

  /** Whether a request that changes a thing knows it. */
  knows(id: string, span: number): boolean {
    const versions = this.#versions.get(id) ?? [];
    if (![...this.#delays].some(({ mutations }) => mutations)) return versions.at(-1)?.value !== undefined;
    const nowMs = this.#clock.nowMs();
    const seen = this.#seen(versions, nowMs);
    const isKnown = versions[seen]?.value !== undefined;
    if (!isKnown) this.#tell(versions, seen, nowMs, span, ({ mutations }) => mutations);
    return isKnown;
  }

  /** The place of the version that is seen; -1 where the thing is not seen at all yet. */
  #seen(versions: readonly Version<T>[], nowMs: number): number {
    const hidden = versions.findIndex((version) => nowMs < this.#seenFromMs(version));
    return hidden === -1 ? versions.length - 1 : hidden - 1;
  }

  #seenFromMs({ seenFromMs, late }: Version<T>): number {
    return Math.max(seenFromMs, ...late.filter(({ delay }) => this.#delays.has(delay)).map((one) => one.seenFromMs));
  }

  /** A fault hid the next version, which would be seen without it. */
  #tell(versions: readonly Version<T>[], seen: number, nowMs: number, span: number, which: (delay: Delay) => boolean): void {
    const next = versions[seen + 1];
    if (next === undefined || next.seenFromMs > nowMs) return;
    for (const { delay, seenFromMs } of next.late) if (this.#delays.has(delay) && seenFromMs > nowMs && which(delay)) delay.fired(span);
  }

  /** Drops what will never be seen again. */
  #prune(id: string): void {
    const versions = this.#versions.get(id) ?? [];
    const seen = this.#seen(versions, this.#clock.nowMs());
    if (seen > 0) this.#versions.set(id, versions.slice(seen));
  }
}
