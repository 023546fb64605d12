import { createParts } from '../../../controller/parts.ts';
import { findShortfall } from '../../../controller/scheduling/minimum-values.ts';
import type { Simulator } from '../../../controller/scheduling/types.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';
import { overAllPools } from './spread-over-foreign-zones.ts';

/** Plans like the correct one, but each spread also needs the zones of pools from which nothing can be launched. */
function overUnusablePools(right: Simulator): Simulator {
  const faulty = overAllPools(right);
  return {
    simulate: (input) => {
      // The planted bug: only zones where a node can be launched count.
      const isUnusable = input.pools.some(({ minimums, options }) => findShortfall(minimums, options) !== undefined);
      return (isUnusable ? faulty : right).simulate(input);
    },
  };
}

export const spreadOverUnusableZones: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:spread-over-unusable-zones',
    summary:
      'counts zones for a spread that only pools have whose minimum of types is not met: pods wait for nodes that cannot be launched',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: overUnusablePools(right.simulator) };
    },
  }),
  resembles: 'a misconfigured pool decided over which zones unrelated pods were spread (karpenter-provider-aws#8637)',
  caughtBy: {
    scenario: 'scheduling/spread-beside-unusable-pool',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/web-*',
    seeds: 'every',
  },
};
