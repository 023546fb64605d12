import type { Context } from '../../../controller/context.ts';
import type { ClaimOfferings } from '../../../controller/launch/claim-offerings.ts';
import { createLauncher } from '../../../controller/launch/launcher.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** The same offerings, all of them alike but for their price. */
function allOrdinary({ claimOfferings: right }: Context): ClaimOfferings {
  return {
    // The planted bug: some types have what no pod of the claim asked for.
    of: (claim) => right.of(claim).map((one) => ({ ...one, type: { ...one.type, isExotic: false } })),
  };
}

export const chosenByPrice: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:chosen-by-price',
    summary: 'launches whatever is cheapest, also GPU instances and bare metal for pods that need neither',
    makeParts: (context) => ({
      ...createParts(context),
      launcher: createLauncher({ ...context, claimOfferings: allOrdinary(context) }),
    }),
  }),
  resembles: 'instances with a GPU were launched for pods that request none, because they were cheaper (karpenter-provider-aws#8368)',
  caughtBy: {
    scenario: 'pools/gpu-pods',
    check: 'launches-within-pools',
    code: 'launch-from-wrong-pool',
    object: 'instance/*',
    seeds: 'every',
  },
};
