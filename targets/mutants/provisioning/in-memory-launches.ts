import { nameOf, timeOf } from '../../../controller/api.ts';
import type { Context } from '../../../controller/context.ts';
import { createParts } from '../../../controller/parts.ts';
import type { Simulator } from '../../../controller/scheduling/types.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Plans like the correct one, without the launches in progress of other processes. */
function ownFlightsOnly({ state }: Context, right: Simulator): Simulator {
  return {
    simulate: (input) => {
      // The planted bug: launches in progress are only known to the process that sent them.
      const before = new Set(
        state.claims
          .list()
          .filter((claim) => (timeOf(claim.metadata.creationTimestamp) ?? Infinity) < state.startedMs)
          .map(nameOf),
      );
      return right.simulate({ ...input, nodes: input.nodes.filter(({ name }) => !before.has(name)) });
    },
  };
}

export const inMemoryLaunches: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:in-memory-launches',
    summary: 'keeps launches in progress only in memory: if it is killed while nodes boot, it launches them again',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, simulator: ownFlightsOnly(context, right.simulator) };
    },
  }),
  resembles: 'more nodes than needed after a crash of the controller (karpenter#2534)',
  caughtBy: {
    scenario: 'crashes/restarted-during-boot',
    check: 'runaway-capacity',
    code: 'launched-twice',
    object: 'instance/*',
    seeds: 'every',
    needs: 'crash',
  },
};
