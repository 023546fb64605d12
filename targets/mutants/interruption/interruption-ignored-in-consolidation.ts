import { parseProviderId } from '../../../model/provider-id.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

export const interruptionIgnoredInConsolidation: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:interruption-ignored-in-consolidation',
    summary: 'ignores the interruption of nodes that a consolidation is about to remove or to move pods to',
    makeParts: (context) => {
      const right = createParts(context);
      const isBusy = (id: string): boolean =>
        context.state.claims.list().some((claim) => parseProviderId(claim.status?.providerID) === id && right.disruption.involves(claim));
      return {
        ...right,
        interruption: {
          // The planted bug: notices about nodes in a plan are ignored.
          handle: (notice) => {
            if (notice.kind === 'no_op') return right.interruption.handle(notice);
            return right.interruption.handle({ ...notice, instanceIds: notice.instanceIds.filter((id) => !isBusy(id)) });
          },
        },
      };
    },
  }),
  resembles: 'a node with an interruption warning was not drained, because another operation held it (karpenter-provider-aws#3383)',
  caughtBy: {
    scenario: 'consolidation/interrupted-meanwhile',
    check: 'interruption-handled',
    code: 'interruption-ignored',
    object: 'nodes/*',
    // If the replacement is interrupted, it was never a node, and no pod had to leave it.
    seeds: 'some',
  },
};
