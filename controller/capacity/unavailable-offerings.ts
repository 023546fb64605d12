import type { Offering } from '../../model/catalogue.ts';
import type { Clock } from '../../runtime/clock.ts';
import { quotaOf } from './quota.ts';

/** What has no capacity: an offering, or all offerings that match the given fields. At least one is given. */
export interface Unavailable {
  readonly instanceType?: string;
  readonly zone?: string;
  readonly capacityType?: Offering['capacityType'];
  /** Types that share a vCPU quota, by the name from `quotaOf`. */
  readonly quota?: string;
}

/** Offerings that are avoided for a while, because EC2 had no capacity at the last request. */
export interface UnavailableOfferings {
  /** Avoids them for `ttlMs` from now, or longer if that was set before. */
  mark(what: Unavailable, ttlMs: number): void;
  has(offering: Offering): boolean;
}

/** In memory only: after a restart everything is tried again. */
export function createUnavailableOfferings(clock: Clock): UnavailableOfferings {
  return new ExpiringOfferings(clock);
}

class ExpiringOfferings implements UnavailableOfferings {
  readonly #clock: Clock;
  /** When they may be tried again, by the monotonic clock, by offering. Bounded by the number of offerings. */
  readonly #untilMs = new Map<string, number>();
  /** What each offering may be marked by: plans ask for thousands of them. */
  readonly #keysOf = new WeakMap<Offering, readonly string[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  mark(what: Unavailable, ttlMs: number): void {
    const key = keyOf(what);
    const untilMs = this.#clock.monotonicMs() + ttlMs;
    if (untilMs > (this.#untilMs.get(key) ?? 0)) this.#untilMs.set(key, untilMs);
  }

  has(offering: Offering): boolean {
    if (this.#untilMs.size === 0) return false;
    const keys = this.#keysOf.get(offering) ?? keysOf(offering);
    this.#keysOf.set(offering, keys);
    return keys.some((key) => this.#holds(key));
  }

  #holds(key: string): boolean {
    const untilMs = this.#untilMs.get(key);
    if (untilMs === undefined) return false;
    if (untilMs > this.#clock.monotonicMs()) return true;
    this.#untilMs.delete(key);
    return false;
  }
}

function keysOf({ instanceType, zone, capacityType }: Offering): readonly string[] {
  return [{ instanceType, zone, capacityType }, { capacityType }, { zone }, { capacityType, quota: quotaOf(instanceType) }].map(keyOf);
}

function keyOf({ instanceType, zone, capacityType, quota }: Unavailable): string {
  return `${capacityType ?? ''}:${instanceType ?? ''}:${zone ?? ''}:${quota ?? ''}`;
}
