import type { Offering } from '../../../model/catalogue.ts';
import type { Capacity, Lease } from '../capacity.ts';
import { offeringAt } from '../room.ts';
import type { Room, Shortage } from '../room.ts';
import type { FleetPart } from './order.ts';
import type { FleetPool } from './pool.ts';
import type { Candidate } from './strategy.ts';

/** Room for one instance of a fleet. */
export interface Taken {
  readonly pool: FleetPool;
  readonly usdPerHour: number;
  readonly lease: Lease;
}

/** A pool that a fleet tried without success. */
export interface Tried {
  readonly pool: FleetPool;
  readonly shortage: Shortage;
}

/** Where the instances of one part of a fleet go. */
export interface FleetPlan {
  readonly taken: readonly Taken[];
  /** In the order in which they were tried. */
  readonly tried: readonly Tried[];
}

interface PlanSite {
  readonly capacity: Capacity;
  readonly room: Room;
  readonly usdPerHour: (pool: FleetPool, offering: Offering) => number;
}

/**
 * Takes room for the instances of a fleet one by one, each where its strategy wants it. This fleet does not try a failed pool
 * again but the next best one, until the target is met or no pool is left. EC2's allocation does not know the limits that
 * faults set: it tries such a pool like any other.
 */
export function planPart(site: PlanSite, part: FleetPart): FleetPlan {
  const { strategy, units } = part;
  const taken: Taken[] = [];
  const tried: Tried[] = [];
  const open = part.pools.map((pool) => {
    const offering = offeringOf(pool, part);
    return { pool, offering, usdPerHour: site.usdPerHour(pool, offering), taken: 0 };
  });
  const takenIn = new Map<string, number>();
  let fulfilled = 0;
  while (fulfilled < units && open.length > 0) {
    const candidates = open.map((one): Candidate => ({ ...one, free: site.capacity.free(one.offering) }));
    const { pool, usdPerHour } = strategy(candidates);
    const at = open.findIndex((one) => one.pool === pool);
    const chosen = open[at];
    if (chosen === undefined) break;
    const { subnet } = pool;
    const place = { type: pool.type, subnet, capacityType: part.capacityType };
    const room = site.room.take(place, takenIn.get(subnet.id) ?? 0);
    if ('kind' in room) {
      tried.push({ pool, shortage: room });
      open.splice(at, 1);
      continue;
    }
    taken.push({ pool, usdPerHour, lease: room });
    takenIn.set(subnet.id, (takenIn.get(subnet.id) ?? 0) + 1);
    chosen.taken += 1;
    fulfilled += pool.weight;
  }
  return { taken, tried };
}

/** The offering of a pool. */
export function offeringOf({ type, subnet }: FleetPool, { capacityType }: Pick<FleetPart, 'capacityType'>): Offering {
  return offeringAt({ type, subnet, capacityType });
}
