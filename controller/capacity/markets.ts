import type { Offering } from '../../model/catalogue.ts';
import type { Clock } from '../../runtime/clock.ts';
import { DOUBTED_BY_FAMILIES, DOUBTED_BY_TYPES, DOUBTED_BY_ZONES, DOUBTED_SIZE_RATIO, PROBE_PERIOD_MS } from '../constants.ts';
import type { NodeType } from './instance-types.ts';

/**
 * What answers of EC2 say about offerings that were not requested. A market is all that a zone has of a capacity type (for one
 * architecture, bare metal and accelerators apart), or a family in all zones. Where many kinds of offerings were refused lately, and
 * none launched since, it is doubtful that others have capacity, unless they are much smaller: they are requested only for what nothing
 * else can serve, one request at a time. Nothing is excluded: each of them has its turn, and a doubt ends by itself.
 */
export interface Markets {
  /** EC2 had no capacity for them. */
  refused(offerings: readonly Offering[]): void;
  /** It had capacity for this one: its markets are not doubtful any more. */
  launched(offering: Offering): void;
  isDoubtful(offering: Offering): boolean;
  /** When it was last refused, by the monotonic clock in ms; 0 if it never was. */
  refusedAtMs(offering: Offering): number;
  /** How long until offerings of doubtful markets may be requested again, in ms; 0 if they may be now. */
  probeInMs(): number;
  /** They are about to be requested. */
  probe(): void;
}

/** A doubt that has ended is raised again by the next refusal until so many times the memory have passed, not only by many. */
const NEWS_OF_A_DOUBT = 3;

/** What counts about a type. */
type MarketType = Pick<NodeType, 'architecture' | 'isExotic' | 'capacity'>;

/**
 * In memory only: after a restart no market is doubtful.
 * @param typeOf a type by its name; undefined if it is not known, and then nothing is concluded for or from it
 * @param memoryMs how long a refusal counts
 */
export function createMarkets(clock: Clock, typeOf: (name: string) => MarketType | undefined, memoryMs: number): Markets {
  return new RememberedMarkets(clock, typeOf, memoryMs);
}

class RememberedMarkets implements Markets {
  readonly #clock: Clock;
  readonly #typeOf: (name: string) => MarketType | undefined;
  readonly #memoryMs: number;
  /** By their keys. Bounded by the numbers of zones and families. */
  readonly #zones = new Map<string, Market>();
  readonly #families = new Map<string, Market>();
  /** By the monotonic clock in ms, by offering. Bounded by the number of offerings. */
  readonly #refusedAtMs = new Map<string, number>();
  /** What an offering's market is called: plans ask for thousands of them. */
  readonly #keys = new WeakMap<Offering, Keys>();
  #probeFromMs = -Infinity;

  constructor(clock: Clock, typeOf: (name: string) => MarketType | undefined, memoryMs: number) {
    this.#clock = clock;
    this.#typeOf = typeOf;
    this.#memoryMs = memoryMs;
  }

