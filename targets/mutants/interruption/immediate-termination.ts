import { createInterruption } from '../../../controller/interruption/interruption.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

export const immediateTermination: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:immediate-termination',
    summary: 'terminates an instance as soon as its interruption is announced: its pods lose the two minutes that they had',
    makeParts: (context) => {
      const interruption = createInterruption(context);
      return {
        ...createParts(context),
        interruption: {
          handle: async (notice) => {
            // The planted bug: the doomed instance is terminated at once, without evicting its pods.
            if (notice.kind === 'spot_interrupted') await context.ec2.terminateInstances(notice.instanceIds);
            return interruption.handle(notice);
          },
        },
      };
    },
  }),
  resembles: 'pods were killed right after the interruption message, without their grace period (karpenter-provider-aws#8160)',
  caughtBy: {
    scenario: 'interruption/one-warning',
    check: 'interruption-handled',
    code: 'pod-not-asked-to-leave',
    object: 'pods/default/*',
    seeds: 'every',
  },
};
