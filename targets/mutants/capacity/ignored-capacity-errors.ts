import { createLauncher } from '../../../controller/launch/launcher.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';
import { withoutMarkets } from './without-markets.ts';

export const ignoredCapacityErrors: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:ignored-capacity-errors',
    summary: 'forgets which offerings had no capacity: it requests the same ones again, and never falls back',
    makeParts: (context) => ({
      ...createParts(context),
      // The planted bug: nothing is remembered.
      launcher: createLauncher({ ...withoutMarkets(context), unavailable: { has: () => false, mark: () => undefined } }),
    }),
  }),
  resembles: 'the same request was repeated while other capacity was free (karpenter-provider-aws#5850, #5789)',
  caughtBy: { scenario: 'capacity/spot-runs-out', check: 'success-rate', code: 'pod-not-served', object: 'pods/default/*', seeds: 'every' },
};
