import { conditionOf } from '../../model/conditions.ts';
import type { Node } from '../../model/kube.ts';
import { formatTime } from '../../model/time.ts';
import { logFailure } from '../../runtime/log.ts';
import { RESOURCES } from '../../clients/resources.ts';
import { CONDITION, KARPENTER, isDeleting, isTrue, nameOf, nodePoolOf, poolLabelsOf, timeOf } from '../api.ts';
import type { NodeClaim } from '../api.ts';
import { deleteClaim, patchClaim } from '../claims.ts';
import { REPAIR_AFTER_MS, UNHEALTHY_PART_MAX } from '../constants.ts';
import type { Context } from '../context.ts';
import { describeError } from '../core/errors.ts';
import { isReadyNow } from './claimed-node.ts';

/** The part that removes nodes that do not recover. */
export interface Repairer {
  /** One pass over all nodes. */
  sweep(): Promise<void>;
}

interface RepairOptions {
  /** No node is repaired while a larger share of its pool is unhealthy. */
  readonly unhealthyPartMax?: number;
}

/**
 * Node repair as in Karpenter: a node that was Ready once and has not been for half an hour is removed without a drain, unless
 * more than a fifth of its pool is not Ready: then something else is wrong, and replacing nodes would not help.
 * Source: Karpenter, `pkg/controllers/node/health`, and the AWS provider's `RepairPolicies`, v1.8.
 */
export function createRepairer(context: Context, { unhealthyPartMax = UNHEALTHY_PART_MAX }: RepairOptions = {}): Repairer {
  return {
    sweep: async () => {
      const { state, runtime } = context;
      const members = state.claims.list().flatMap((claim) => {
        const [node] = state.nodesOf(claim.status?.providerID ?? '');
        return node === undefined || !isTrue(claim.status?.conditions, CONDITION.initialized) ? [] : [{ claim, node }];
      });
      for (const all of Map.groupBy(members, ({ claim }) => nodePoolOf(claim)).values()) {
        const unhealthy = all.filter(({ node }) => !isTrue(node.status?.conditions, 'Ready'));
        if (unhealthy.length > Math.ceil(all.length * unhealthyPartMax)) continue;
        for (const { claim, node } of unhealthy) {
          if (isDeleting(claim) || unhealthyForMs(node, runtime.clock.nowMs()) < REPAIR_AFTER_MS) continue;
          // One that can't be removed now must not block the others.
          await giveUp(context, claim, node).catch((error: unknown) => {
            logFailure(runtime.log, 'warn', `node repair: ${describeError(error)}`, error, { node: nameOf(node) });
          });
        }
      }
    },
  };
}

async function giveUp(context: Context, claim: NodeClaim, node: Node): Promise<void> {
  if (await isReadyNow(context, claim)) return;
  const now = formatTime(context.runtime.clock.nowMs());
  const patched = await patchClaim(context, claim, { metadata: { annotations: { [KARPENTER.terminationTime]: now } } });
  const message = `${nameOf(node)} has not been ready for ${REPAIR_AFTER_MS / 60_000} minutes`;
  context.reporter.publish({ type: RESOURCES.nodes, object: node, eventType: 'Warning', reason: 'NodeRepair', message });
  await deleteClaim(context, patched, message);
  const labels = poolLabelsOf(claim);
  context.metrics.nodeClaimsDisrupted.inc({ reason: 'unhealthy', ...labels });
  context.metrics.nodeClaimsUnhealthyDisrupted.inc({ condition: 'ready', image_id: claim.status?.imageID ?? '', ...labels });
}

function unhealthyForMs(node: Node, nowMs: number): number {
  return nowMs - (timeOf(conditionOf(node, 'Ready')?.lastTransitionTime) ?? nowMs);
}
