import { createParts } from '../../../controller/parts.ts';
import { createReferenceTarget } from '../../reference.ts';
import type { Mutant } from '../mutant.ts';
import { oneByOne } from './one-by-one.ts';

export const sizesLearntOneByOne: Mutant = {
  target: createReferenceTarget({
    name: 'mutant:sizes-learnt-one-by-one',
    summary: 'learns from a node that its type is smaller than advertised, and then tries the next type, although all lack the same',
    makeParts: (context) => createParts({ ...context, instanceTypes: oneByOne(context.instanceTypes, () => true) }),
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
