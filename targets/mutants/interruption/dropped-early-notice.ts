import { createInterruption } from '../../../controller/interruption/interruption.ts';
import { createParts } from '../../../controller/parts.ts';
import { parseProviderId } from '../../../model/provider-id.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

export const droppedEarlyNotice: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:dropped-early-notice',
    summary: 'drops a notice about an instance that no claim records yet because it was just launched',
    makeParts: (context) => {
      const right = createInterruption(context);
      return {
        ...createParts(context),
        interruption: {
          handle: async (notice) => {
            const recorded = new Set(context.state.claims.list().map((claim) => parseProviderId(claim.status?.providerID)));
            // The planted bug: an unknown instance is treated as someone else's, and its message as handled.
            return notice.instanceIds.some((id) => recorded.has(id)) ? right.handle(notice) : true;
          },
        },
      };
    },
  }),
  resembles: 'an interruption came, nothing happened, and the node was gone two minutes later (karpenter-provider-aws#3005)',
  caughtBy: {
    scenario: 'interruption/during-launch',
    check: 'interruption-handled',
    code: 'interruption-ignored',
    object: 'nodes/*',
    seeds: 'some',
    needs: 'interleaving',
  },
};
