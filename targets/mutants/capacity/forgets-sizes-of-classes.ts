import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';
import { oneByOne } from './one-by-one.ts';

export const forgetsSizesOfClasses: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:forgets-sizes-of-classes',
    summary: 'concludes nothing about other types from small nodes of a class with kubelet settings, although all types lack the same',
    makeParts: (context) =>
      createParts({ ...context, instanceTypes: oneByOne(context.instanceTypes, (settings) => settings !== undefined) }),
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
