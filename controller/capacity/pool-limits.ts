import { addResources, maxResources, parseResources, subtractResources } from '../../model/resources.ts';
import type { Resources } from '../../model/resources.ts';
import { isDeleting, nameOf, nodePoolOf, timeOf, uidOf } from '../api.ts';
import type { NodeClaim, NodePool } from '../api.ts';
import type { Context } from '../context.ts';
import { mayHaveInstance } from '../launch/attempt.ts';
import type { ClaimOffering } from '../launch/claim-offerings.ts';
import { isStatic } from '../provisioning/pool-spec.ts';

/** What the check needs. */
interface LimitSite extends Pick<Context, 'claimOfferings'> {
  readonly state: { readonly claims: Pick<Context['state']['claims'], 'list'>; readonly pools: Pick<Context['state']['pools'], 'get'> };
}

/** What is left of the pool's limits: its claims count with their type, or with the largest that they may become. */
export function remainingLimits(context: Context, pool: NodePool): Resources {
  const limits = parseResources(pool.spec.limits);
  if (Object.keys(limits).length === 0) return {};
  const left = subtractResources(limits, poolUsage(context, pool));
  return Object.fromEntries(Object.keys(limits).map((name) => [name, left[name] ?? 0]));
}

/** The total of a pool's claims, including `nodes`. */
export function poolUsage(context: Context, pool: NodePool): Resources {
  return totalOf(claimsOf(context.state.claims, pool).map((claim) => capacityOf(claim, () => largestOf(context.claimOfferings.of(claim)))));
}

/**
 * Whether a claim without an instance still keeps its pool's limits, beside those that may have one and those that are older. There was room
 * when it was created, but that may have taken effect long after its creator had given up and created another one instead: then the later
 * claim is one too many. Static pools are limited by nodes only.
 */
export function createLimitCheck({ state, claimOfferings }: LimitSite): (claim: NodeClaim) => boolean {
  // A thousand claims may be launched at once, and each asks about all others.
  const largest = new WeakMap<readonly ClaimOffering[], Resources>();
  const started = new WeakMap<NodeClaim, boolean>();
  const remembered = <K extends object, V>(known: WeakMap<K, V>, key: K, make: (key: K) => V): V => {
    const value = known.get(key) ?? make(key);
    known.set(key, value);
    return value;
  };
  const sizeOf = (claim: NodeClaim): Resources => capacityOf(claim, () => remembered(largest, claimOfferings.of(claim), largestOf));
  const isAhead = (other: NodeClaim, claim: NodeClaim): boolean =>
    remembered(started, other, mayHaveInstance) || (!isDeleting(other) && isOlder(other, claim));
  return (claim) => {
    const pool = state.pools.get(nodePoolOf(claim));
    if (pool?.spec.limits === undefined) return true;
    const limits = Object.entries(parseResources(pool.spec.limits)).filter(([name]) => !isStatic(pool) || name === 'nodes');
    const ahead = claimsOf(state.claims, pool).filter((other) => uidOf(other) !== uidOf(claim) && isAhead(other, claim));
    const used = totalOf([...ahead, claim].map(sizeOf));
    return limits.every(([name, limit]) => (used[name] ?? 0) <= limit);
  };
}

/** Of two of the same age one is taken as the older, always the same. */
function isOlder(one: NodeClaim, other: NodeClaim): boolean {
  const [ms, otherMs] = [createdMs(one), createdMs(other)];
  return ms === otherMs ? nameOf(one) < nameOf(other) : ms < otherMs;
}

function createdMs({ metadata }: NodeClaim): number {
  return timeOf(metadata.creationTimestamp) ?? 0;
}

function claimsOf(claims: LimitSite['state']['claims'], pool: NodePool): readonly NodeClaim[] {
  return claims.list().filter((claim) => nodePoolOf(claim) === nameOf(pool));
}

function totalOf(sizes: readonly Resources[]): Resources {
  return sizes.map((size) => ({ ...size, nodes: 1 })).reduce<Resources>(addResources, {});
}

/** @param largest what it may become at most, if it is no instance yet */
function capacityOf(claim: NodeClaim, largest: () => Resources): Resources {
  return claim.status?.capacity === undefined ? largest() : parseResources(claim.status.capacity);
}

function largestOf(offerings: readonly ClaimOffering[]): Resources {
  return [...new Set(offerings.map(({ type }) => type.capacity))].reduce<Resources>(maxResources, {});
}
