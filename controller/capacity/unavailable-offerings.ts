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

/**
 * In memory only: after a restart everything is tried again.
 * @param typesOfDryMarket if this many types of a capacity type lack capacity in a zone at once, the others are taken to lack it too
 */
export function createUnavailableOfferings(clock: Clock, typesOfDryMarket = TYPES_OF_A_DRY_MARKET): UnavailableOfferings {
  return new ExpiringOfferings(clock, typesOfDryMarket);
}

/** A region has a thousand types: asking for them all takes longer than the first ones are avoided. A fleet names twenty in each of three zones. */
const TYPES_OF_A_DRY_MARKET = 64;

class ExpiringOfferings implements UnavailableOfferings {
  readonly #clock: Clock;
  readonly #typesOfDryMarket: number;
  /** When they may be tried again, in ms since the epoch, by offering. Bounded by the number of offerings. */
  readonly #untilMs = new Map<string, number>();
  /** The types that are avoided by themselves, by their market (capacity type and zone). */
  readonly #typesOf = new Map<string, Set<string>>();

  constructor(clock: Clock, typesOfDryMarket: number) {
    this.#clock = clock;
    this.#typesOfDryMarket = typesOfDryMarket;
  }

  mark(what: Unavailable, ttlMs: number): void {
    const key = keyOf(what);
    const untilMs = this.#clock.nowMs() + ttlMs;
    if (untilMs > (this.#untilMs.get(key) ?? 0)) this.#untilMs.set(key, untilMs);
    const { instanceType, zone, capacityType } = what;
    if (instanceType === undefined || zone === undefined || capacityType === undefined) return;
    const market = keyOf({ zone, capacityType });
    const types = this.#typesOf.get(market) ?? new Set();
    this.#typesOf.set(market, types.add(key));
    if (types.size < this.#typesOfDryMarket) return;
    for (const type of types) if (!this.#holds(type)) types.delete(type);
    if (types.size >= this.#typesOfDryMarket) this.mark({ zone, capacityType }, ttlMs);
  }

  has({ instanceType, zone, capacityType }: Offering): boolean {
    if (this.#untilMs.size === 0) return false;
    return (
      this.#holds(keyOf({ instanceType, zone, capacityType })) ||
      this.#holds(keyOf({ capacityType })) ||
      this.#holds(keyOf({ zone })) ||
      this.#holds(keyOf({ zone, capacityType })) ||
      this.#holds(keyOf({ capacityType, quota: quotaOf(instanceType) }))
    );
  }

  #holds(key: string): boolean {
    const untilMs = this.#untilMs.get(key);
    if (untilMs === undefined) return false;
    if (untilMs > this.#clock.nowMs()) return true;
    this.#untilMs.delete(key);
    return false;
  }
}

function keyOf({ instanceType, zone, capacityType, quota }: Unavailable): string {
  return `${capacityType ?? ''}:${instanceType ?? ''}:${zone ?? ''}:${quota ?? ''}`;
}
