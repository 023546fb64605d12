import { nameOf } from '../../../controller/api.ts';
import type { Context } from '../../../controller/context.ts';
import { createParts } from '../../../controller/parts.ts';
import type { Simulator } from '../../../controller/scheduling/types.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Plans like the correct one, but only with registered nodes. */
function registeredOnly({ state }: Context, right: Simulator): Simulator {
  return {
    simulate: (input) => {
      // The planted bug: a pending pod gets one more node in each round, until the first one has registered.
      const onTheirWay = new Set(state.claims.list().map(nameOf));
      return right.simulate({ ...input, nodes: input.nodes.filter(({ name }) => !onTheirWay.has(name)) });
    },
  };
}

export const repeatedLaunch: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:repeated-launch',
    summary: 'does not count launches in progress: it launches a new one for the same pod every few seconds',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: registeredOnly(context, right.simulator) };
    },
  }),
  resembles: 'a new node every twenty seconds for one pod (karpenter-provider-aws#2821, #7800)',
  caughtBy: {
    scenario: 'crashes/restarted-under-load',
    check: 'runaway-capacity',
    code: 'launched-twice',
    object: 'instance/*',
    seeds: 'every',
  },
};
