import { driftOf } from '../../../controller/disruption/drift.ts';
import { createDisruption } from '../../../controller/disruption/disruption.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

export const failedDescriptionAsDrift: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:failed-description-as-drift',
    summary: 'compares nodes with EC2 descriptions, and treats a failed description as an empty one',
    makeParts: (context) => {
      const right = createParts(context);
      const imagesRead = async (): Promise<unknown[]> => (await context.instances.listOwned()).map(({ ImageId }) => ImageId);
      let images: readonly unknown[] | undefined;
      const disruption = createDisruption(context, right, {
        driftOf: (...compared) => (images?.length === 0 ? 'NodeClassDrifted' : driftOf(...compared)),
      });
      return {
        ...right,
        disruption: {
          involves: (claim) => disruption.involves(claim),
          sweep: async () => {
            // The planted bug: a failed read is treated as an empty result.
            images = await imagesRead().catch(() => []);
            await disruption.sweep();
          },
        },
      };
    },
  }),
  resembles:
    'nodes counted as drifted because the subnets that they were compared with were read incorrectly (karpenter-provider-aws#5443)',
  caughtBy: {
    scenario: 'consolidation/descriptions-fail',
    check: 'undisturbed',
    code: 'node-taken',
    object: 'nodes/*',
    seeds: 'every',
  },
};
