import { createDisruption } from '../../../controller/disruption/disruption.ts';
import type { DisruptionRules } from '../../../controller/disruption/disruption.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

export const stalePlan: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:stale-plan',
    summary: 'carries out a consolidation as planned, even if pods have landed on the nodes since',
    makeParts: (context) => {
      const right = createParts(context);
      const rules: Partial<DisruptionRules> = {
        // The planted bug: the plan is neither validated after its delay nor checked when the node was tainted.
        validate: (found) => Promise.resolve(found),
        isUnchanged: () => true,
      };
      return { ...right, disruption: createDisruption(context, right, rules) };
    },
  }),
  resembles:
    'pods that were scheduled to a node after it was chosen were removed with it (kubernetes-sigs/karpenter#3185, autoscaler#3886)',
  caughtBy: {
    scenario: 'consolidation/pods-arrive-meanwhile',
    check: 'undisturbed',
    code: 'node-taken',
    object: 'nodes/*',
    seeds: 'every',
    needs: 'interleaving',
  },
};
