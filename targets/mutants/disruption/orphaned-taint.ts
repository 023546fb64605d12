import { createEmptiness } from '../../../controller/disruption/emptiness.ts';
import { isDisrupted } from '../../../controller/lifecycle/registrar.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

export const orphanedTaint: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:orphaned-taint',
    summary: 'treats any node with its taint as being removed: if it is killed between taint and removal, the node stays forever',
    makeParts: (context) => {
      const { state } = context;
      // The planted bug: the process that tainted the node may have died.
      const nodesOf = (providerId: string): ReturnType<typeof state.nodesOf> =>
        state.nodesOf(providerId).filter((node) => !isDisrupted(node));
      const right = createParts(context);
      return { ...right, emptiness: createEmptiness({ ...context, state: { ...state, nodesOf } }, right.disruption) };
    },
  }),
  resembles: 'the taint of a node to be deleted stayed after a crash, and so did the node (autoscaler#5657, #5048)',
  caughtBy: {
    scenario: 'crashes/killed-during-scale-in',
    check: 'scale-in',
    code: 'not-ended',
    object: 'instance/*',
    seeds: 'some',
    needs: 'crash',
  },
};
