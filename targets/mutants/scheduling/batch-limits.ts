import type { Simulator } from '../../../controller/scheduling/types.ts';
import { createParts } from '../../../controller/parts.ts';
import type { Resources } from '../../../model/resources.ts';
import { createReferenceTarget } from '../../reference.ts';
import { launcherBeyondLimits } from '../launch/limits-checked-once.ts';
import type { Mutant } from '../mutant.ts';

/** Plans like the correct one, but only checks whether a limit was already reached before. */
function checkedOnce(right: Simulator): Simulator {
  // The planted bug: the usage of the batch itself is not counted.
  const before = (remaining: Resources): Resources =>
    Object.fromEntries(Object.entries(remaining).map(([name, left]) => [name, left > 0 ? Number.MAX_SAFE_INTEGER : left]));
  return {
    simulate: (input) => right.simulate({ ...input, pools: input.pools.map((pool) => ({ ...pool, remaining: before(pool.remaining) })) }),
  };
}

export const batchLimits: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:batch-limits',
    summary: 'compares limits with what existed before the batch: one batch may far exceed them',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: checkedOnce(right.simulator), launcher: launcherBeyondLimits(context) };
    },
  }),
  resembles: 'limits were exceeded by the nodes of one batch (karpenter#2915, #2854)',
  caughtBy: { scenario: 'provisioning/node-limit', check: 'pool-limits', code: 'limit-exceeded', object: 'instance/*', seeds: 'every' },
};
