import { createDisruption } from '../../../controller/disruption/disruption.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

export const endlessConsolidation: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:endless-consolidation',
    summary: 'replaces nodes again and again, even if the replacement costs the same',
    makeParts: (context) => {
      const right = createParts(context);
      // The planted bug: a replacement need not be cheaper.
      return { ...right, disruption: createDisruption(context, right, { cheaper: (launch) => launch }) };
    },
  }),
  resembles: 'consolidation endlessly replaced nodes by equivalent ones (karpenter-provider-aws#3921, kubernetes-sigs/karpenter#1293)',
  caughtBy: {
    scenario: 'consolidation/nothing-fits',
    check: 'runaway-capacity',
    code: 'launched-twice',
    object: 'instance/*',
    seeds: 'every',
  },
};
