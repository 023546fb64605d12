import { AT_EVERY_MOMENT, UNSERVED, requirement } from './requirement.ts';
import type { Area } from './requirement.ts';

const EXCEEDED = { 'pool-limits': ['limit-exceeded'] };

export const limits: Area = {
  prefix: 'LIM',
  name: 'quotas and limits',
  summary: 'limits of pools are never exceeded; quotas of the cloud are gone round where that is possible',
  requirements: [
    requirement({
      id: 'LIM-01',
      title: 'Running and launching capacity together never exceed the limits of a pool.',
      rationale:
        'A limit is the last guard against a bill that nobody wanted. Batches are where it broke: each launch alone was within it. Less than the limit is legal, since a launch may have to be counted as its largest option.',
      observed:
        'many pods that each need a node come at once; the live instances of the pool, their processors or their memory are counted by the types that came',
      breaches: EXCEEDED,
      bound: AT_EVERY_MOMENT,
      incidents: ['karpenter#2915', 'karpenter#2657', 'karpenter-provider-aws#1730', 'karpenter-provider-aws#3215'],
    }),
    requirement({
      id: 'LIM-02',
      title: 'Pods for which the limits leave room are served.',
      rationale: 'A limit that is reached, or nearly, is no reason to stop what is within it.',
      observed: 'a part of the pods fits within the limit and runs within the bound',
      breaches: UNSERVED,
      bound: 'provision',
    }),
    requirement({
      id: 'LIM-03',
      title: 'Instances that have not become nodes yet, or never do, count towards the limits.',
      rationale: 'They are paid for like any other. Counted as nodes only, launches that never join are asked for without end.',
      observed: 'kubelets never register while more pods wait than the limit allows for, and it is not exceeded at any moment',
      breaches: EXCEEDED,
      bound: AT_EVERY_MOMENT,
      incidents: ['karpenter#2854'],
    }),
    requirement({
      id: 'LIM-04',
      profile: 'extended',
      features: ['spot'],
      title: 'When the quota of spot capacity is used up, a pool that allows on-demand capacity as well serves its pods from that.',
      rationale: 'A quota is no lack of capacity, and other zones and types do not help; another capacity type does.',
      observed: 'the account has room for few spot processors, and each pod runs within the bound',
      breaches: UNSERVED,
      bound: 'fallback',
      incidents: ['karpenter-provider-aws#5789'],
    }),
    requirement({
      id: 'LIM-05',
      title: 'Where the subnets of a zone have no addresses left, nodes come in another.',
      rationale: 'It looks like a lack of capacity and is one of the network. Launches into a full subnet were repeated for hours.',
      observed: 'two of three zones have no address left, and each pod runs within the bound, also where it would rather be spread',
      breaches: UNSERVED,
      bound: 'fallback',
      incidents: ['karpenter-provider-aws#3380'],
    }),
  ],
};
