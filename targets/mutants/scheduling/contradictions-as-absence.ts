import { createParts } from '../../../controller/parts.ts';
import type { Pod } from '../../../model/kube.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';
import { requiredExpressions, withPodsAsSeen, withoutContradicted } from './as-seen.ts';

/** The planted bug: no value is left where a pod asks for two, and that is taken for a label that its node must not have. */
const emptied = (pod: Pod): Pod => withoutContradicted(pod, requiredExpressions(pod));

export const contradictionsAsAbsence: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:contradictions-as-absence',
    summary: 'takes two values that a pod asks for of one label for none: it gets a node without the label, and never runs there',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: withPodsAsSeen(right.simulator, emptied) };
    },
  }),
  resembles: 'nodes were launched again and again for a pod that could not run on them (karpenter-provider-aws#5406)',
  caughtBy: {
    scenario: 'scheduling/contradictory-labels',
    check: 'no-launch-for-impossible-pods',
    code: 'launch-for-impossible-pod',
    object: 'instance/*',
    seeds: 'every',
  },
};
