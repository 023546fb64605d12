import { KARPENTER, isTrue } from '../../../controller/api.ts';
import { patchClaim } from '../../../controller/claims.ts';
import type { Context } from '../../../controller/context.ts';
import type { Terminator } from '../../../controller/lifecycle/terminator.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';
import { noCollection } from '../no-collection.ts';

/** Ends claims like the right one, but those whose node never registered without their instance. */
function forgetting(context: Context, right: Terminator): Terminator {
  return {
    terminate: async (claim) => {
      const isRegistered = isTrue(claim.status?.conditions, 'Registered');
      if (isRegistered || claim.status?.providerID === undefined) return right.terminate(claim);
      // The planted bug: no node, so there is nothing to end.
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
    summary: 'gives up a claim whose node did not register in time, but leaves its instance running',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, terminator: forgetting(context, right.terminator), collector: noCollection };
    },
  }),
  resembles: 'nodes that did not register in time were given up and their instances ran on (autoscaler#6810)',
  caughtBy: {
    scenario: 'registration/never-registers',
    check: 'no-leaked-instances',
    code: 'leaked-instance',
    object: 'instance/*',
    seeds: 'every',
  },
};
