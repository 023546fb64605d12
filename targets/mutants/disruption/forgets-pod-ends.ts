import type { Context } from '../../../controller/context.ts';
import { createDisruption } from '../../../controller/disruption/disruption.ts';
import { createEmptiness } from '../../../controller/disruption/emptiness.ts';
import { createParts } from '../../../controller/parts.ts';
import { isTerminal } from '../../../controller/provisioning/pods.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** The pods without the changes by which they leave their nodes. */
function onlyComing(context: Context): Context {
  const { state } = context;
  const pods: Pick<typeof state.pods, 'onChange'> = {
    onChange: (listener) =>
      state.pods.onChange((type, pod) => {
        // The planted bug: only pods that come begin the time again.
        if (type !== 'DELETED' && !isTerminal(pod)) listener(type, pod);
      }),
  };
  // Nothing else of the pods is used there.
  return { ...context, state: { ...state, pods: pods as typeof state.pods } };
}

export const forgetsPodEnds: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:forgets-pod-ends',
    summary: 'counts consolidateAfter from when the last pod came: nodes that pods have just left are consolidated at once',
    makeParts: (context) => {
      const right = createParts(context);
      const disruption = createDisruption(onlyComing(context), right);
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
