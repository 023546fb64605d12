import { nodePoolOf, uidOf } from '../api.ts';
import type { NodeClaim } from '../api.ts';

/**
 * The nodes that have been chosen for disruption, from the moment of the choice: between two reads of a budget a request may be
 * in flight, whose effect is in no cache yet. In memory only, like disruptions in progress.
 */
export interface Reservations {
  /** Whether a claim's node is reserved. */
  has(claim: NodeClaim): boolean;
  /** How many of a pool's nodes are reserved. */
  count(poolName: string): number;
  /**
   * Whether the removal of a claim's node is final. Until then it may be tainted but still stay: nominating pods to it keeps
   * it.
   */
  isSettled(claim: NodeClaim): boolean;
  /** Changes with each change: two reads with the same number saw the same. */
  readonly revision: number;
  /** Reserves them, not yet finally, whatever was before. */
  reserve(claims: readonly NodeClaim[]): void;
  settle(claims: readonly NodeClaim[]): void;
  release(claims: readonly NodeClaim[]): void;
}

/** Bounded by the cluster's claims, as long as callers release what they reserve. */
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
