import type { Context } from '../../../controller/context.ts';
import { createPoolKeeper } from '../../../controller/lifecycle/pool-keeper.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Launch templates as if they could not be deleted. */
function undeletable({ templates }: Context): Context['templates'] {
  return {
    ...templates,
    deleteAll: async (className) => {
      await templates.deleteAll(className);
      // The planted bug: the code after this is never reached.
      throw new Error(`launch templates of ${className} are still there`);
    },
  };
}

export const stuckNodeClass: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:stuck-node-class',
    summary: 'never removes its finalizer from a node class that is being deleted',
    makeParts: (context) => ({ ...createParts(context), poolKeeper: createPoolKeeper({ ...context, templates: undeletable(context) }) }),
  }),
  resembles: 'node classes were never released once they had been deleted (karpenter-provider-aws#9185)',
  caughtBy: {
    scenario: 'provisioning/scale-out-and-back',
    check: 'world-settled',
    code: 'not-removed',
    object: 'ec2nodeclasses/default',
    seeds: 'every',
  },
};
