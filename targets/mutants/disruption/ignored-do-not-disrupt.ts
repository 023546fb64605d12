import { createDisruption } from '../../../controller/disruption/disruption.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

export const ignoredDoNotDisrupt: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:ignored-do-not-disrupt',
    summary: 'consolidates nodes with pods that are marked as do-not-disrupt',
    makeParts: (context) => {
      const right = createParts(context);
      // The planted bug: the annotation is honoured when draining, but not when choosing nodes.
      return { ...right, disruption: createDisruption(context, right, { veto: () => undefined }) };
    },
  }),
  resembles: 'nodes were chosen although a pod on them must not be disrupted, and drained forever (kubernetes-sigs/karpenter#1168, #2704)',
  caughtBy: {
    scenario: 'consolidation/do-not-disrupt-pod',
    check: 'opt-outs',
    code: 'opted-out-pod-disturbed',
    object: 'pods/default/*',
    seeds: 'every',
  },
};
