import { createParts } from '../../../controller/parts.ts';
import type { PlannedNode, Simulator } from '../../../controller/scheduling/types.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';
import { requiredExpressions } from './as-seen.ts';

/** The planted bug: the number next to a pod's bound is taken, although the pool may exclude it. */
function nextToBounds(launch: PlannedNode): PlannedNode {
  const labels = { ...launch.labels };
  for (const { key, operator, values = [] } of launch.pods.flatMap(requiredExpressions)) {
    if (!(key in labels)) continue;
    if (operator === 'Gt') labels[key] = String(Number(values[0]) + 1);
    if (operator === 'Lt') labels[key] = String(Number(values[0]) - 1);
  }
  return { ...launch, labels };
}

function withoutExclusions(right: Simulator): Simulator {
  return {
    simulate: (input) => {
      const plan = right.simulate(input);
      return { ...plan, launches: plan.launches.map(nextToBounds) };
    },
  };
}

export const excludedLabelValues: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:excluded-label-values',
    summary: 'gives nodes the number next to what their pods ask for, also if the pool excludes it, and then replaces them for it',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: withoutExclusions(right.simulator) };
    },
  }),
  resembles: 'nodes whose label was not as their pool required were replaced again and again (karpenter-provider-azure#205)',
  caughtBy: {
    scenario: 'scheduling/open-label-bounds',
    check: 'runaway-capacity',
    code: 'launched-twice',
    object: 'instance/*',
    seeds: 'every',
  },
};
