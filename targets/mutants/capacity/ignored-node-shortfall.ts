import type { InstanceTypes } from '../../../controller/capacity/instance-types.ts';
import { createRegistrar } from '../../../controller/lifecycle/registrar.ts';
import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** The instance types, by their advertised sizes only. */
function asAdvertised(types: InstanceTypes): InstanceTypes {
  return {
    list: () => types.list(),
    get: (name) => types.get(name),
    refresh: () => types.refresh(),
    lacksPrices: () => types.lacksPrices(),
    // The planted bug: the sizes of real nodes are ignored.
    learn: () => false,
  };
}

export const ignoredNodeShortfall: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:ignored-node-shortfall',
    summary: 'trusts the advertised size of a type rather than its nodes: it launches one node after another that is too small',
    makeParts: (context) => ({
      ...createParts(context),
      registrar: createRegistrar({ ...context, instanceTypes: asAdvertised(context.instanceTypes) }),
    }),
  }),
  resembles: 'nodes whose allocatable was less than computed were launched again and again (karpenter-provider-aws#1959)',
  caughtBy: {
    scenario: 'capacity/smaller-than-advertised',
    check: 'success-rate',
    code: 'pod-not-served',
    object: 'pods/default/*',
    seeds: 'every',
  },
};
