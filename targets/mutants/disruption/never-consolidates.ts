import { createDisruption } from '../../../controller/disruption/disruption.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

export const neverConsolidates: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:never-consolidates',
    summary: 'finds nodes to consolidate, but drops each plan when it validates it: no node is ever consolidated',
    makeParts: (context) => {
      const right = createParts(context);
      // The planted bug: every plan is invalid.
      return { ...right, disruption: createDisruption(context, right, { validate: () => Promise.resolve(undefined) }) };
    },
  }),
  resembles: 'almost empty nodes were not consolidated, although their pods had room elsewhere (karpenter-provider-aws#3753)',
  caughtBy: {
    scenario: 'consolidation/underused-node',
    check: 'consolidation',
    code: 'underused-node',
    object: 'nodes/*',
    seeds: 'every',
  },
};
