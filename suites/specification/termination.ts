import { AT_EVERY_MOMENT, FORCED, TAKEN, UNASKED, UNSERVED, requirement } from './requirement.ts';
import type { Area } from './requirement.ts';

export const termination: Area = {
  prefix: 'TRM',
  name: 'termination and draining',
  summary: 'what is not needed ends, in order and in time',
  requirements: [
    requirement({
      id: 'TRM-01',
      title: 'An instance that nothing needs any more begins to end within the bound.',
      rationale: 'Capacity that stays is paid for until somebody notices. DaemonSet pods are no need.',
      observed: 'all pods go; from then on each instance is followed to the request that ends it',
      breaches: { 'scale-in': ['not-ended'] },
      bound: 'scale-in',
      incidents: ['autoscaler#6601'],
    }),
    requirement({
      id: 'TRM-02',
      title: 'When a pool is withdrawn its nodes are drained and ended, and pods that another pool can serve move there.',
      rationale: 'Pools are replaced in every migration. Nodes that outlive their pool belong to nobody.',
      observed:
        'a pool is withdrawn while pods run on its nodes; what it made ends, each pod was asked to leave before, and none is forced',
      breaches: { ...UNSERVED, ...FORCED, ...UNASKED, 'scale-in': ['not-ended'], 'world-settled': ['not-removed'] },
      bound: 'replacement',
    }),
    requirement({
      id: 'TRM-03',
      title: "Without pods and pools everything that was made for them disappears: instances, Nodes and the autoscaler's own objects.",
      rationale: 'A finalizer that nobody takes away is found by whoever wants to delete the cluster.',
      observed: 'all workloads and pools are removed, and what is still there after the bound is named',
      breaches: { 'world-settled': ['not-removed'], 'no-leaked-instances': ['leaked-instance'] },
      bound: 'teardown',
      incidents: ['karpenter-provider-aws#3562', 'karpenter-provider-aws#8180', 'karpenter-provider-aws#6905'],
    }),
    requirement({
      id: 'TRM-04',
      profile: 'extended',
      features: ['termination-grace'],
      title: 'A node that has to go ends when its grace period is over, whatever its pods have against it.',
      rationale:
        'Budgets that can never be met, and pods that never end, must not keep an outdated node for ever where users have set a limit.',
      observed: 'pods that may not be evicted run on a node that is deleted; its instance begins to end within the bound',
      breaches: { 'scale-in': ['not-ended'], 'world-settled': ['not-removed', 'not-settled'] },
      bound: 'termination-grace',
    }),
    requirement({
      id: 'TRM-05',
      profile: 'extended',
      features: ['termination-grace'],
      title: 'Before the grace period of a node is over, its pods leave as their budgets allow.',
      rationale: 'The period is the limit of patience and not a permission to begin with force.',
      observed: 'pods that may not be evicted run on a node that is deleted; none is deleted or killed before the period is over',
      breaches: { ...FORCED, 'grace-periods': ['grace-cut-short', 'asked-too-late'] },
      bound: { none: "the grace period is the user's, in the pool" },
    }),
    requirement({
      id: 'TRM-06',
      title: 'No instance is ended while a pod on it was not asked to leave, or was asked and is within its grace period.',
      rationale: 'The period is there to finish requests and to write what is in memory. Instances that are lost anyway are exempt.',
      observed: 'each request that ends an instance is compared with the pods that were running or ending there at that moment',
      breaches: { 'grace-periods': ['grace-cut-short', 'never-asked-to-leave'] },
      bound: AT_EVERY_MOMENT,
    }),
    requirement({
      id: 'TRM-07',
      title: 'An empty node that pods have come to since is not removed.',
      rationale: 'The decision is as old as what was seen then. The scheduler binds to every node that it may, and to an empty one gladly.',
      observed:
        'pods come back while their nodes are about to go, and what removes them is held up; none that they use is taken, and no more is launched than pods need',
      breaches: { ...UNSERVED, ...TAKEN, 'runaway-capacity': ['launched-twice'] },
      bound: 'recover',
      incidents: ['autoscaler#3886', 'autoscaler#5790', 'karpenter#3185'],
    }),
  ],
};
