import { createDisruption } from '../../../controller/disruption/disruption.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

export const ignoredPoolPolicy: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:ignored-pool-policy',
    summary: 'consolidates underused nodes also in pools that allow only empty nodes to be removed, or none',
    makeParts: (context) => {
      const right = createParts(context);
      // The planted bug: the pool's policy is not asked.
      return { ...right, disruption: createDisruption(context, right, { mayConsolidate: () => true }) };
    },
  }),
  resembles: 'pods were evicted from underused nodes where only empty nodes were to be consolidated (karpenter-provider-aws#7864)',
  caughtBy: {
    scenario: 'consolidation/used-nodes-kept',
    check: 'opt-outs',
    code: 'used-node-consolidated',
    object: 'nodes/*',
    seeds: 'every',
  },
};
