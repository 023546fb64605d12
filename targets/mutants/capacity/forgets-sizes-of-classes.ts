import type { InstanceTypes } from '../../../controller/capacity/instance-types.ts';
import { createParts } from '../../../controller/parts.ts';
import type { Resources } from '../../../model/resources.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';

/** The instance types, which for classes with settings of their own are as advertised until a node of that very type says otherwise. */
function oneByOneWithSettings(types: InstanceTypes): InstanceTypes {
  const learnt = new Map<string, Resources>();
  const list: InstanceTypes['list'] = (settings) => {
    if (settings === undefined) return types.list();
    return types.list(settings).map((type) => ({ ...type, allocatable: { ...type.allocatable, ...learnt.get(type.name) } }));
  };
  return {
    list,
    get: (name, settings) => list(settings).find((type) => type.name === name),
    refresh: () => types.refresh(),
    lacksPrices: () => types.lacksPrices(),
    learn: (name, allocatable, settings) => {
      if (settings === undefined) return types.learn(name, allocatable);
      // The planted bug: nothing is concluded about other types.
      learnt.set(name, allocatable);
      return false;
    },
  };
}

export const forgetsSizesOfClasses: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:forgets-sizes-of-classes',
    summary: 'concludes nothing about other types from small nodes of a class with kubelet settings, although all types lack the same',
    makeParts: (context) => createParts({ ...context, instanceTypes: oneByOneWithSettings(context.instanceTypes) }),
  }),
  resembles: 'nodes whose allocatable was less than computed were launched again and again (karpenter-provider-aws#1959)',
  caughtBy: {
    scenario: 'capacity/smaller-in-all-classes',
    check: 'runaway-capacity',
    code: 'runaway-launches',
    object: 'instance/*',
    seeds: 'every',
  },
};
