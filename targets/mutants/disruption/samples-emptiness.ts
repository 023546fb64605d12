import { createEmptiness } from '../../../controller/disruption/emptiness.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';
import { changesAsSeen } from './as-seen.ts';

export const samplesEmptiness: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:samples-emptiness',
    summary: 'does not notice pods that come to an empty node and leave it between two looks: their nodes are removed too early',
    makeParts: (context) => {
      const right = createParts(context);
      // The planted bug: whether a node is empty is only asked now and then.
      const unwatched = changesAsSeen(context, () => false);
      return { ...right, emptiness: createEmptiness(unwatched, right.disruption) };
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
