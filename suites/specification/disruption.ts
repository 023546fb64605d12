import { AT_EVERY_MOMENT, TAKEN, UNASKED, UNSERVED, requirement } from './requirement.ts';
import type { Area, Breaches } from './requirement.ts';

/** A pod was moved and had nowhere to go, or did not run again in time. */
const STRANDED: Breaches = { ...UNSERVED, undisturbed: ['pod-without-node'] };
/** The same, or a node that had to stay was disrupted. */
const TAKEN_OR_STRANDED: Breaches = { ...UNSERVED, undisturbed: ['pod-without-node', 'node-taken'] };

export const disruption: Area = {
  prefix: 'DIS',
  name: 'consolidation, expiry and drift',
  summary: 'nodes that work are replaced to save money or to update them, but never at the expense of their pods',
  requirements: [
    requirement({
      id: 'DIS-01',
      profile: 'extended',
      features: ['consolidation'],
      title: 'A node whose pods fit elsewhere is drained and terminated within the bound.',
      rationale: 'When workloads are scaled in, many nodes are left half empty, and none completely empty.',
      observed: 'most pods on every node are removed; the nodes that the remaining pods do not need are told to terminate within the bound',
      breaches: { ...UNASKED, consolidation: ['not-consolidated'] },
      bound: 'consolidation',
    }),
    requirement({
      id: 'DIS-02',
      profile: 'extended',
      features: ['consolidation'],
      title: 'When a node is replaced, its replacement is ready for pods before the node is drained.',
      rationale: 'Pods that were running must not have to wait for a node just to save money.',
      observed: 'pods that move because of a consolidation always have a node with room for them, and run again within the bound',
      breaches: TAKEN_OR_STRANDED,
      bound: 'provision',
      incidents: ['karpenter#1293'],
    }),
    requirement({
      id: 'DIS-03',
      profile: 'extended',
      features: ['consolidation'],
      title:
        'If a pod is bound to a node after the decision to remove that node and before its removal, the pod is evicted and served elsewhere, or the node stays.',
      rationale:
        'A decision is based on state that may have changed. The scheduler uses every node that is schedulable, including one that was empty a moment ago.',
      observed: 'pods arrive while nodes are being drained; each of them runs within the bound',
      breaches: TAKEN_OR_STRANDED,
      bound: 'provision',
      incidents: ['karpenter#3185', 'autoscaler#3886', 'autoscaler#5790'],
    }),
    requirement({
      id: 'DIS-04',
      profile: 'extended',
      features: ['consolidation'],
      title: 'Consolidation converges: while the pods stay the same, nodes are not replaced again and again.',
      rationale:
        'Each round restarts pods and costs more than it saves. It happens when two parts of an autoscaler disagree about what fits.',
      observed: 'the pods do not change, and after the bound the nodes do not change either',
      breaches: { ...TAKEN, 'world-settled': ['not-settled'], 'runaway-capacity': ['runaway-launches', 'launched-twice'] },
      bound: 'settle',
      incidents: ['karpenter-provider-aws#3921', 'karpenter-provider-aws#8536', 'karpenter#1293', 'autoscaler#9287'],
    }),
    requirement({
      id: 'DIS-05',
      profile: 'extended',
      features: ['consolidation'],
      title: 'While writes are refused, so that nodes cannot be tainted or cordoned, consolidation removes no nodes.',
      rationale: 'The taint keeps new pods away. Without it, checking that the node is empty proves nothing.',
      observed: 'writes to Nodes are refused while reads work, and pods arrive meanwhile; all of them run within the bound',
      breaches: TAKEN_OR_STRANDED,
      bound: 'recover',
      incidents: ['karpenter#3185'],
    }),
    requirement({
      id: 'DIS-06',
      profile: 'extended',
      features: ['consolidation'],
      title: "When pods have preferences, such as a soft spread, consolidation and provisioning do not undo each other's work.",
      rationale: 'One launches a node for the preference, and the other removes the node that only the preference needed.',
      observed: 'pods with a soft spread are served and consolidated, and after the bound the nodes do not change',
      breaches: { ...UNSERVED, ...TAKEN, 'world-settled': ['not-settled'], 'runaway-capacity': ['runaway-launches', 'launched-twice'] },
      bound: 'settle',
      incidents: ['autoscaler#8162', 'autoscaler#9287'],
    }),
    requirement({
      id: 'DIS-07',
      profile: 'extended',
      features: ['drift'],
      title: 'A node that no longer matches its pool is replaced within the bound.',
      rationale: 'Pools are changed for a reason, often security: a new label, taint or image.',
      observed: 'a pool changes; the termination of each older instance starts within the bound, and pods keep running',
      breaches: { ...STRANDED, ...UNASKED, 'scale-in': ['not-ended'], 'runaway-capacity': ['launched-twice'] },
      bound: 'drift',
    }),
    requirement({
      id: 'DIS-08',
      profile: 'extended',
      features: ['drift'],
      title: 'A node stays until its replacement is a node that can run its pods.',
      rationale: 'A broken image then costs one launch. Otherwise it rolls through the fleet and takes it down.',
      observed: 'a pool changes, and new kubelets never register, or its types are too small; pods keep running where they are',
      breaches: TAKEN_OR_STRANDED,
      bound: 'registration',
      incidents: ['karpenter-provider-aws#3979'],
    }),
    requirement({
      id: 'DIS-09',
      profile: 'extended',
      features: ['drift'],
      title: 'A failure to read what a node is compared with never causes the node to be replaced.',
      rationale: 'An empty list of images, subnets or types differs from everything. A failed read is not evidence of drift.',
      observed: 'all Describe calls fail for a while, and nothing is launched to replace what runs',
      breaches: { ...TAKEN, 'runaway-capacity': ['launched-twice', 'runaway-launches'] },
      bound: { none: 'nothing is allowed to happen, so no time limit applies' },
    }),
    requirement({
      id: 'DIS-10',
      profile: 'extended',
      features: ['expiry'],
      title: 'A node that has reached the maximum age that its pool allows is replaced, and its pods run again, within the bound.',
      rationale: 'A maximum age is how patches reach nodes that nothing else would replace.',
      observed: 'nodes grow older than their pool allows; the termination of each instance starts within the bound, and pods run again',
      breaches: { ...UNSERVED, ...UNASKED, 'scale-in': ['not-ended'] },
      bound: 'expiry',
    }),
    requirement({
      id: 'DIS-11',
      title: 'No node is removed if its pods then need another one.',
      rationale:
        'The scheduler still counts a node that is being drained, and so a pod that fits elsewhere by the plan may fit nowhere. Its next node is as little used as the last one, and the same happens again.',
      observed:
        'pods that must spread over hosts are left alone on their nodes; nothing is launched, and no pod is without a node to go to',
      breaches: { ...STRANDED, 'runaway-capacity': ['launched-twice'] },
      bound: AT_EVERY_MOMENT,
      incidents: ['autoscaler#9287'],
    }),
    requirement({
      id: 'DIS-12',
      profile: 'extended',
      features: ['consolidation'],
      title: 'No node is removed to save costs before its pods have stayed the same for as long as its pool asks.',
      rationale:
        'Users set this time so that a short lull, or a roll-out, costs no nodes that are needed again at once. Whoever forgets when pods came and left removes nodes in the middle of both.',
      observed:
        'the pods of all nodes, or half of those of two, go at once after the nodes were unchanged for longer than that; each node stays for five minutes more',
      breaches: { ...TAKEN, 'consolidate-after': ['consolidated-early'] },
      bound: AT_EVERY_MOMENT,
      incidents: ['karpenter#3147'],
    }),
  ],
};
