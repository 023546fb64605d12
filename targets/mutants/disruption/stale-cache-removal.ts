import type { Context } from '../../../controller/context.ts';
import type { Disruption } from '../../../controller/disruption/disruption.ts';
import { createEmptiness } from '../../../controller/disruption/emptiness.ts';
import type { Emptiness } from '../../../controller/disruption/emptiness.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** Looks for empty nodes like the correct one, but with a single snapshot of the pods per sweep. */
function bySnapshot(context: Context, disruption: Disruption): Emptiness {
  const { state } = context;
  let picture = state.pods.list();
  // The planted bug: an irreversible decision without asking the server.
  const freshPods = (): ReturnType<typeof state.freshPods> => Promise.resolve(picture);
  const right = createEmptiness({ ...context, state: { ...state, freshPods } }, disruption);
  return {
    sweep: () => {
      picture = [...state.pods.list()];
      return right.sweep();
    },
  };
}

export const staleCacheRemoval: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:stale-cache-removal',
    summary: 'removes a node that is empty in its cached copy of the pods, which is stale after a pause',
    makeParts: (context) => {
      const right = createParts(context);
      return { ...right, emptiness: bySnapshot(context, right.disruption) };
    },
  }),
  resembles:
    'pods were scheduled to a node between the check that found it empty and its removal (kubernetes-sigs/karpenter#2916, autoscaler#5790)',
  caughtBy: {
    scenario: 'faulty-api/paused-during-scale-in',
    check: 'runaway-capacity',
    code: 'launched-twice',
    object: 'instance/*',
    seeds: 'some',
    needs: 'interleaving',
  },
};
