import type { Simulator } from '../../controller/scheduling/types.ts';
import { createParts } from '../../controller/parts.ts';
import { createReferenceTarget } from '../reference.ts';
import type { Mutant } from './mutant.ts';

/** Plans like the right one, for pools that do not limit a resource. */
function without(resource: 'cpu' | 'memory', right: Simulator): Simulator {
  return {
    simulate: (input) => {
      const pools = input.pools.map((pool) => {
        // The planted bug: what a pool limits of this resource is read and not compared.
        const { [resource]: _left, ...remaining } = pool.remaining;
        return { ...pool, remaining };
      });
      return right.simulate({ ...input, pools });
    },
  };
}

export const forgottenProcessors: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:forgotten-processors',
    summary: 'holds to the limits of its pools for memory and nodes, and not to those for processors',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: without('cpu', right.simulator) };
    },
  }),
  resembles: 'more processors than the limit of the pool allowed (karpenter-provider-aws#3215)',
  caughtBy: {
    scenario: 'provisioning/processor-limit',
    check: 'pool-limits',
    code: 'limit-exceeded',
    object: 'instance/*',
    seeds: 'every',
  },
};

export const forgottenMemory: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:forgotten-memory',
    summary: 'holds to the limits of its pools for processors and nodes, and not to those for memory',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: without('memory', right.simulator) };
    },
  }),
  resembles: 'memory beyond the limit of the pool (karpenter-provider-aws#1730)',
  caughtBy: { scenario: 'provisioning/memory-limit', check: 'pool-limits', code: 'limit-exceeded', object: 'instance/*', seeds: 'every' },
};
