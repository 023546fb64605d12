import type { NodePool } from '../../../controller/api.ts';
import { allowedDisruptions } from '../../../controller/disruption/budgets.ts';
import { createDisruption } from '../../../controller/disruption/disruption.ts';
import { createEmptiness } from '../../../controller/disruption/emptiness.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';
import { poolsAsSeen } from './as-seen.ts';

/** The planted bug: `25%` is not parsed as a number. */
function numbersOnly(pool: NodePool): NodePool {
  const { disruption } = pool.spec;
  if (disruption?.budgets === undefined) return pool;
  const budgets = disruption.budgets.filter(({ nodes }) => !nodes.endsWith('%'));
  return { ...pool, spec: { ...pool.spec, disruption: { ...disruption, budgets } } };
}

export const ignoredBudgetPercentage: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:ignored-budget-percentage',
    summary: 'removes empty and underused nodes, whatever percentage the budget of their pool allows',
    makeParts: (context) => {
      const right = createParts(context);
      const blind = poolsAsSeen(context, numbersOnly);
      const disruption = createDisruption(context, right, {
        allowed: (pool, reason) => allowedDisruptions(reason === 'Drifted' ? context : blind, pool, reason, context.runtime.clock.nowMs()),
      });
      return { ...right, disruption, emptiness: createEmptiness(blind, disruption) };
    },
  }),
  resembles: 'a percentage budget allowed more disruptions than it should (karpenter#925)',
  caughtBy: {
    scenario: 'consolidation/budget-percentage',
    check: 'node-budgets',
    code: 'node-budget-exceeded',
    object: 'nodes/*',
    seeds: 'every',
  },
};
