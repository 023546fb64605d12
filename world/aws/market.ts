import type { InstanceType, Offering } from '../../model/catalogue.ts';
import { formatOffering } from '../../model/catalogue.ts';
import type { Random } from '../../runtime/random.ts';

/** Spot prices stay between these shares of the on-demand price. */
const SPOT_SHARE = { min: 0.25, max: 0.6 } as const;
/** How much of a spot price's range is the pool's own level; the rest drifts. */
const LEVEL_WEIGHT = 0.7;
/** A pool's spot price changes this often, each pool at its own moment ... */
export const SPOT_PRICE_STEP_MS = 3_600_000;
/** ... and drifts from one drawn value to the next within so many steps. */
const STEPS_PER_DRIFT = 12;
/** Instances that a pool holds. Generous: what scenarios lack is taken away by a fault, by name. */
const DEPTH = { spot: { min: 50, max: 400 }, 'on-demand': { min: 500, max: 2_000 } } as const;

/** A spot price and when it came into force. */
export interface SpotPrice {
  readonly usdPerHour: number;
  readonly sinceMs: number;
}

/**
 * Prices and pool depths: pure functions of offering, time and the random stream's name (so of the seed). A spot price
 * is `onDemand x (0.25 + 0.35 x (0.7 x level + 0.3 x drift))`, level and drift in [0, 1), to four decimals: the level is
 * drawn once for each pool, the drift moves in a straight line between values drawn for every twelve hours. Depths do
 * not change over time. Nothing here is EC2's real market, whose workings are not published.
 */
export class Market {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** What an instance that is launched now costs. */
  usdPerHour(type: InstanceType, offering: Offering, atMs: number): number {
    return offering.capacityType === 'spot' ? this.spotPrice(type, offering.zone, atMs).usdPerHour : type.onDemandUsdPerHour;
  }

  /** The spot price in force. */
  spotPrice(type: InstanceType, zone: string, atMs: number): SpotPrice {
    const pool = this.#random.fork(`spot/${type.type}/${zone}`);
    const level = pool.next();
    const phaseMs = pool.int(0, SPOT_PRICE_STEP_MS - 1);
    const step = Math.floor((atMs - phaseMs) / SPOT_PRICE_STEP_MS);
    const knot = Math.floor(step / STEPS_PER_DRIFT);
    const from = pool.fork(String(knot)).next();
    const to = pool.fork(String(knot + 1)).next();
    const drift = from + (to - from) * (step / STEPS_PER_DRIFT - knot);
    const share = SPOT_SHARE.min + (SPOT_SHARE.max - SPOT_SHARE.min) * (LEVEL_WEIGHT * level + (1 - LEVEL_WEIGHT) * drift);
    return {
      usdPerHour: Math.round(type.onDemandUsdPerHour * share * 10_000) / 10_000,
      sinceMs: phaseMs + step * SPOT_PRICE_STEP_MS,
    };
  }

  /** Instances that a pool holds while nobody uses it; a pool that the catalogue does not have is asked for by nobody. */
  depth(offering: Offering): number {
    const { min, max } = DEPTH[offering.capacityType];
    return this.#random.fork(`depth/${formatOffering(offering)}`).int(min, max);
  }
}
