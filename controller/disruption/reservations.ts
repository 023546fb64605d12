import { nodePoolOf, uidOf } from '../api.ts';
import type { NodeClaim } from '../api.ts';

/**
 * The nodes that somebody has chosen to take, from the choice on: between two looks at a budget there may be a request under
 * way, and what it does is in no copy of ours yet. In memory only, as what is under way is.
 */
export interface Reservations {
  /** Whether a claim's node is one of them. */
  has(claim: NodeClaim): boolean;
  /** How many of a pool's nodes are among them. */
  count(poolName: string): number;
  /**
   * Whether it is settled that a claim's node goes. Until then it may have been tainted and stay all the same: what is planned onto it
   * keeps it.
   */
  isSettled(claim: NodeClaim): boolean;
  /** Another number after each change: two looks with the same number saw the same. */
  readonly revision: number;
  /** Nothing is settled of them, whatever was before. */
  reserve(claims: readonly NodeClaim[]): void;
  settle(claims: readonly NodeClaim[]): void;
  release(claims: readonly NodeClaim[]): void;
}

/** Bounded by the cluster's claims: who reserves them releases them. */
export function createReservations(): Reservations {
  /** Names of pools, by claim uid. */
  const pools = new Map<string, string>();
  const settled = new Set<string>();
  let revision = 0;
  return {
    has: (claim) => pools.has(uidOf(claim)),
    count: (poolName) => [...pools.values()].filter((name) => name === poolName).length,
    isSettled: (claim) => settled.has(uidOf(claim)),
    get revision() {
      return revision;
    },
    reserve: (claims) => {
      revision += 1;
      for (const claim of claims) {
        pools.set(uidOf(claim), nodePoolOf(claim));
        settled.delete(uidOf(claim));
      }
    },
    settle: (claims) => {
      for (const claim of claims) settled.add(uidOf(claim));
    },
    release: (claims) => {
      revision += 1;
      for (const claim of claims) {
        pools.delete(uidOf(claim));
        settled.delete(uidOf(claim));
      }
    },
  };
}
