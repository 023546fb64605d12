import { AT_EVERY_MOMENT, requirement } from './requirement.ts';
import type { Area } from './requirement.ts';

export const cost: Area = {
  prefix: 'CST',
  name: 'cost',
  summary: 'nobody pays for what serves nobody',
  requirements: [
    requirement({
      id: 'CST-01',
      title: 'Pods that come together share nodes: no more than twice as many are launched as would hold them.',
      rationale: 'How well pods are packed is a matter of quality; a node a pod is a bill. Twice is what a simple packing never needs.',
      observed: 'many small pods come at once, and the instances that were launched are counted',
      breaches: { 'runaway-capacity': ['launched-twice'] },
      bound: AT_EVERY_MOMENT,
      incidents: ['karpenter#3121'],
    }),
    requirement({
      id: 'CST-02',
      title: 'What was launched beyond need, in a crash or because answers were lost, has ended when the world has settled.',
      rationale: 'Surplus after a fault is legal for a while. What is not collected then is never collected.',
      observed: 'after the heal the world converges within the bound: no instance is left that is no node, and none that nothing needs',
      breaches: { 'world-settled': ['not-settled'], 'no-leaked-instances': ['leaked-instance', 'nodeless-instance', 'orphaned-instance'] },
      bound: 'settle',
      incidents: ['karpenter-provider-aws#7800', 'karpenter-provider-aws#6355'],
    }),
    requirement({
      id: 'CST-03',
      level: 'SHOULD',
      profile: 'extended',
      features: ['consolidation'],
      title: 'A node that a cheaper one could stand in for is replaced by it within the bound.',
      rationale: 'What was large enough for many pods is too large for the few that stay.',
      observed: 'a few small pods stay on a large node, and its instance begins to end within the bound',
      breaches: { 'scale-in': ['not-ended'] },
      bound: 'replacement',
    }),
    requirement({
      id: 'CST-04',
      level: 'SHOULD',
      title: 'Types with something that no pod asks for, as bare metal or accelerators, are not chosen while others do.',
      rationale:
        'They are dear, scarce and slow to boot, and somebody else waits for them. No MUST, since the pool allows them: who chooses by price alone, or for want of anything else, does what its user said, and users can keep them out of their pools.',
      observed: 'a pool allows both kinds, and what is launched for ordinary pods is of the ordinary kind',
      breaches: { 'launches-within-pools': ['launch-from-wrong-pool'] },
      bound: AT_EVERY_MOMENT,
    }),
  ],
};
