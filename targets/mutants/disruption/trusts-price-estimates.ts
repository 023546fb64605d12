import type { InstanceTypes } from '../../../controller/capacity/instance-types.ts';
import { createCheaper } from '../../../controller/disruption/consolidation.ts';
import { createDisruption } from '../../../controller/disruption/disruption.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** The same types, as if all were of one family, whose prices are known to grow with the sizes. */
function asOneFamily(types: InstanceTypes): InstanceTypes {
  return {
    list: (settings) => types.list(settings),
    get: (name, settings) => {
      const type = types.get(name, settings);
      return type === undefined ? undefined : { ...type, labels: {} };
    },
    refresh: () => types.refresh(),
    lacksPrices: () => types.lacksPrices(),
    learn: () => false,
  };
}

export const trustsPriceEstimates: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:trusts-price-estimates',
    summary: 'replaces nodes by others that are cheaper only by an estimate from vCPUs and memory, and cost more',
    makeParts: (context) => {
      const right = createParts(context);
      // The planted bug: the prices of families differ from the estimate.
      const cheaper = createCheaper({ ...context, instanceTypes: asOneFamily(context.instanceTypes) });
      return { ...right, disruption: createDisruption(context, right, { cheaper }) };
    },
  }),
  resembles: 'nodes were replaced again and again, because consolidation had a wrong price for them (zoom/karpenter-oci#32)',
  caughtBy: {
    scenario: 'consolidation/dearer-type',
    check: 'runaway-capacity',
    code: 'launched-twice',
    object: 'instance/*',
    seeds: 'every',
  },
};
