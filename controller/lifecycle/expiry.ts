import { logFailure } from '../../runtime/log.ts';
import { durationOf, isDeleting, nameOf, poolLabelsOf, timeOf } from '../api.ts';
import type { NodeClaim } from '../api.ts';
import { deleteClaim } from '../claims.ts';
import { RECONCILES_AT_ONCE } from '../constants.ts';
import type { Context } from '../context.ts';
import { forEachAtMost } from '../core/concurrency.ts';
import { describeError } from '../core/errors.ts';

/** The part that lets no node grow older than its pool allows. */
export interface Expiry {
  /** One look at all claims. */
  sweep(): Promise<void>;
}

/**
 * Expiration as Karpenter's: a claim of the age that it was made with is deleted, whatever the budgets of its pool say. Its
 * end is a graceful one: its node is drained, and its pods are planned anew meanwhile.
 * Source: Karpenter, `pkg/controllers/nodeclaim/expiration/controller.go`, v1.8.
 */
export function createExpiry(context: Context): Expiry {
  return {
    sweep: async () => {
      const { state, runtime } = context;
      const nowMs = runtime.clock.nowMs();
      const expired = state.claims.list().filter((claim) => !isDeleting(claim) && nowMs >= expiresAtMs(claim));
      await forEachAtMost(RECONCILES_AT_ONCE, expired, async (claim) => {
        // One that can't be deleted now must not keep the others.
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

/** When a claim has to go, in ms since the epoch; Infinity for never. */
function expiresAtMs({ metadata, spec }: NodeClaim): number {
  if (spec.expireAfter === undefined || spec.expireAfter === 'Never') return Infinity;
  return (timeOf(metadata.creationTimestamp) ?? Infinity) + durationOf(spec.expireAfter);
}
