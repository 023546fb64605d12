import { isDeleting } from '../../../controller/api.ts';
import { createDisruption } from '../../../controller/disruption/disruption.ts';
import { createEmptiness } from '../../../controller/disruption/emptiness.ts';
import { createParts } from '../../../controller/parts.ts';
import type { Simulator } from '../../../controller/scheduling/types.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Plans like the correct one, but only for pods that exist now. */
function withoutStopping(right: Simulator): Simulator {
  // The planted bug: a StatefulSet recreates these as soon as they are gone.
  return { simulate: (input) => right.simulate({ ...input, pods: input.pods.filter((pod) => !isDeleting(pod)) }) };
}

export const forgetsStoppingPods: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:forgets-stopping-pods',
    summary: 'removes replacements as empty while the pods that they were launched for still stop elsewhere',
    makeParts: (context) => {
      const right = createParts(context);
      const simulator = withoutStopping(right.simulator);
      const disruption = createDisruption(context, { validator: right.validator, simulator });
      return { ...right, simulator, disruption, emptiness: createEmptiness(context, disruption) };
    },
  }),
  resembles: 'no node was planned for pods of a StatefulSet that still stop, although they come back (karpenter#789)',
  caughtBy: {
    scenario: 'consolidation/drifted-stateful-set',
    check: 'runaway-capacity',
    code: 'launched-twice',
    object: 'instance/*',
    seeds: 'every',
  },
};
