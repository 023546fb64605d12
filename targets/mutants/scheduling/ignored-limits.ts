import type { Simulator } from '../../../controller/scheduling/types.ts';

/** Plans like the correct one, but ignores one resource in the limits of pools. */
export function withoutLimitOf(resource: 'cpu' | 'memory', right: Simulator): Simulator {
  return {
    simulate: (input) => {
      const pools = input.pools.map((pool) => {
        const { [resource]: _left, ...remaining } = pool.remaining;
        return { ...pool, remaining };
      });
      return right.simulate({ ...input, pools });
    },
  };
}
