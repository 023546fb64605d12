import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

export const ignoredInterruption: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:ignored-interruption',
    summary: 'deletes interruption messages from the queue without acting on them',
    makeParts: (context) => ({
      ...createParts(context),
      // The planted bug: every message is reported as handled.
      interruption: { handle: () => Promise.resolve(true) },
    }),
  }),
  resembles: 'a message that was processed before its claim knew the instance was lost (karpenter-provider-aws#5400 and related issues)',
  caughtBy: {
    scenario: 'interruption/one-warning',
    check: 'interruption-handled',
    code: 'interruption-ignored',
    object: 'nodes/*',
    seeds: 'every',
  },
};
