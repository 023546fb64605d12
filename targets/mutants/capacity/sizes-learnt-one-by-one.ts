import type { InstanceTypes } from '../../../controller/capacity/instance-types.ts';
import { createParts } from '../../../controller/parts.ts';
import type { Resources } from '../../../model/resources.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** The instance types, each of which is as advertised until a node of that very type says otherwise. */
function oneByOne(types: InstanceTypes): InstanceTypes {
  const learnt = new Map<string, Resources>();
  const sized: InstanceTypes['list'] = (settings) =>
    types.list(settings).map((type) => ({ ...type, allocatable: { ...type.allocatable, ...learnt.get(type.name) } }));
  return {
    list: sized,
    get: (name, settings) => sized(settings).find((type) => type.name === name),
    refresh: () => types.refresh(),
    lacksPrices: () => types.lacksPrices(),
    // The planted bug: nothing is concluded about other types.
    learn: (name, allocatable) => {
      learnt.set(name, allocatable);
      return false;
    },
  };
}

export const sizesLearntOneByOne: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:sizes-learnt-one-by-one',
    summary: 'learns from a node that its type is smaller than advertised, and then tries the next type, although all lack the same',
    makeParts: (context) => createParts({ ...context, instanceTypes: oneByOne(context.instanceTypes) }),
  }),
  resembles: 'nodes whose allocatable was less than computed were launched again and again (karpenter-provider-aws#1959)',
  caughtBy: {
    scenario: 'capacity/all-types-smaller',
    check: 'runaway-capacity',
    code: 'runaway-launches',
    object: 'instance/*',
    seeds: 'every',
  },
};
