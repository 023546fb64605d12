import { createDisruption } from '../../../controller/disruption/disruption.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

export const driftIgnoresBudgets: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:drift-ignores-budgets',
    summary: 'replaces all drifted nodes at once, whatever the budgets of their pool allow',
    makeParts: (context) => {
      const right = createParts(context);
      // The planted bug: budgets are ignored.
      return { ...right, disruption: createDisruption(context, right, { allowed: () => Infinity }) };
    },
  }),
  resembles: 'drift removed node after node, without waiting for replacements, until none was left (karpenter-provider-aws#3979)',
  caughtBy: {
    scenario: 'consolidation/drift-within-budget',
    check: 'node-budgets',
    code: 'node-budget-exceeded',
    object: 'nodes/*',
    seeds: 'every',
  },
};
