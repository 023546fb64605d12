import { formatOffering, selects } from '../../model/catalogue.ts';
import type { Offering } from '../../model/catalogue.ts';
import type { CapacityPort } from '../ports.ts';

type Limit = Parameters<CapacityPort['limit']>[0];
type Refusing = Parameters<CapacityPort['refuse']>[0];

/** A limit that a fault set, with what remains of it in each offering. */
export interface ArmedLimit {
  readonly limit: Limit;
  readonly left: Map<string, number>;
}

/** Room for one instance, taken from a pool. */
export interface Lease {
  /** The instance was terminated: the pool has room again. A limit stays used up. */
  release(): void;
  /** The launch failed: as if the room had never been taken. */
  undo(): void;
}

/** Finite capacity pools, and the limits that faults set on them. A pool never holds more than its depth. */
export class Capacity implements CapacityPort {
  readonly #depthOf: (offering: Offering) => number;
  readonly #pools = new Map<string, { readonly depth: number; used: number }>();
  readonly #limits = new Set<ArmedLimit>();
  readonly #refusing = new Set<Refusing>();

  /** @param depthOf instances that an unused offering holds */
  constructor(depthOf: (offering: Offering) => number) {
    this.#depthOf = depthOf;
  }

  limit(limit: Limit): () => void {
    const armed: ArmedLimit = { limit, left: new Map() };
    this.#limits.add(armed);
    return () => this.#limits.delete(armed);
  }

  refuse(refusing: Refusing): () => void {
    const armed = { ...refusing };
    this.#refusing.add(armed);
    return () => this.#refusing.delete(armed);
  }

  /** What refuses launches into an offering, whether or not there is room: the first that was armed. */
  refusingOf(offering: Offering): Refusing | undefined {
    return [...this.#refusing].find(({ selector }) => selects(selector, offering));
  }

  /** Room left in a pool, ignoring limits: what EC2's own allocation uses. */
  free(offering: Offering): number {
    const { depth, used } = this.#poolOf(offering);
    return depth - used;
  }

  /** The limits that currently keep an offering from launching one more instance. */
  limitsOn(offering: Offering): readonly ArmedLimit[] {
    const key = formatOffering(offering);
    return [...this.#limits].filter(({ limit, left }) => selects(limit.selector, offering) && (left.get(key) ?? limit.remaining) <= 0);
  }

  /** Takes room for one instance; undefined when the pool is empty or a limit forbids it. */
  take(offering: Offering): Lease | undefined {
    if (this.free(offering) <= 0 || this.limitsOn(offering).length > 0) return undefined;
    const pool = this.#poolOf(offering);
    const key = formatOffering(offering);
    const limits = [...this.#limits].filter(({ limit }) => selects(limit.selector, offering));
    for (const { limit, left } of limits) left.set(key, (left.get(key) ?? limit.remaining) - 1);
    pool.used += 1;
    return {
      release: () => {
        pool.used -= 1;
      },
      undo: () => {
        pool.used -= 1;
        for (const { limit, left } of limits) left.set(key, (left.get(key) ?? limit.remaining) + 1);
      },
    };
  }

  #poolOf(offering: Offering): { readonly depth: number; used: number } {
    const key = formatOffering(offering);
    let pool = this.#pools.get(key);
    if (pool === undefined) {
      pool = { depth: this.#depthOf(offering), used: 0 };
      this.#pools.set(key, pool);
    }
    return pool;
  }
}