  refused(offerings: readonly Offering[]): void {
    const nowMs = this.#clock.monotonicMs();
    const news = new Set(offerings.filter((offering) => !this.isDoubtful(offering)));
    for (const offering of offerings) {
      const key = offeringKey(offering);
      this.#refusedAtMs.set(key, nowMs);
      const keys = this.#keysOf(offering);
      if (keys === undefined) continue;
      const { family, ofFamily, zone, vcpu } = keys;
      const market = marketOf(this.#zones, zone, [DOUBTED_BY_FAMILIES]);
      market.add(key, { witnesses: [family], vcpu, atMs: nowMs });
      if (news.has(offering)) market.newsAtMs = nowMs;
      const familyMarket = marketOf(this.#families, ofFamily, [DOUBTED_BY_TYPES, DOUBTED_BY_ZONES]);
      familyMarket.add(key, { witnesses: [offering.instanceType, offering.zone], vcpu, atMs: nowMs });
    }
    // The answer that raised a doubt counts as a probe.
    if (news.size > 0 && offerings.some((offering) => this.isDoubtful(offering))) this.probe();
  }

  launched(offering: Offering): void {
    this.#families.delete(familyKey(offering));
    const keys = this.#keysOf(offering);
    if (keys !== undefined) this.#zones.delete(keys.zone);
  }

  isDoubtful(offering: Offering): boolean {
    if (this.#zones.size === 0 && this.#families.size === 0) return false;
    const keys = this.#keysOf(offering);
    if (keys === undefined) return false;
    const { vcpu } = keys;
    if (this.#isRaised(this.#families.get(keys.ofFamily), vcpu, this.#memoryMs)) return true;
    const sinceMs = this.#clock.monotonicMs() - this.#memoryMs;
    // Whoever could use others does not resort to these instead.
    if (keys.isExotic && (this.#raisedIn(keys.ordinaryZone, vcpu)?.lastAtMs() ?? -Infinity) > sinceMs) return true;
    const market = this.#raisedIn(keys.zone, vcpu);
    if (market === undefined) return false;
    // Pods that can use few families may wait for them for long: what these say about other families has to be renewed by those.
    return Math.max(market.newsAtMs, market.lastAtMs(keys.family)) > sinceMs;
  }

  refusedAtMs(offering: Offering): number {
    return this.#refusedAtMs.get(offeringKey(offering)) ?? 0;
  }

  probeInMs(): number {
    return Math.max(0, this.#probeFromMs - this.#clock.monotonicMs());
  }

  probe(): void {
    this.#probeFromMs = this.#clock.monotonicMs() + PROBE_PERIOD_MS;
  }

  /** @param forMs how long refusals count */
  #isRaised(market: Market | undefined, vcpu: number, forMs: number): boolean {
    return market !== undefined && market.raisedAtMs(vcpu) > this.#clock.monotonicMs() - forMs;
  }

  /** The market of a zone, if a doubt about it has been raised. */
  #raisedIn(zone: string, vcpu: number): Market | undefined {
    const market = this.#zones.get(zone);
    return this.#isRaised(market, vcpu, this.#memoryMs * NEWS_OF_A_DOUBT) ? market : undefined;
  }

  /** @returns undefined as long as its type is not known */
  #keysOf(offering: Offering): Keys | undefined {
    const known = this.#keys.get(offering);
    if (known !== undefined) return known;
    const type = this.#typeOf(offering.instanceType);
    if (type === undefined) return undefined;
    const { isExotic } = type;
    const keys = {
      family: familyOf(offering.instanceType),
      ofFamily: familyKey(offering),
      zone: zoneKey(offering, type),
      ordinaryZone: zoneKey(offering, { ...type, isExotic: false }),
      vcpu: type.capacity['cpu'] ?? 0,
      isExotic,
    };
    this.#keys.set(offering, keys);
    return keys;
  }
}

/** What of an offering matters here. */
interface Keys {
  readonly family: string;
  /** The key of its family's market. */
  readonly ofFamily: string;
  /** The key of its zone's market. */
  readonly zone: string;
  /** The key of the same market of types that are not exotic. */
  readonly ordinaryZone: string;
  readonly vcpu: number;
  readonly isExotic: boolean;
}

/** An offering that was refused. */
interface Refusal {
  /** One of each kind that the market needs. */
  readonly witnesses: readonly string[];
  readonly vcpu: number;
  /** By the monotonic clock, in ms. */
  readonly atMs: number;
}

/** What speaks against a market. Times are by the monotonic clock in ms, -Infinity for never. */
class Market {
  /** How many witnesses of each kind raise a doubt. */
  readonly #needed: readonly number[];
  /** The latest of each offering. */
  readonly #refusals = new Map<string, Refusal>();
  /** By the first kind of witness. */
  readonly #lastAtMs = new Map<string, number>();
  #latestAtMs = -Infinity;
  /** Cached results by size, until there are more refusals. */
  readonly #raisedAtMs = new Map<number, number>();
  /** When an offering was last refused that was not doubtful until then. */
  newsAtMs = -Infinity;

  constructor(needed: readonly number[]) {
    this.#needed = needed;
  }

  add(offering: string, refusal: Refusal): void {
    this.#refusals.set(offering, refusal);
    this.#lastAtMs.set(refusal.witnesses[0] ?? '', refusal.atMs);
    this.#latestAtMs = refusal.atMs;
    this.#raisedAtMs.clear();
  }

  /** The last refusal. @param witness of the first kind, by default any */
  lastAtMs(witness?: string): number {
    return (witness === undefined ? this.#latestAtMs : this.#lastAtMs.get(witness)) ?? -Infinity;
  }

  /** The latest time since which there have been enough refusals of offerings that are not much larger. */
  raisedAtMs(vcpu: number): number {
    const known = this.#raisedAtMs.get(vcpu);
    if (known !== undefined) return known;
    const counting = [...this.#refusals.values()].filter((refusal) => refusal.vcpu <= DOUBTED_SIZE_RATIO * vcpu);
    const ofKinds = this.#needed.map((needed, kind) => {
      const last = new Map<string, number>();
      for (const { witnesses, atMs } of counting) {
        const witness = witnesses[kind] ?? '';
        last.set(witness, Math.max(atMs, last.get(witness) ?? 0));
      }
      return [...last.values()].sort((a, b) => b - a)[needed - 1] ?? -Infinity;
    });
    const raisedAtMs = Math.min(...ofKinds);
    this.#raisedAtMs.set(vcpu, raisedAtMs);
    return raisedAtMs;
  }
}

function marketOf(markets: Map<string, Market>, key: string, needed: readonly number[]): Market {
  const market = markets.get(key) ?? new Market(needed);
  markets.set(key, market);
  return market;
}

function offeringKey({ capacityType, instanceType, zone }: Offering): string {
  return `${capacityType} ${instanceType} in ${zone}`;
}

function zoneKey({ capacityType, zone }: Offering, { architecture, isExotic }: MarketType): string {
  return `${capacityType} ${architecture}${isExotic ? ' exotic' : ''} in ${zone}`;
}

function familyKey({ capacityType, instanceType }: Offering): string {
  return `${capacityType} ${familyOf(instanceType)}`;
}

function familyOf(instanceType: string): string {
  return instanceType.slice(0, instanceType.indexOf('.'));
}
