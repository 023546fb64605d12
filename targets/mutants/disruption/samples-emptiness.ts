import type { Context } from '../../../controller/context.ts';
import { createEmptiness } from '../../../controller/disruption/emptiness.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** The pods as if none ever came or went. */
function unwatched(context: Context): Context {
  const { state } = context;
  // The planted bug: whether a node is empty is only asked now and then.
  const pods: Pick<typeof state.pods, 'onChange'> = { onChange: () => () => undefined };
  // Nothing else of the pods is used there.
  return { ...context, state: { ...state, pods: pods as typeof state.pods } };
}

export const samplesEmptiness: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:samples-emptiness',
    summary: 'does not notice pods that come to an empty node and leave it between two looks: their nodes are removed too early',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, emptiness: createEmptiness(unwatched(context), right.disruption) };
    },
  }),
  resembles: 'pods that left were not noticed, and their nodes were removed without regard to consolidateAfter (karpenter#3147)',
  caughtBy: {
    scenario: 'consolidation/short-visits',
    check: 'consolidate-after',
    code: 'consolidated-early',
    object: 'nodes/*',
    seeds: 'every',
  },
};
