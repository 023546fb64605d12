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
          // The planted bug: a node that a plan is about is somebody else's already.
          handle: (notice) => {
            if (notice.kind === 'no_op') return right.interruption.handle(notice);
            return right.interruption.handle({ ...notice, instanceIds: notice.instanceIds.filter((id) => !isBusy(id)) });
          },
        },
      };
    },
  }),
  resembles: 'a node that was warned of its interruption was not drained, since something else held it (karpenter-provider-aws#3383)',
  caughtBy: {
    scenario: 'consolidation/interrupted-meanwhile',
    check: 'interruption-handled',
    code: 'interruption-ignored',
    object: 'nodes/*',
    // Where what is taken back is the replacement, it never was a node: nobody had to leave it.
    seeds: 'some',
  },
};
