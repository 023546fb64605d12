import { createDrainer, firstGroup } from '../../../controller/lifecycle/drain.ts';
import { createTerminator } from '../../../controller/lifecycle/terminator.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

export const criticalPodsWait: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:critical-pods-wait',
    summary: 'asks critical pods to leave only when all others have left, also if one of these stays until the instance ends',
    // The planted bug: a pod that opted out holds them up.
    makeParts: (context) => ({ ...createParts(context), terminator: createTerminator(context, createDrainer(context, firstGroup)) }),
  }),
  resembles:
    'critical pods were killed with an interrupted instance, since a pod that nobody could evict came before them (karpenter#2217)',
  caughtBy: {
    scenario: 'interruption/critical-beside-opted-out',
    check: 'interruption-handled',
    code: 'pod-not-asked-to-leave',
    object: 'pods/default/critical-*',
    seeds: 'every',
  },
};
