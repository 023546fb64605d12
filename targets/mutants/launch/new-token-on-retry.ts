import { createLauncher } from '../../../controller/launch/launcher.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';
import { noCollection } from '../no-collection.ts';

const TOKEN_DIGITS = 32;

export const newTokenOnRetry: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:new-token-on-retry',
    summary: 'retries a launch whose answer was lost with a new client token: one claim gets two instances, and one is forgotten',
    makeParts: (context) => ({
      ...createParts(context),
      // The planted bug: the token is not a function of claim and attempt, so a replay is a second launch.
      launcher: createLauncher(context, { token: () => context.runtime.random.hex(TOKEN_DIGITS) }),
      collector: noCollection,
    }),
  }),
  resembles: 'two nodes for one claim after a launch was repeated (karpenter-provider-aws#3725)',
  caughtBy: {
    scenario: 'api-pressure/lost-launch-answer',
    check: 'no-leaked-instances',
    code: 'leaked-instance',
    object: 'instance/*',
    seeds: 'every',
    needs: 'interleaving',
  },
};
