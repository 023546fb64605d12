import { AT_EVERY_MOMENT, UNSERVED, requirement } from './requirement.ts';
import type { Area } from './requirement.ts';

const EXCEEDED = { 'pool-limits': ['limit-exceeded'] };

export const limits: Area = {
  prefix: 'LIM',
  name: 'quotas and limits',
  summary: 'limits of pools are never exceeded; when a cloud quota is reached, the autoscaler falls back where it can',
  requirements: [
    requirement({
      id: 'LIM-01',
      title: 'Running capacity plus capacity that is being launched never exceeds the limits of a pool.',
      rationale:
        'A limit is the last protection against an unexpected bill. Batches have exceeded it although each launch alone was within it. Staying below the limit is allowed, because a launch may have to be counted at the size of its largest option.',
      observed:
        'many pods that each need a node arrive at once; the live instances of the pool, and the CPUs or memory of the types that were launched, are counted',
      breaches: EXCEEDED,
      bound: AT_EVERY_MOMENT,
      incidents: ['karpenter#2915', 'karpenter#2657', 'karpenter-provider-aws#1730', 'karpenter-provider-aws#3215'],
    }),
    requirement({
      id: 'LIM-02',
      title: 'Pods for which the limits leave room are served.',
      rationale: 'Reaching a limit, or coming close to it, is no reason to stop serving what is within it.',
      observed: 'some of the pods fit within the limit, or all of them by far, and those run within the bound',
      breaches: UNSERVED,
      bound: 'provision',
    }),
    requirement({
      id: 'LIM-03',
      title: 'Instances that are not nodes yet, or never become nodes, count towards the limits.',
      rationale: 'They cost as much as any other. If only nodes counted, instances that never join would be launched without end.',
      observed: 'kubelets never register while more pods wait than the limit allows, and the limit is not exceeded at any moment',
      breaches: EXCEEDED,
      bound: AT_EVERY_MOMENT,
      incidents: ['karpenter#2854'],
    }),
    requirement({
      id: 'LIM-04',
      profile: 'extended',
      features: ['spot'],
      title: 'When the spot quota is used up, a pool that also allows on-demand capacity serves its pods with on-demand capacity.',
      rationale: 'A quota is not a lack of capacity: other zones and types do not help, but another capacity type does.',
      observed: 'the account has room for only a few spot vCPUs, and each pod runs within the bound',
      breaches: UNSERVED,
      bound: 'fallback',
      incidents: ['karpenter-provider-aws#5789'],
    }),
    requirement({
      id: 'LIM-05',
      title: 'When the subnets of a zone have no free addresses, nodes are launched in another zone.',
      rationale:
        'It looks like a lack of capacity, but it is a limit of the network. In one incident, launches into a full subnet were repeated for hours.',
      observed: 'two of three zones have no free address, and each pod runs within the bound, even one that prefers to be spread',
      breaches: UNSERVED,
      bound: 'fallback',
      incidents: ['karpenter-provider-aws#3380'],
    }),
  ],
};
