import { createLauncher } from '../../../controller/launch/launcher.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

const BRIEF_MS = 45_000;

export const shortOfferingBackoff: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:short-offering-backoff',
    summary: 'avoids refused offerings for 45 seconds, although it declares three minutes',
    makeParts: (context) => {
      const { unavailable } = context;
      return {
        ...createParts(context),
        // The planted bug: offerings found unavailable by launches are avoided for much too short a time.
        launcher: createLauncher({
          ...context,
          unavailable: {
            has: (offering) => unavailable.has(offering),
            mark: (what, ttlMs) => unavailable.mark(what, Math.min(ttlMs, BRIEF_MS)),
          },
        }),
      };
    },
  }),
  resembles:
    'offerings without capacity were requested again after 45 seconds, although nothing had changed (karpenter-provider-aws#900, #1715)',
  caughtBy: {
    scenario: 'capacity/no-capacity-anywhere',
    check: 'refused-offerings',
    code: 'refused-offering-asked-again',
    object: 'ec2:CreateFleet',
    seeds: 'every',
  },
};
