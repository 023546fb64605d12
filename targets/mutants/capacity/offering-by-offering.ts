import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';
import { withoutMarkets } from './without-markets.ts';

export const offeringByOffering: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:offering-by-offering',
    summary: 'learns of a capacity type that is gone everywhere only offering by offering',
    // The planted bug: refusals say nothing about other offerings. Provisioning hears of none, since only launchers report them.
    makeParts: (context) => createParts(withoutMarkets(context)),
  }),
  resembles: 'without spot capacity it took half an hour until a pod had a node (karpenter-provider-aws#5578, karpenter#2275)',
  caughtBy: {
    scenario: 'capacity/spot-gone-one-named',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/*',
    seeds: 'every',
  },
};
