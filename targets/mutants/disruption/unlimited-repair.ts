import { createParts } from '../../../controller/parts.ts';
import { createRepairer } from '../../../controller/lifecycle/repair.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

export const unlimitedRepair: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:unlimited-repair',
    summary: 'replaces every node that is not Ready for half an hour, even if that is true for all of them',
    // The planted bug: however many nodes are unhealthy, they are taken for the cause.
    makeParts: (context) => ({ ...createParts(context), repairer: createRepairer(context, { unhealthyPartMax: 1 }) }),
  }),
  resembles: 'node repair that does not notice an outage makes it worse (karpenter#3031)',
  caughtBy: {
    scenario: 'disruption/all-kubelets-silent',
    check: 'runaway-capacity',
    code: 'launched-twice',
    object: 'instance/*',
    seeds: 'every',
  },
};
