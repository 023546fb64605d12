import { CONDITION, isTrue, nameOf } from '../../../controller/api.ts';
import { deleteClaim } from '../../../controller/claims.ts';
import type { Context } from '../../../controller/context.ts';
import { createParts } from '../../../controller/parts.ts';
import { logFailure } from '../../../runtime/log.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Looks for empty nodes right from the start. */
function lookWhileFilling(context: Context): void {
  const { state, runtime } = context;
  const look = (): void => {
    if (state.isSynced()) return;
    for (const claim of state.claims.list()) {
      if (!isTrue(claim.status?.conditions, CONDITION.initialized)) continue;
      const [node] = state.nodesOf(claim.status?.providerID ?? '');
      // The planted bug: nodes have been listed, but possibly not pods.
      if (node === undefined || [...state.podsOn(nameOf(node))].length > 0) continue;
      deleteClaim(context, claim, 'its node is empty').catch((error: unknown) => {
        logFailure(runtime.log, 'warn', "can't remove an empty node", error, { claim: nameOf(claim) });
      });
    }
  };
  state.nodes.onChange(look);
  state.claims.onChange(look);
}

export const consolidatesBeforeSync: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:consolidates-before-sync',
    summary: 'looks for empty nodes before it has listed pods: after a restart all nodes may look empty',
    makeParts: (context) => {
      lookWhileFilling(context);
      return createParts(context);
    },
  }),
  resembles: 'every node looked empty right after a start, and they were deleted in bulk (autoscaler#446)',
  caughtBy: {
    scenario: 'crashes/restarted-under-load',
    check: 'runaway-capacity',
    code: 'launched-twice',
    object: 'instance/*',
    seeds: 'some',
    needs: 'interleaving',
  },
};
