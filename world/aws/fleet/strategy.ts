import type { CapacityType } from '../../../model/catalogue.ts';
import { invalidValue } from '../../../protocols/ec2/refusal.ts';
import type { FleetPool } from './pool.ts';

/** A pool as a strategy sees it. */
export interface Candidate {
  readonly pool: FleetPool;
  readonly usdPerHour: number;
  /** Instances that it can still hold, as far as EC2's own allocation knows. */
  readonly free: number;
  /** Instances that this fleet has taken from it. */
  readonly taken: number;
}

/** Pools with at least this share of the deepest one's room count as equally safe. */
const SAFE_SHARE = 0.5;

type Rank = (candidate: Candidate) => number;

const pricePerUnit: Rank = ({ usdPerHour, pool }) => usdPerHour / pool.weight;
const depth: Rank = ({ free }) => -free;
const priority: Rank = ({ pool }) => pool.override.Priority ?? Infinity;

/** Picks the pool for the next instance. @param candidates at least one */
export type Strategy = (candidates: readonly Candidate[]) => Candidate;

/**
 * Allocation strategies, one instance at a time; on a tie the first is taken. EC2 documents what they aim at, not how:
 * here, `price-capacity-optimized` takes the cheapest of the deep pools, where deep means at least half as deep as the
 * deepest; `capacity-optimized-prioritized` takes the one of highest priority among them.
 */
const STRATEGIES: Readonly<Record<CapacityType, Readonly<Record<string, Strategy>>>> = {
  'on-demand': {
    'lowest-price': (candidates) => lowest(candidates, pricePerUnit),
    prioritized: (candidates) => lowest(candidates, priority),
  },
  spot: {
    'lowest-price': (candidates) => lowest(candidates, pricePerUnit),
    diversified: (candidates) => lowest(candidates, ({ taken }) => taken),
    'capacity-optimized': (candidates) => lowest(candidates, depth),
    'capacity-optimized-prioritized': (candidates) => lowest(deepest(candidates), priority),
    'price-capacity-optimized': (candidates) => lowest(deepest(candidates), pricePerUnit),
  },
};

/** @throws Ec2Refusal for a strategy that does not exist for this capacity type */
export function strategyOf(name: string, capacityType: CapacityType): Strategy {
  const strategies = STRATEGIES[capacityType];
  const strategy = Object.hasOwn(strategies, name) ? strategies[name] : undefined;
  if (strategy === undefined) throw invalidValue(`Invalid value '${name}' for AllocationStrategy of ${capacityType} capacity`);
  return strategy;
}

function deepest(candidates: readonly Candidate[]): readonly Candidate[] {
  const most = Math.max(...candidates.map(({ free }) => free));
  return candidates.filter(({ free }) => free >= most * SAFE_SHARE);
}

/** The first candidate with the lowest rank. */
function lowest(candidates: readonly Candidate[], rank: Rank): Candidate {
  return candidates.reduce((best, candidate) => (rank(candidate) < rank(best) ? candidate : best));
}
