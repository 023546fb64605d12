import { AT_EVERY_MOMENT, TAKEN, requirement } from './requirement.ts';
import type { Area } from './requirement.ts';

export const cost: Area = {
  prefix: 'CST',
  name: 'cost',
  summary: 'users do not pay for capacity that no pod uses',
  requirements: [
    requirement({
      id: 'CST-01',
      title: 'Pods that arrive together share nodes: at most twice as many nodes are launched as would hold them.',
      rationale:
        'How tightly pods are packed is a matter of quality, but one node per pod is simply a waste of money. Even a simple packing never needs twice as many.',
      observed: 'many small pods arrive at once, and the instances that were launched are counted',
      breaches: { 'runaway-capacity': ['launched-twice'] },
      bound: AT_EVERY_MOMENT,
      incidents: ['karpenter#3121'],
    }),
    requirement({
      id: 'CST-02',
      title: 'Surplus instances, launched because of a crash or lost answers, have ended by the time the world has settled.',
      rationale: 'Surplus after a fault is acceptable for a while. What is not collected by then is never collected.',
      observed:
        'once the faults have ended, the world converges within the bound: every instance left is a node, and every one of them is needed',
      breaches: { 'world-settled': ['not-settled'], 'no-leaked-instances': ['leaked-instance', 'nodeless-instance', 'orphaned-instance'] },
      bound: 'settle',
      incidents: ['karpenter-provider-aws#7800', 'karpenter-provider-aws#6355'],
    }),
    requirement({
      id: 'CST-03',
      level: 'SHOULD',
      profile: 'extended',
      features: ['consolidation'],
      title: 'A node that a cheaper one could replace is replaced by it within the bound.',
      rationale: 'A node that was the right size for many pods is too large for the few that stay.',
      observed: 'a few small pods stay on a large node, and its instance is told to terminate within the bound',
      breaches: { 'scale-in': ['not-ended'] },
      bound: 'replacement',
    }),
    requirement({
      id: 'CST-04',
      level: 'SHOULD',
      title: 'Types with a capability that no pod asks for, such as bare metal or accelerators, are not chosen while other types would do.',
      rationale:
        'They are expensive, scarce and slow to boot, and other workloads need them. This is not a MUST, because the pool allows them: an autoscaler that chooses by price alone, or has nothing else, does what its user said, and users can exclude them from their pools.',
      observed: 'a pool allows both kinds, and ordinary pods get ordinary types',
      breaches: { 'launches-within-pools': ['launch-from-wrong-pool'] },
      bound: AT_EVERY_MOMENT,
    }),
    requirement({
      id: 'CST-05',
      profile: 'extended',
      features: ['consolidation'],
      title: 'To save costs, a node is never replaced by one that costs more.',
      rationale:
        'A price that an autoscaler estimates, or read long ago, may be wrong. Then its pods are restarted for nothing, users pay more, and the next estimate may call for another replacement.',
      observed: 'the only other type that a pool allows is smaller but costs more; the node stays, and nothing is launched',
      breaches: { ...TAKEN, 'runaway-capacity': ['launched-twice'] },
      bound: AT_EVERY_MOMENT,
    }),
    requirement({
      id: 'CST-06',
      level: 'SHOULD',
      title: 'No pod causes two launches: a node that is on its way for one pod is not planned for another that can run elsewhere.',
      rationale:
        'Pods wait for a minute until their nodes are ready, and an autoscaler plans for them again and again. If each plan gives nodes that are on their way to other pods than the last one, some are left over, and more are launched. Users pay for these until they are consolidated.',
      observed:
        'pods for either or both of two architectures arrive at once; there are no more launches than pods that wait or have to leave their nodes',
      breaches: { 'launches-needed': ['unneeded-launch'] },
      bound: 'launch-lag',
      incidents: ['karpenter#3121'],
    }),
    requirement({
      id: 'CST-07',
      profile: 'extended',
      features: ['consolidation'],
      title: 'No node stays whose pods all fit on another one, if its pool removes such nodes.',
      rationale: 'This is what consolidation is for. A node that is overlooked is paid for as long as its pods run.',
      observed:
        'at the end of each trial, once nothing else is going on, nodes go until none is left whose pods fit on another one; pods that other pods, volumes, budgets or preferences tie to a place are not counted',
      breaches: { consolidation: ['underused-node'] },
      bound: 'settle',
      incidents: ['karpenter-provider-aws#3753'],
    }),
    requirement({
      id: 'CST-08',
      level: 'SHOULD',
      profile: 'extended',
      features: ['consolidation'],
      title: 'Where a pool allows very many types, those that cost least are among the ones that are asked for.',
      rationale:
        'EC2 takes a limited number of types in a request. Whoever leaves out the wrong ones pays for a large machine to run a small pod.',
      observed: 'a pool allows more large types than a request takes, and two small ones; a small pod gets a small node',
      breaches: { 'launches-within-pools': ['launch-from-wrong-pool'] },
      bound: AT_EVERY_MOMENT,
      incidents: ['karpenter-provider-aws#4301'],
    }),
  ],
};
