import { createTerminator } from '../../../controller/lifecycle/terminator.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import { askingOnce } from './asked-once.ts';
import type { Mutant } from '../mutant.ts';

export const noRetryOfDeniedEviction: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:no-retry-of-denied-eviction',
    summary: 'never retries an eviction that was denied, and waits for that pod forever, even once evictions are allowed',
    makeParts: (context) => ({
      ...createParts(context),
      // The planted bug: a denied eviction is assumed to be denied forever.
      terminator: createTerminator(context, askingOnce(context, 403)),
    }),
  }),
  resembles:
    'no eviction was allowed (kubernetes/kops#3418), and drains waited until a restart for pods that were never evicted (karpenter#3144)',
  caughtBy: {
    scenario: 'faulty-api/denied-terminations',
    check: 'scale-in',
    code: 'not-ended',
    object: 'instance/*',
    seeds: 'every',
  },
};
