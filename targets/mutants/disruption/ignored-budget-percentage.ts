import type { Context } from '../../../controller/context.ts';
import { allowedDisruptions } from '../../../controller/disruption/budgets.ts';
import { createDisruption } from '../../../controller/disruption/disruption.ts';
import { createEmptiness } from '../../../controller/disruption/emptiness.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** The pools without the percentage budgets. */
function numbersOnly(context: Context): Context {
  const { state } = context;
  const pools: Pick<typeof state.pools, 'get'> = {
    get: (name) => {
      const pool = state.pools.get(name);
      const { disruption } = pool?.spec ?? {};
      if (pool === undefined || disruption?.budgets === undefined) return pool;
      // The planted bug: `25%` is not parsed as a number.
      const budgets = disruption.budgets.filter(({ nodes }) => !nodes.endsWith('%'));
      return { ...pool, spec: { ...pool.spec, disruption: { ...disruption, budgets } } };
    },
  };
  // Only `get` of the pools is used there.
  return { ...context, state: { ...state, pools: pools as typeof state.pools } };
}

export const ignoredBudgetPercentage: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:ignored-budget-percentage',
    summary: 'removes empty and underused nodes, whatever percentage the budget of their pool allows',
    makeParts: (context) => {
      const right = createParts(context);
      const blind = numbersOnly(context);
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
