import type { Context } from '../../../controller/context.ts';
import { allowedDisruptions } from '../../../controller/disruption/budgets.ts';
import { createDisruption } from '../../../controller/disruption/disruption.ts';
import { createEmptiness } from '../../../controller/disruption/emptiness.ts';
import { createParts } from '../../../controller/parts.ts';
import type { Node } from '../../../model/kube.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** The cluster as if every node were Ready. */
function allReady(context: Context): Context {
  const { state } = context;
  // The planted bug: nodes that are not Ready don't count as disrupted.
  const nodesOf = (providerId: string): Node[] =>
    state.nodesOf(providerId).map((node) => ({ ...node, status: { ...node.status, conditions: [{ type: 'Ready', status: 'True' }] } }));
  return { ...context, state: { ...state, nodesOf } };
}

export const budgetIgnoresUnready: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:budget-ignores-unready',
    summary: 'does not count NotReady nodes when it computes how many more nodes the budget of their pool allows',
    makeParts: (context) => {
      const right = createParts(context);
      const blind = allReady(context);
      const disruption = createDisruption(context, right, {
        allowed: (pool, reason) => allowedDisruptions(blind, pool, reason, context.runtime.clock.nowMs()),
      });
      return { ...right, disruption, emptiness: createEmptiness(blind, disruption) };
    },
  }),
  resembles: 'nodes that were not ready did not count towards the budget of their pool (karpenter#981)',
  caughtBy: {
    scenario: 'consolidation/budget-with-unready-node',
    check: 'node-budgets',
    code: 'node-budget-exceeded',
    object: 'nodes/*',
    seeds: 'every',
  },
};
