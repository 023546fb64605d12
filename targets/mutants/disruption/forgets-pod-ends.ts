import { createDisruption } from '../../../controller/disruption/disruption.ts';
import { createEmptiness } from '../../../controller/disruption/emptiness.ts';
import { isStaying } from '../../../controller/disruption/pod-activity.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';
import { changesAsSeen } from './as-seen.ts';

export const forgetsPodEnds: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:forgets-pod-ends',
    summary: 'counts consolidateAfter from when the last pod came: nodes that pods have just left are consolidated at once',
    makeParts: (context) => {
      const right = createParts(context);
      // The planted bug: only pods that come begin the time again.
      const onlyComing = changesAsSeen(context, isStaying);
      const disruption = createDisruption(onlyComing, right);
      return { ...right, disruption, emptiness: createEmptiness(context, disruption) };
    },
  }),
  resembles: 'nodes were removed at once after many pods had gone at the same time, without regard to consolidateAfter (karpenter#3147)',
  caughtBy: {
    scenario: 'consolidation/underused-node-waits',
    check: 'consolidate-after',
    code: 'consolidated-early',
    object: 'nodes/*',
    seeds: 'every',
  },
};
