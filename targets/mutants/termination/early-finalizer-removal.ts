import { patchClaim } from '../../../controller/claims.ts';
import type { Context } from '../../../controller/context.ts';
import type { Terminator } from '../../../controller/lifecycle/terminator.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';
import { noCollection } from '../no-collection.ts';

/** Removes claims like the correct one, but releases a claim without a recorded instance at once. */
function hasty(context: Context, right: Terminator): Terminator {
  return {
    terminate: async (claim) => {
      if (claim.status?.providerID !== undefined) return right.terminate(claim);
      // The planted bug: its launch may be in progress, and then nothing will know the instance.
      await patchClaim(context, claim, { metadata: { finalizers: [] } });
      return undefined;
    },
    terminateNode: (node) => right.terminateNode(node),
  };
}

export const earlyFinalizerRemoval: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:early-finalizer-removal',
    summary: 'removes the finalizer of a claim that is deleted while its launch is in progress: a race that only some seeds expose',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, terminator: hasty(context, right.terminator), collector: noCollection };
    },
  }),
  resembles: 'a claim deleted right after its launch left its instance behind (karpenter-provider-aws#7684, karpenter#1944)',
  caughtBy: {
    scenario: 'provisioning/pool-deleted-during-launch',
    check: 'no-leaked-instances',
    code: 'leaked-instance',
    object: 'instance/*',
    seeds: 'some',
    needs: 'interleaving',
  },
};
