import { logFailure } from '../../runtime/log.ts';
import { isDeleting, nameOf, nodePoolOf, timeOf } from '../api.ts';
import type { NodeClaim } from '../api.ts';
import { deleteClaim } from '../claims.ts';
import { CLAIM_CREATES_AT_ONCE, RECONCILES_AT_ONCE } from '../constants.ts';
import type { Context } from '../context.ts';
import { forEachAtMost } from '../core/concurrency.ts';
import { describeError } from '../core/errors.ts';
import { OpenNode } from '../scheduling/open-node.ts';
import { groupOptions } from '../scheduling/option-group.ts';
import type { PlannedNode, PoolOptions } from '../scheduling/types.ts';
import { createClaim } from './new-claim.ts';
import { isNodePod, isTerminal } from './pods.ts';
import { PoolReader } from './pools.ts';
import { isStatic } from './pool-spec.ts';

/** The part that maintains the number of nodes of static pools. */
export interface StaticCapacity {
  /** One pass over all such pools. */
  sweep(): Promise<void>;
}

/**
 * Static capacity as in Karpenter: a pool with `replicas` has that many nodes, with pods or without. Nodes that are being deleted
 * don't count, so that lost or expired ones are replaced at once; of surplus nodes those without pods are removed first. A node
 * that is being replaced has its replacement beside it, which is not surplus.
 * Source: Karpenter, `pkg/controllers/static`, v1.8.
 */
export function createStaticCapacity(context: Context): StaticCapacity {
  const pools = new PoolReader(context);
  return {
    sweep: async () => {
      const options = new Map(pools.read(isStatic).map((pool) => [pool.name, pool]));
      for (const pool of context.state.pools.list()) {
        const { replicas } = pool.spec;
        const known = options.get(nameOf(pool));
        if (replicas === undefined || known === undefined) continue;
        // One that fails now must not block the others.
        await keep(context, known, replicas).catch((error: unknown) => {
          logFailure(context.runtime.log, 'warn', `static capacity: ${describeError(error)}`, error, { nodePool: known.name });
        });
      }
    },
  };
}

async function keep(context: Context, pool: PoolOptions, replicas: number): Promise<void> {
  const { state, reservations } = context;
  const isOf = (claim: NodeClaim): boolean => nodePoolOf(claim) === pool.name && !isDeleting(claim);
  const known = state.claims.list().filter(isOf).length;
  if (known >= replicas && known <= replicas + reservations.count(pool.name)) return;
  const { revision } = reservations;
  // Our cache may lack the most recent claim.
  const claims = (await state.freshClaims()).filter(isOf);
  // If reservations changed meanwhile, they don't match the list, whose exact time is unknown.
  const excess = revision === reservations.revision ? claims.length - replicas - reservations.count(pool.name) : 0;
  const spare = claims.filter((claim) => !reservations.has(claim));
  const surplus = dispensable(context, spare).slice(0, Math.max(0, excess));
  await forEachAtMost(RECONCILES_AT_ONCE, surplus, (claim) => deleteClaim(context, claim, `${pool.name} has more than ${replicas} nodes`));
  const missing = Math.max(0, Math.min(replicas - claims.length, pool.remaining['nodes'] ?? Infinity));
  const sure = Array.from({ length: missing }, () => planStaticNode(pool)).filter((launch) => launch !== undefined);
  const probe = missing > 0 && sure.length === 0 ? planStaticNode(pool, [...pool.options, ...pool.probes]) : undefined;
  const launches = probe === undefined ? sure : [probe];
  await forEachAtMost(CLAIM_CREATES_AT_ONCE, launches, async (launch) => {
    await createClaim(context, launch, 'static');
  });
}

/**
 * A node of such a pool, independent of pods; undefined if the pool has no available option now.
 * @param options by default those that are available
 */
export function planStaticNode(pool: PoolOptions, options = pool.options): PlannedNode | undefined {
  const node = new OpenNode(pool.name, pool, groupOptions(options));
  return options.length === 0 || node.isTooNarrow() ? undefined : node.finish();
}

/** Those without a Node first, then those without pods; among equals the youngest. */
function dispensable({ state }: Context, claims: readonly NodeClaim[]): NodeClaim[] {
  const worth = (claim: NodeClaim): number => {
    const [node] = state.nodesOf(claim.status?.providerID ?? '');
    if (node === undefined) return 0;
    return [...state.podsOn(nameOf(node))].some((pod) => !isNodePod(pod) && !isTerminal(pod)) ? 2 : 1;
  };
  const bornMs = (claim: NodeClaim): number => timeOf(claim.metadata.creationTimestamp) ?? 0;
  return [...claims].sort((a, b) => worth(a) - worth(b) || bornMs(b) - bornMs(a) || (nameOf(a) < nameOf(b) ? -1 : 1));
}
