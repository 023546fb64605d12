import { nodePoolOf } from '../../../controller/api.ts';
import type { Context } from '../../../controller/context.ts';
import { createParts } from '../../../controller/parts.ts';
import type { Simulator } from '../../../controller/scheduling/types.ts';
import { createReferenceTarget } from '../../reference.ts';
import { launcherBeyondLimits } from '../launch/limits-checked-once.ts';
import type { Mutant } from '../mutant.ts';

/** Plans like the correct one, but only registered nodes count towards limits. */
function countingNodes({ state }: Context, right: Simulator): Simulator {
  return {
    simulate: (input) => {
      const pools = input.pools.map((pool) => {
        const { nodes } = pool.remaining;
        if (nodes === undefined) return pool;
        // The planted bug: instances that are not nodes yet don't count.
        const launching = state.claims.list().filter((claim) => nodePoolOf(claim) === pool.name && claim.status?.nodeName === undefined);
        return { ...pool, remaining: { ...pool.remaining, nodes: nodes + launching.length } };
      });
      return right.simulate({ ...input, pools });
    },
  };
}

export const limitsIgnoreLaunches: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:limits-ignore-launches',
    summary: 'counts nodes towards the limit of their pool, but not launched instances that are not nodes yet',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: countingNodes(context, right.simulator), launcher: launcherBeyondLimits(context) };
    },
  }),
  resembles: 'claims that never joined did not count towards the limits of their pool (karpenter#2854)',
  caughtBy: {
    scenario: 'provisioning/node-limit-before-registration',
    check: 'pool-limits',
    code: 'limit-exceeded',
    object: 'instance/*',
    seeds: 'every',
  },
};
