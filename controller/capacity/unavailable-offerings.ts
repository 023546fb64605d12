import { formatOffering } from '../../model/catalogue.ts';
import type { Offering } from '../../model/catalogue.ts';
import type { Clock } from '../../runtime/clock.ts';

/** Offerings that are left alone for a while, because EC2 had no capacity when they were last asked for. */
export interface UnavailableOfferings {
  /** Leaves the offering alone for `ttlMs` from now, or longer if that was said before. */
  mark(offering: Offering, ttlMs: number): void;
  has(offering: Offering): boolean;
}

/** In memory only: after a restart everything is tried again. */
export function createUnavailableOfferings(clock: Clock): UnavailableOfferings {
  return new ExpiringOfferings(clock);
}

class ExpiringOfferings implements UnavailableOfferings {
  readonly #clock: Clock;
  /** End of the wait by offering, in ms since the epoch. Bounded by the number of offerings. */
  readonly #untilMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  mark(offering: Offering, ttlMs: number): void {
    const key = formatOffering(offering);
    const untilMs = this.#clock.nowMs() + ttlMs;
    if (untilMs > (this.#untilMs.get(key) ?? 0)) this.#untilMs.set(key, untilMs);
  }

  has(offering: Offering): boolean {
    const key = formatOffering(offering);
    const untilMs = this.#untilMs.get(key);
    if (untilMs === undefined) return false;
    if (untilMs > this.#clock.nowMs()) return true;
    this.#untilMs.delete(key);
    return false;
  }
}
