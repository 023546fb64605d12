import { nodePoolOf } from '../../../controller/api.ts';
import type { Context } from '../../../controller/context.ts';
import { createParts } from '../../../controller/parts.ts';
import type { Simulator } from '../../../controller/scheduling/types.ts';
import { parseResources, subtractResources } from '../../../model/resources.ts';
import type { Resources } from '../../../model/resources.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Plans like the correct one, but the nodes of all pools count towards the limits of each. */
function countingAll({ state }: Context, right: Simulator): Simulator {
  return {
    simulate: (input) => {
      const pools = input.pools.map((pool) => {
        // The planted bug: those of other pools.
        const others = state.claims.list().filter((claim) => nodePoolOf(claim) !== pool.name);
        const used = others.map(({ status }) => parseResources(status?.capacity));
        const left = used.reduce<Resources>(subtractResources, pool.remaining);
        const limited = Object.keys(pool.remaining).map((name) => [name, left[name] ?? 0]);
        return { ...pool, remaining: Object.fromEntries(limited) as Resources };
      });
      return right.simulate({ ...input, pools });
    },
  };
}

export const limitsOfAllPools: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:limits-of-all-pools',
    summary: 'counts the nodes of all pools towards the limits of each: pods wait although their pool has room',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: countingAll(context, right.simulator) };
    },
  }),
  resembles: 'a user asked whether a limit is for its pool or for the whole cluster; it is for its pool (karpenter-provider-aws#5342)',
  caughtBy: {
    scenario: 'provisioning/limit-beside-other-pool',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/limited-*',
    seeds: 'every',
  },
};
