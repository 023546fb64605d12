import { createDisruption } from '../../../controller/disruption/disruption.ts';
import { createParts } from '../../../controller/parts.ts';
import type { PodToPlace, Simulator } from '../../../controller/scheduling/types.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Plans like the correct one, but pods may go wherever there is room. */
function withoutSpreads(right: Simulator): Simulator {
  const planned = ({ spec, ...pod }: PodToPlace): PodToPlace => ({ ...pod, spec: { ...spec, topologySpreadConstraints: [] } });
  return { simulate: (input) => right.simulate({ ...input, pods: input.pods.map(planned) }) };
}

export const movesDespiteSpread: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:moves-despite-spread',
    summary: 'removes nodes whose pods may go nowhere else, because of their spread, and launches the next ones',
    makeParts: (context) => {
      const right = createParts(context);
      // The planted bug: the scheduler asks pods that move for their spread again.
      return { ...right, disruption: createDisruption(context, { ...right, simulator: withoutSpreads(right.simulator) }) };
    },
  }),
  resembles: 'nodes were removed and launched again without end, since the plan did not count what the scheduler counts (autoscaler#9287)',
  caughtBy: {
    scenario: 'consolidation/required-spread',
    check: 'runaway-capacity',
    code: 'launched-twice',
    object: 'instance/*',
    seeds: 'every',
  },
};
