import type { InstanceType, Offering } from '../../model/catalogue.ts';
import type { Catalogue } from '../../model/instance-catalogue.ts';
import type { Random } from '../../runtime/random.ts';

/** Spot prices stay between these shares of the on-demand price. */
const SPOT_SHARE = { min: 0.25, max: 0.6 } as const;
/** How much of a spot price's range is the pool's own level; the rest drifts. */
const LEVEL_WEIGHT = 0.7;
/** A pool's spot price changes this often, each pool at its own moment ... */
export const SPOT_PRICE_STEP_MS = 3_600_000;
/** ... and drifts from one drawn value to the next within this many steps. */
const STEPS_PER_DRIFT = 12;
/** Instances that a pool holds. Generous: scenarios that need scarcity use an explicit fault. */
const DEPTH = { spot: { min: 50, max: 400 }, 'on-demand': { min: 500, max: 2_000 } } as const;

/** A spot price and when it took effect. */
export interface SpotPrice {
  readonly usdPerHour: number;
  readonly sinceMs: number;
}

/** One number in [0, 1) for each type in each zone. */
type Draw = (offering: { readonly instanceType: string; readonly zone: string }) => number;

/**
 * Prices and pool depths: pure functions of offering, time, catalogue and the random stream's name (so of the seed). A
 * spot price is `onDemand x (0.25 + 0.35 x (0.7 x level + 0.3 x drift))`, level and drift in [0, 1), to four decimals:
 * the level is drawn once for each pool, the drift moves in a straight line between values drawn for every twelve hours.
 * Depths do not change over time. Nothing here is EC2's real market, whose workings are not published.
 *
 * Draws are made for all pools at once, in the order of the catalogue: listing all prices needs thousands.
 */
export class Market {
  readonly #random: Random;
  readonly #catalogue: Catalogue;
  /** Indexes of types in the catalogue. */
  readonly #places: ReadonlyMap<string, number>;
  readonly #level: Draw;
  readonly #phase: Draw;
  readonly #depth: Readonly<Record<Offering['capacityType'], Draw>>;
  /** Bounded by the time that a trial spans. */
  readonly #knots = new Map<number, Draw>();

  constructor(random: Random, catalogue: Catalogue) {
    this.#random = random;
    this.#catalogue = catalogue;
    this.#places = new Map([...catalogue.types.keys()].map((type, place) => [type, place]));
    this.#level = this.#draw('level');
    this.#phase = this.#draw('phase');
    this.#depth = { spot: this.#draw('spot depth'), 'on-demand': this.#draw('on-demand depth') };
  }

  /** What an instance launched now costs. */
  usdPerHour(type: InstanceType, offering: Offering, atMs: number): number {
    return offering.capacityType === 'spot' ? this.spotPrice(type, offering.zone, atMs).usdPerHour : type.onDemandUsdPerHour;
  }

  /** The spot price in force. */
  spotPrice(type: InstanceType, zone: string, atMs: number): SpotPrice {
    const pool = { instanceType: type.type, zone };
    const level = this.#level(pool);
    const phaseMs = Math.floor(this.#phase(pool) * SPOT_PRICE_STEP_MS);
    const step = Math.floor((atMs - phaseMs) / SPOT_PRICE_STEP_MS);
    const knot = Math.floor(step / STEPS_PER_DRIFT);
    const from = this.#knot(knot)(pool);
    const to = this.#knot(knot + 1)(pool);
    const drift = from + (to - from) * (step / STEPS_PER_DRIFT - knot);
    const share = SPOT_SHARE.min + (SPOT_SHARE.max - SPOT_SHARE.min) * (LEVEL_WEIGHT * level + (1 - LEVEL_WEIGHT) * drift);
    return {
      usdPerHour: Math.round(type.onDemandUsdPerHour * share * 10_000) / 10_000,
      sinceMs: phaseMs + step * SPOT_PRICE_STEP_MS,
    };
  }

  /** Instances that an unused pool holds. Only pools of the catalogue are requested. */
  depth(offering: Offering): number {
    const { min, max } = DEPTH[offering.capacityType];
    return min + Math.floor(this.#depth[offering.capacityType](offering) * (max - min + 1));
  }

  #knot(number: number): Draw {
    let draw = this.#knots.get(number);
    if (draw === undefined) {
      draw = this.#draw(`knot ${number}`);
      this.#knots.set(number, draw);
    }
    return draw;
  }

  #draw(what: string): Draw {
    const { types, zones } = this.#catalogue;
    const random = this.#random.fork(what);
    const numbers = Float64Array.from({ length: types.size * zones.length }, () => random.next());
    return ({ instanceType, zone }) => {
      const place = (this.#places.get(instanceType) ?? 0) * zones.length + Math.max(zones.indexOf(zone), 0);
      return numbers[place] ?? 0;
    };
  }
}
