import { NODE_POOL_LABEL } from '../../model/kube.ts';
import type { Node } from '../../model/kube.ts';
import { CONDITION, isTrue, timeOf } from '../api.ts';
import type { NodeClaim } from '../api.ts';
import type { Context } from '../context.ts';

/** How much longer a Node may take for each one of its pool that was overdue before it came. */
const PATIENCE_GROWTH = 4;

/**
 * Nodes of ours that should be ready by now but are not: they may never be, and their pods need others. If those are late as well, it
 * is likelier that the pool's nodes don't start at all than that another one helps: each waits longer than the ones before it. Which ones
 * were late before it came is by the server's times, which outlive a restart.
 */
export function overdueNodes(context: Context, nodes: readonly Node[], claimOf: (node: Node) => NodeClaim | undefined): ReadonlySet<Node> {
  const { runtime, periods, state } = context;
  const starting = nodes
    .filter((node) => isStarting(node, claimOf(node)))
    .map((node) => ({ node, pool: claimOf(node)?.metadata.labels?.[NODE_POOL_LABEL] ?? '', createdMs: createdAt(node) }))
    .sort((a, b) => a.createdMs - b.createdMs);
  const overdue = new Set<Node>();
  /** When they became overdue, by pool and the server's clock. */
  const since = new Map<string, number[]>();
  for (const { node, pool, createdMs } of starting) {
    const earlier = since.get(pool) ?? [];
    const before = earlier.filter((ms) => ms <= createdMs).length;
    const patienceMs = periods.readyPatienceMs * PATIENCE_GROWTH ** before;
    if (runtime.clock.monotonicMs() <= state.nodeSeenMs(node) + patienceMs) continue;
    overdue.add(node);
    since.set(pool, [...earlier, createdMs + patienceMs]);
  }
  return overdue;
}

function createdAt({ metadata }: Node): number {
  return timeOf(metadata.creationTimestamp) ?? 0;
}

function isStarting({ status }: Node, claim: NodeClaim | undefined): boolean {
  return claim !== undefined && !isTrue(claim.status?.conditions, CONDITION.initialized) && !isTrue(status?.conditions, 'Ready');
}
