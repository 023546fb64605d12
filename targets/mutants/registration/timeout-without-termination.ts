import { KARPENTER, isTrue } from '../../../controller/api.ts';
import { patchClaim } from '../../../controller/claims.ts';
import type { Context } from '../../../controller/context.ts';
import type { Terminator } from '../../../controller/lifecycle/terminator.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';
import { noCollection } from '../no-collection.ts';

/** Removes claims like the correct one, but without the instance if the node never registered. */
function forgetting(context: Context, right: Terminator): Terminator {
  return {
    terminate: async (claim) => {
      const isRegistered = isTrue(claim.status?.conditions, 'Registered');
      if (isRegistered || claim.status?.providerID === undefined) return right.terminate(claim);
      // The planted bug: without a node it assumes that there is nothing to terminate.
      const finalizers = (claim.metadata.finalizers ?? []).filter((name) => name !== KARPENTER.finalizer);
      await patchClaim(context, claim, { metadata: { finalizers } });
      return undefined;
    },
    terminateNode: (node) => right.terminateNode(node),
  };
}

export const timeoutWithoutTermination: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:timeout-without-termination',
    summary: 'deletes a claim whose node did not register in time, but leaves its instance running',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, terminator: forgetting(context, right.terminator), collector: noCollection };
    },
  }),
  resembles: 'nodes that did not register in time were abandoned, and their instances kept running (autoscaler#6810)',
  caughtBy: {
    scenario: 'registration/never-registers',
    check: 'no-leaked-instances',
    code: 'leaked-instance',
    object: 'instance/*',
    seeds: 'every',
  },
};
