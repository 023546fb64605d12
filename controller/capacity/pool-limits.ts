import { addResources, maxResources, parseResources, subtractResources } from '../../model/resources.ts';
import type { Resources } from '../../model/resources.ts';
import { isDeleting, nameOf, nodePoolOf, timeOf, uidOf } from '../api.ts';
import type { NodeClaim, NodePool } from '../api.ts';
import type { Context } from '../context.ts';
import { mayHaveInstance } from '../launch/attempt.ts';

/** What is left of the pool's limits: its claims count with their type, or with the largest that they may become. */
export function remainingLimits(context: Context, pool: NodePool): Resources {
  const limits = parseResources(pool.spec.limits);
  if (Object.keys(limits).length === 0) return {};
  const left = subtractResources(limits, poolUsage(context, pool));
  return Object.fromEntries(Object.keys(limits).map((name) => [name, left[name] ?? 0]));
}

/** The total of a pool's claims, including `nodes`. */
export function poolUsage(context: Context, pool: NodePool): Resources {
  return usageOf(context, claimsOf(context, pool));
}

/**
 * Whether a claim that has launched nothing leaves its pool's limits as they are. They had room when it was created, but that may have
 * taken effect long after its creator had given up and created another one instead: then the later claim is one too many.
 */
export function isWithinLimits(context: Context, claim: NodeClaim): boolean {
  const pool = context.state.pools.get(nodePoolOf(claim));
  if (pool?.spec.limits === undefined) return true;
  const ahead = claimsOf(context, pool).filter((other) => uidOf(other) !== uidOf(claim) && isAhead(other, claim));
  const used = usageOf(context, [...ahead, claim]);
  return Object.entries(parseResources(pool.spec.limits)).every(([name, limit]) => (used[name] ?? 0) <= limit);
}

/** Whether it comes first: because it may have an instance already, or because it is older. */
function isAhead(other: NodeClaim, claim: NodeClaim): boolean {
  if (mayHaveInstance(other)) return true;
  if (isDeleting(other)) return false;
  const theirs = timeOf(other.metadata.creationTimestamp) ?? 0;
  const own = timeOf(claim.metadata.creationTimestamp) ?? 0;
  return theirs === own ? nameOf(other) < nameOf(claim) : theirs < own;
}

function claimsOf({ state }: Context, pool: NodePool): readonly NodeClaim[] {
  return state.claims.list().filter((claim) => nodePoolOf(claim) === nameOf(pool));
}

function usageOf(context: Context, claims: readonly NodeClaim[]): Resources {
  return claims.map((claim) => ({ ...claimCapacity(context, claim), nodes: 1 })).reduce<Resources>(addResources, {});
}

function claimCapacity(context: Context, claim: NodeClaim): Resources {
  if (claim.status?.capacity !== undefined) return parseResources(claim.status.capacity);
  return context.claimOfferings
    .of(claim)
    .map(({ type }) => type.capacity)
    .reduce<Resources>(maxResources, {});
}
