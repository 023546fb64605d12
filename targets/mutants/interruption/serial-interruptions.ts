import type { Context } from '../../../controller/context.ts';
import { createInterruption } from '../../../controller/interruption/interruption.ts';
import type { Interruption } from '../../../controller/interruption/interruption.ts';
import { createParts } from '../../../controller/parts.ts';
import { parseProviderId } from '../../../model/provider-id.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** How often it checks whether the previous node is gone. */
const LOOK_MS = 1_000;

/** Acts like the correct one, but on one instance after the other. */
function oneByOne({ state, runtime }: Context, right: Interruption): Interruption {
  const isThere = (id: string): boolean => state.claims.list().some((claim) => parseProviderId(claim.status?.providerID) === id);
  let before: Promise<unknown> = Promise.resolve();
  return {
    handle: (notice) => {
      const handled = before.then(() => right.handle(notice));
      // The planted bug: later notices wait until this node has been drained and removed.
      before = handled
        .then(async () => {
          if (notice.kind !== 'spot_interrupted') return;
          while (notice.instanceIds.some(isThere)) await runtime.clock.sleep(LOOK_MS, runtime.signal);
        })
        .catch(() => undefined);
      return handled;
    },
  };
}

export const serialInterruptions: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:serial-interruptions',
    summary: 'handles interruptions one by one: when there are many at once, the last are not acted on within two minutes',
    makeParts: (context) => ({ ...createParts(context), interruption: oneByOne(context, createInterruption(context)) }),
  }),
  resembles: 'many spot instances were reclaimed at once, and their notices waited for each other (karpenter-provider-aws#5400)',
  caughtBy: {
    scenario: 'interruption/many-at-once',
    check: 'interruption-handled',
    code: 'interruption-ignored',
    object: 'nodes/*',
    seeds: 'every',
  },
};
