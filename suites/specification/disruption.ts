import { TAKEN, UNASKED, UNSERVED, requirement } from './requirement.ts';
import type { Area, Breaches } from './requirement.ts';

/** A pod was moved and had nowhere to go, or has not run again in time. */
const STRANDED: Breaches = { ...UNSERVED, undisturbed: ['pod-without-node'] };
/** The same, and what had to stay was taken. */
const TAKEN_OR_STRANDED: Breaches = { ...UNSERVED, undisturbed: ['pod-without-node', 'node-taken'] };

export const disruption: Area = {
  prefix: 'DIS',
  name: 'consolidation, expiry and drift',
  summary: 'nodes that are replaced although they work: never at the cost of the pods on them',
  requirements: [
    requirement({
      id: 'DIS-01',
      profile: 'extended',
      features: ['consolidation'],
      title: 'A node whose pods fit elsewhere is emptied and ended within the bound.',
      rationale: 'Scale-in of pods leaves half-empty nodes everywhere, and none of them is empty.',
      observed: 'most pods go, from all nodes; the nodes that the rest does not need begin to end within the bound',
      breaches: { ...UNASKED, consolidation: ['not-consolidated'] },
      bound: 'consolidation',
    }),
    requirement({
      id: 'DIS-02',
      profile: 'extended',
      features: ['consolidation'],
      title: 'Where a node is to be replaced, its replacement takes pods before the node is drained.',
      rationale: 'Pods that wait for a node because of a saving were served before, and would be served still without it.',
      observed: 'pods that move because of a consolidation are never without a node that has room for them, and run again within the bound',
      breaches: TAKEN_OR_STRANDED,
      bound: 'provision',
      incidents: ['karpenter#1293'],
    }),
    requirement({
      id: 'DIS-03',
      profile: 'extended',
      features: ['consolidation'],
      title:
        'A pod that comes to a node between the decision to remove it and the removal is asked to leave and served elsewhere, or the node stays.',
      rationale:
        'A decision is as old as its view. The scheduler binds to every node that it may, also to one that was empty a moment ago.',
      observed: 'pods come while nodes are being emptied; each of them runs within the bound',
      breaches: TAKEN_OR_STRANDED,
      bound: 'provision',
      incidents: ['karpenter#3185', 'autoscaler#3886', 'autoscaler#5790'],
    }),
    requirement({
      id: 'DIS-04',
      profile: 'extended',
      features: ['consolidation'],
      title: 'Consolidation comes to rest: with the same pods, nodes are not replaced again and again.',
      rationale:
        'Each round restarts pods, and what is saved is paid twice. It happens when two halves of an autoscaler disagree about what fits.',
      observed: 'nothing changes in the pods, and after the bound nothing changes in the nodes',
      breaches: { ...TAKEN, 'world-settled': ['not-settled'], 'runaway-capacity': ['runaway-launches', 'launched-twice'] },
      bound: 'settle',
      incidents: ['karpenter-provider-aws#3921', 'karpenter-provider-aws#8536', 'karpenter#1293', 'autoscaler#9287'],
    }),
    requirement({
      id: 'DIS-05',
      profile: 'extended',
      features: ['consolidation'],
      title: 'While consolidation can not mark its nodes, because writes are refused, it removes none of them.',
      rationale: 'The mark is what keeps new pods away. Without it the check that the node is empty proves nothing.',
      observed: 'writes to Nodes are refused while reads work, and pods come meanwhile; all of them run within the bound',
      breaches: TAKEN_OR_STRANDED,
      bound: 'recover',
      incidents: ['karpenter#3185'],
    }),
    requirement({
      id: 'DIS-06',
      profile: 'extended',
      features: ['consolidation'],
      title: 'Where pods have preferences, as a soft spread, consolidation and provisioning do not undo what the other did.',
      rationale: 'One launches for the preference, the other removes what only the preference needed.',
      observed: 'pods with a soft spread are served and consolidated, and after the bound nothing changes in the nodes',
      breaches: { ...UNSERVED, ...TAKEN, 'world-settled': ['not-settled'], 'runaway-capacity': ['runaway-launches', 'launched-twice'] },
      bound: 'settle',
      incidents: ['autoscaler#8162', 'autoscaler#9287'],
    }),
    requirement({
      id: 'DIS-07',
      profile: 'extended',
      features: ['drift'],
      title: 'A node that is no longer as its pool says is replaced within the bound.',
      rationale: 'Changes of a pool, as of a label, a taint or an image, are made for reasons, and often for security.',
      observed: 'a pool changes; each instance that was launched before begins to end within the bound, and pods run throughout',
      breaches: { ...STRANDED, ...UNASKED, 'scale-in': ['not-ended'], 'runaway-capacity': ['launched-twice'] },
      bound: 'drift',
    }),
    requirement({
      id: 'DIS-08',
      profile: 'extended',
      features: ['drift'],
      title: 'Where replacements do not become nodes, the nodes that they were for stay.',
      rationale: 'A broken image then costs one launch. Otherwise it rolls through the fleet and ends it.',
      observed: 'a pool changes and new kubelets never register; pods go on running where they are',
      breaches: TAKEN_OR_STRANDED,
      bound: 'registration',
      incidents: ['karpenter-provider-aws#3979'],
    }),
    requirement({
      id: 'DIS-09',
      profile: 'extended',
      features: ['drift'],
      title: 'A question that failed is not an answer: no node is replaced because what it is compared with could not be read.',
      rationale: 'An empty list of images, subnets or types differs from everything.',
      observed: 'descriptions fail for a while, and nothing is launched for what runs already',
      breaches: { ...TAKEN, 'runaway-capacity': ['launched-twice', 'runaway-launches'] },
      bound: { none: 'nothing may happen, so there is no time to allow' },
    }),
    requirement({
      id: 'DIS-10',
      profile: 'extended',
      features: ['expiry'],
      title: 'A node that has reached the age its pool allows is replaced within the bound, and its pods run again within it.',
      rationale: 'A highest age is how patches reach machines that never need to change otherwise.',
      observed: 'nodes grow older than their pool allows; each instance begins to end within the bound, and pods run again',
      breaches: { ...UNSERVED, ...UNASKED, 'scale-in': ['not-ended'] },
      bound: 'expiry',
    }),
  ],
};
