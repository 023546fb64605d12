import { AT_EVERY_MOMENT, FORCED, TAKEN, UNASKED, UNSERVED, requirement } from './requirement.ts';
import type { Area } from './requirement.ts';

export const termination: Area = {
  prefix: 'TRM',
  name: 'termination and draining',
  summary: 'nodes that are not needed are removed, cleanly and in time',
  requirements: [
    requirement({
      id: 'TRM-01',
      title: 'An instance that is no longer needed is told to terminate within the bound.',
      rationale: 'Unused capacity costs money until someone notices. DaemonSet pods and finished pods are no reason to keep a node.',
      observed: 'all pods are removed, or finish; from then on each instance is followed until the request that ends it',
      breaches: { 'scale-in': ['not-ended'] },
      bound: 'scale-in',
      incidents: ['autoscaler#6601', 'autoscaler#8707', 'karpenter-provider-aws#946'],
    }),
    requirement({
      id: 'TRM-02',
      profile: 'extended',
      features: ['pool-removal'],
      title: 'When a pool is removed, its nodes are drained and terminated, and pods that another pool can serve move there.',
      rationale: 'Every migration replaces pools. Nodes that outlive their pool are managed by no one.',
      observed:
        'a pool is removed while pods run on its nodes; its instances end, each pod was asked to leave before, and none is deleted or killed in violation of its budget',
      breaches: { ...UNSERVED, ...FORCED, ...UNASKED, 'scale-in': ['not-ended'], 'world-settled': ['not-removed'] },
      bound: 'replacement',
    }),
    requirement({
      id: 'TRM-03',
      title: "Without pods and pools, everything made for them is removed: instances, Nodes and the autoscaler's own objects.",
      rationale: 'A finalizer that is never removed blocks the deletion of the cluster.',
      observed: 'all workloads and pools are removed, and whatever is left after the bound is reported',
      breaches: { 'world-settled': ['not-removed'], 'no-leaked-instances': ['leaked-instance'] },
      bound: 'teardown',
      incidents: ['karpenter-provider-aws#3562', 'karpenter-provider-aws#8180', 'karpenter-provider-aws#6905'],
    }),
    requirement({
      id: 'TRM-04',
      profile: 'extended',
      features: ['termination-grace'],
      title: 'A node that is being removed ends when its grace period is over, whatever its pods do to prevent it.',
      rationale:
        'When users have set a limit, budgets that can never be met and pods that never end must not keep an outdated node for ever.',
      observed: 'pods that may not be evicted run on a node that is deleted; its instance is told to terminate within the bound',
      breaches: { 'scale-in': ['not-ended'], 'world-settled': ['not-removed', 'not-settled'] },
      bound: 'termination-grace',
    }),
    requirement({
      id: 'TRM-05',
      profile: 'extended',
      features: ['termination-grace'],
      title: 'Until the grace period of a node is over, its pods leave only as their budgets allow.',
      rationale: 'The grace period limits how long to wait. It is not permission to delete pods early.',
      observed: 'pods that may not be evicted run on a node that is deleted; none is deleted or killed before the period is over',
      breaches: { ...FORCED, 'grace-periods': ['grace-cut-short', 'asked-too-late'] },
      bound: { none: 'the user sets the grace period in the pool' },
    }),
    requirement({
      id: 'TRM-06',
      title: 'No instance is terminated while a pod on it has not been asked to leave, or is still within its grace period.',
      rationale: 'Pods use the grace period to finish requests and to save data. Instances that are lost anyway are exempt.',
      observed: 'each request that ends an instance is compared with the pods that were running or terminating on it at that moment',
      breaches: { 'grace-periods': ['grace-cut-short', 'never-asked-to-leave'], 'group-sizes': ['member-taken'] },
      bound: AT_EVERY_MOMENT,
    }),
    requirement({
      id: 'TRM-07',
      title: 'A node that was empty but has received pods since is not removed.',
      rationale:
        'A decision is based on what was seen at the time. The scheduler uses every node that is schedulable, and prefers empty ones.',
      observed:
        'pods come back while their nodes are about to be removed, and the removal is delayed; no node that they use is removed, and no more is launched than pods need',
      breaches: { ...UNSERVED, ...TAKEN, 'runaway-capacity': ['launched-twice'] },
      bound: 'recover',
      incidents: ['autoscaler#3886', 'autoscaler#5790', 'karpenter#3185'],
    }),
    requirement({
      id: 'TRM-08',
      profile: 'extended',
      features: ['do-not-disrupt'],
      title: 'Nothing is launched for pods that opted out of disruption and so stay on a node that is being removed.',
      rationale: 'Nobody knows when such a pod will end. A node that is launched for it early is empty, and costs money until then.',
      observed: 'the pool of nodes with such pods is removed while another pool could serve them; no further instance is launched',
      breaches: { 'runaway-capacity': ['launched-twice'], 'world-settled': ['not-settled'] },
      bound: AT_EVERY_MOMENT,
      incidents: ['karpenter#1928'],
    }),
    requirement({
      id: 'TRM-09',
      profile: 'extended',
      features: ['drain-order'],
      title: 'Critical pods, and those of DaemonSets, are asked to leave a node after its other pods.',
      rationale:
        'They serve the others: without the storage driver a volume is not detached, and the pod that needs it starts minutes later elsewhere.',
      observed:
        'a critical pod and ordinary ones, which take a while to stop, are on a node that is drained; who was asked to leave first is compared',
      breaches: { 'drain-order': ['critical-pod-first'] },
      bound: AT_EVERY_MOMENT,
    }),
  ],
};
