import { createDisruption } from '../../../controller/disruption/disruption.ts';
import type { DisruptionRules } from '../../../controller/disruption/disruption.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

export const removesBeforeReplacementReady: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:removes-before-replacement-ready',
    summary: 'removes a node as soon as its replacement instance is launched, whether or not that becomes a node',
    makeParts: (context) => {
      const right = createParts(context);
      // The planted bug: an instance is not a node yet.
      const isReady: DisruptionRules['isReady'] = ({ status }) => status?.providerID !== undefined;
      return { ...right, disruption: createDisruption(context, right, { isReady }) };
    },
  }),
  resembles:
    'nodes were drained before their replacements took pods, and a broken image rolled through the fleet (karpenter-provider-aws#3979)',
  caughtBy: {
    scenario: 'consolidation/replacement-never-registers',
    check: 'undisturbed',
    code: 'node-taken',
    object: 'nodes/*',
    seeds: 'every',
  },
};
