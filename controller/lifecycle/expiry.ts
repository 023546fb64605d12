import { logFailure } from '../../runtime/log.ts';
import { durationOf, isDeleting, nameOf, poolLabelsOf, timeOf } from '../api.ts';
import type { NodeClaim } from '../api.ts';
import { deleteClaim } from '../claims.ts';
import { RECONCILES_AT_ONCE } from '../constants.ts';
import type { Context } from '../context.ts';
import { forEachAtMost } from '../core/concurrency.ts';
import { describeError } from '../core/errors.ts';

/** The part that removes nodes that are older than their pool allows. */
export interface Expiry {
  /** One pass over all claims. */
  sweep(): Promise<void>;
}

/**
 * Expiration as in Karpenter: a claim is deleted at the age in its spec, regardless of its pool's budgets. The removal is graceful:
 * its node is drained, and its pods are planned again meanwhile.
 * Source: Karpenter, `pkg/controllers/nodeclaim/expiration/controller.go`, v1.8.
 */
export function createExpiry(context: Context): Expiry {
  return {
    sweep: async () => {
      const { state, runtime } = context;
      const nowMs = runtime.clock.nowMs();
      const expired = state.claims.list().filter((claim) => !isDeleting(claim) && nowMs >= expiresAtMs(claim));
      await forEachAtMost(RECONCILES_AT_ONCE, expired, async (claim) => {
        // One that can't be deleted now must not block the others.
        await expire(context, claim).catch((error: unknown) => {
          logFailure(runtime.log, 'warn', `expiry: ${describeError(error)}`, error, { claim: nameOf(claim) });
        });
      });
    },
  };
}

async function expire(context: Context, claim: NodeClaim): Promise<void> {
  await deleteClaim(context, claim, `it is older than ${claim.spec.expireAfter ?? ''}`);
  context.metrics.nodeClaimsDisrupted.inc({ reason: 'expired', ...poolLabelsOf(claim) });
}

/** When a claim expires, in ms since the epoch; Infinity for never. */
function expiresAtMs({ metadata, spec }: NodeClaim): number {
  if (spec.expireAfter === undefined || spec.expireAfter === 'Never') return Infinity;
  return (timeOf(metadata.creationTimestamp) ?? Infinity) + durationOf(spec.expireAfter);
}
