import { createUnavailableOfferings } from '../../../controller/capacity/unavailable-offerings.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

export const offeringByOffering: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:offering-by-offering',
    summary: 'learns of a capacity type that is gone everywhere only offering by offering',
    // The planted bug: no number of refused offerings says anything about the others.
    makeParts: (context) =>
      createParts({ ...context, unavailable: createUnavailableOfferings(context.runtime.clock, Number.POSITIVE_INFINITY) }),
  }),
  resembles: 'with spot gone in all types, an autoscaler that allowed them all asked for most of an hour',
  caughtBy: {
    scenario: 'capacity/spot-gone-everywhere',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/*',
    seeds: 'every',
  },
};
