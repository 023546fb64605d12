import { createDisruption } from '../../../controller/disruption/disruption.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

export const driftWaitsForPods: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:drift-waits-for-pods',
    summary: 'replaces no drifted node while other pods wait for a launch',
    makeParts: (context) => {
      const right = createParts(context);
      // The planted bug: the node may be what keeps them from being launched for.
      return { ...right, disruption: createDisruption(context, right, { othersOfDrifted: 'placed' }) };
    },
  }),
  resembles:
    'drifted nodes that stayed for good because not all pods would schedule without them (kubernetes-sigs/karpenter#2984); the reference did so, too',
  caughtBy: {
    scenario: 'consolidation/drift-with-waiting-pods',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/web-*',
    seeds: 'every',
  },
};
