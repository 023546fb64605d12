import { createLauncher } from '../../../controller/launch/launcher.ts';
import { createParts } from '../../../controller/parts.ts';
import type { ClaimOffering, ClaimOfferings } from '../../../controller/launch/claim-offerings.ts';
import type { Context } from '../../../controller/context.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';
import { withoutMarkets } from '../capacity/without-markets.ts';

/** Only the cheapest type of a claim's offerings that are not known to lack capacity. */
function cheapestOnly({ claimOfferings, unavailable }: Context): ClaimOfferings {
  const priceOf = ({ offering }: ClaimOffering): number => offering.usdPerHour;
  return {
    of: (claim) => {
      const free = claimOfferings.of(claim).filter(({ offering }) => !unavailable.has(offering));
      const [cheapest] = [...free].sort((a, b) => priceOf(a) - priceOf(b));
      // The planted bug: all other types are excluded from the launch.
      return free.filter(({ type }) => type === cheapest?.type);
    },
  };
}

export const singleTypeLaunches: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:single-type-launches',
    summary: 'names only one type in each launch, the cheapest that is left, however many are possible',
    makeParts: (context) => ({
      ...createParts(context),
      // One type at a time says little about the others, so nothing is concluded from it.
      launcher: createLauncher({ ...withoutMarkets(context), claimOfferings: cheapestOnly(context) }),
    }),
  }),
  resembles: 'launches were narrowed to one type or a few, although the pool allowed many (karpenter-provider-aws#9617, #2721)',
  caughtBy: {
    scenario: 'capacity/one-type-with-capacity',
    check: 'request-amplification',
    code: 'request-hammered',
    object: 'ec2:CreateFleet',
    seeds: 'every',
  },
};
