import type { Simulator } from '../../../controller/scheduling/types.ts';

/** Plans like the right one, for pools that do not limit a resource: what they limit of it is read and not compared. */
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
