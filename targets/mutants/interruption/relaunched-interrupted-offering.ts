import { createInterruption } from '../../../controller/interruption/interruption.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

export const relaunchedInterruptedOffering: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:relaunched-interrupted-offering',
    summary: 'launches the spot offering that was just interrupted again if it is the cheapest',
    makeParts: (context) => ({
      ...createParts(context),
      // The planted bug: an interruption does not mark the offering.
      interruption: createInterruption({ ...context, unavailable: { has: () => false, mark: () => undefined } }),
    }),
  }),
  resembles: 'spot instances were interrupted again and again, and nothing else was tried (karpenter-provider-aws#8298)',
  caughtBy: {
    scenario: 'interruption/fallback-after-interruption',
    check: 'interruption-handled',
    code: 'interrupted-offering-bought-again',
    object: 'instance/*',
    seeds: 'every',
  },
};
