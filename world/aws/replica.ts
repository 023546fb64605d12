import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import type { Heal, StaleReadPort } from '../ports.ts';

/**
 * How late a change becomes visible without a fault: mostly at once, now and then up to two seconds later. EC2 promises only
 * eventual consistency, and advises to wait "starting with a couple of seconds" and "up to five minutes".
 * Source: "Eventual consistency in the Amazon EC2 API".
 */
export const READ_LAG: ReadLag = { probability: 0.1, maxMs: 2_000 };

/** How often a change becomes visible late, and by how much at most. */
export interface ReadLag {
  readonly probability: number;
  readonly maxMs: number;
}

type Delay = Omit<Parameters<StaleReadPort['delay']>[0], 'resources'>;

/** A state of an object, and when reads see it. */
interface Version<T> {
  /** Absent: deleted. */
  readonly value: T | undefined;
  readonly seenFromMs: number;
  /** Delays that faults add. */
  readonly late: readonly { readonly delay: Delay; readonly seenFromMs: number }[];
}

/**
 * What requests see of changing objects: each change only some time after it happened, in order, so that reads never go
 * backwards. Real reads may alternate between copies of different age; these don't.
 */
export class Replica<T> {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #lag: ReadLag;
  /** For each object, the visible version and later ones, oldest first. Bounded by the objects that live or changed recently. */
  readonly #versions = new Map<string, Version<T>[]>();
  readonly #delays = new Set<Delay>();

  constructor(clock: Clock, random: Random, lag: ReadLag) {
    this.#clock = clock;
    this.#random = random;
    this.#lag = lag;
  }

  /** Delays when changes become visible, from now on, until undone. */
  delay(delay: Delay): Heal {
    const armed = { ...delay };
    this.#delays.add(armed);
    return () => void this.#delays.delete(armed);
  }

  /** Whether a fault makes reads stale. */
  get isDelayed(): boolean {
    return this.#delays.size > 0;
  }

  /** Adds an object that has always existed: every read sees it. */
  found(id: string, value: T): void {
    this.#versions.set(id, [{ value, seenFromMs: Number.NEGATIVE_INFINITY, late: [] }]);
  }

  /** Writes a change; `undefined`: deleted. */
  write(id: string, value: T | undefined): void {
    const nowMs = this.#clock.nowMs();
    const lagMs = this.#random.chance(this.#lag.probability) ? this.#random.int(0, this.#lag.maxMs) : 0;
    const late = [...this.#delays].map((delay) => ({ delay, seenFromMs: nowMs + this.#random.int(0, delay.maxMs) }));
    const versions = this.#versions.get(id) ?? [];
    this.#versions.set(id, [...versions, { value, seenFromMs: nowMs + lagMs, late }]);
    this.#prune(id);
  }

  /** Forgets an object completely. */
  forget(id: string): void {
    this.#versions.delete(id);
  }

  /**
   * An object as a read sees it now.
   * @param span of the request that reads
   * @param part what the read shows of an object, if anything: a fault that hides nothing of it has not fired
   */
  read(id: string, span: number, part?: (value: T) => readonly unknown[]): T | undefined {
    const versions = this.#versions.get(id) ?? [];
    const nowMs = this.#clock.nowMs();
    const seen = this.#seen(versions, nowMs);
    const partOf = (version: Version<T> | undefined): readonly unknown[] | undefined =>
      version?.value === undefined ? [] : part?.(version.value);
    const due = versions.findLast(({ seenFromMs }) => seenFromMs <= nowMs);
    if (part === undefined || !isDeepStrictEqual(partOf(versions[seen]), partOf(due)))
      this.#reportHidden(versions, seen, nowMs, span, () => true);
    return versions[seen]?.value;
  }

  /** Whether a request that changes an object finds it. */
  knows(id: string, span: number): boolean {
    const versions = this.#versions.get(id) ?? [];
    if (![...this.#delays].some(({ mutations }) => mutations)) return versions.at(-1)?.value !== undefined;
    const nowMs = this.#clock.nowMs();
    const seen = this.#seen(versions, nowMs);
    const isKnown = versions[seen]?.value !== undefined;
    if (!isKnown) this.#reportHidden(versions, seen, nowMs, span, ({ mutations }) => mutations);
    return isKnown;
  }

  /** The index of the visible version; -1 if the object is not visible yet. */
  #seen(versions: readonly Version<T>[], nowMs: number): number {
    const hidden = versions.findIndex((version) => nowMs < this.#seenFromMs(version));
    return hidden === -1 ? versions.length - 1 : hidden - 1;
  }

  #seenFromMs({ seenFromMs, late }: Version<T>): number {
    return Math.max(seenFromMs, ...late.filter(({ delay }) => this.#delays.has(delay)).map((one) => one.seenFromMs));
  }

  /** A fault hid the next version, which would be visible without it. */
  #reportHidden(versions: readonly Version<T>[], seen: number, nowMs: number, span: number, which: (delay: Delay) => boolean): void {
    const next = versions[seen + 1];
    if (next === undefined || next.seenFromMs > nowMs) return;
    for (const { delay, seenFromMs } of next.late) if (this.#delays.has(delay) && seenFromMs > nowMs && which(delay)) delay.fired(span);
  }

  /** Drops versions that will never be visible again. */
  #prune(id: string): void {
    const versions = this.#versions.get(id) ?? [];
    const seen = this.#seen(versions, this.#clock.nowMs());
    if (seen > 0) this.#versions.set(id, versions.slice(seen));
  }
}
