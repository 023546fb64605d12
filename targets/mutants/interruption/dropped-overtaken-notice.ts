import { createInterruption } from '../../../controller/interruption/interruption.ts';
import { createParts } from '../../../controller/parts.ts';
import { parseProviderId } from '../../../model/provider-id.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

export const droppedOvertakenNotice: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:dropped-overtaken-notice',
    summary: 'drops a notice about an instance whose claim records it while the notice is looked up',
    makeParts: (context) => {
      const right = createInterruption(context);
      const isRecorded = (id: string): boolean =>
        context.state.claims.list().some(({ status }) => parseProviderId(status?.providerID) === id);
      return {
        ...createParts(context),
        interruption: {
          handle: async (notice) => {
            const unknown = notice.instanceIds.filter((id) => !isRecorded(id));
            await Promise.all(unknown.map((id) => context.instances.find(id)));
            // The planted bug: by now no claim waits for the instance any more, so it is treated as someone else's.
            return unknown.some(isRecorded) || right.handle(notice);
          },
        },
      };
    },
  }),
  resembles: 'an interruption came, nothing happened, and the node was gone two minutes later (karpenter-provider-aws#3005)',
  caughtBy: {
    scenario: 'interruption/notices-before-records',
    check: 'interruption-handled',
    code: 'interruption-ignored',
    object: 'nodes/*',
    seeds: 'some',
    needs: 'interleaving',
  },
};
