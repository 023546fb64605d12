import { createParts } from '../../../controller/parts.ts';
import type { Simulator } from '../../../controller/scheduling/types.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Plans like the correct one, but first reads every spread constraint without a nil check. */
function panicking(right: Simulator): Simulator {
  return {
    simulate: (input) => {
      const selectors = input.pods.flatMap(({ spec }) => (spec.topologySpreadConstraints ?? []).map(({ labelSelector }) => labelSelector));
      // The planted bug: a constraint may have no selector, and the rejected promise is not awaited.
      if (selectors.includes(undefined)) void Promise.reject(new TypeError('invalid memory address: labelSelector'));
      return right.simulate(input);
    },
  };
}

export const nilSelector: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:nil-selector',
    summary: 'panics at a spread constraint without a label selector, after every start',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: panicking(right.simulator) };
    },
  }),
  resembles: 'a panic at a nil labelSelector (karpenter-provider-aws#8496)',
  caughtBy: { scenario: 'scheduling/spread-without-selector', check: 'target-alive', code: 'exited', object: 'target', seeds: 'every' },
};
