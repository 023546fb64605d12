import { isDeleting } from '../../../controller/api.ts';
import { createDisruption } from '../../../controller/disruption/disruption.ts';
import { createEmptiness } from '../../../controller/disruption/emptiness.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';
import { changesAsSeen } from './as-seen.ts';

export const ignoresStoppingPods: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:ignores-stopping-pods',
    summary: 'does not begin consolidateAfter again before a pod is gone: while it stops, its node may be consolidated',
    makeParts: (context) => {
      const right = createParts(context);
      // The planted bug: that a pod has begun to stop is no change yet.
      const onceGone = changesAsSeen(context, (type, pod) => type === 'DELETED' || !isDeleting(pod));
      const disruption = createDisruption(onceGone, right);
      return { ...right, disruption, emptiness: createEmptiness(context, disruption) };
    },
  }),
  resembles: 'pods that left were not noticed, and their nodes were removed without regard to consolidateAfter (karpenter#3147)',
  caughtBy: {
    scenario: 'consolidation/pods-stop-slowly',
    check: 'consolidate-after',
    code: 'consolidated-early',
    object: 'nodes/*',
    seeds: 'every',
  },
};
