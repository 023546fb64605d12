import { FORCED, LEAKED, UNSERVED, requirement } from './requirement.ts';
import type { Area } from './requirement.ts';

export const interruption: Area = {
  prefix: 'INT',
  name: 'interruption',
  summary: 'when instances are taken away, with or without notice, their pods are moved while there is time',
  requirements: [
    requirement({
      id: 'INT-01',
      profile: 'extended',
      features: ['spot', 'interruption'],
      title:
        'Within the bound after a notice is delivered, the node of an interrupted instance accepts no more pods, however many instances are interrupted at once.',
      rationale:
        'Every pod that is placed there after the notice dies within two minutes. Time counts from the delivery, because a slow queue is not the fault of its reader.',
      observed: 'once a notice has been read, the node is watched until it is tainted, cordoned or deleted',
      breaches: { 'interruption-handled': ['interruption-ignored'] },
      bound: 'interruption',
      incidents: ['karpenter-provider-aws#5400'],
    }),
    requirement({
      id: 'INT-02',
      profile: 'extended',
      features: ['spot', 'interruption'],
      title: 'Every pod that may be evicted is asked to leave before its interrupted instance ends, and asked again when that is refused.',
      rationale:
        'A notice is useful only if pods get the time to shut down cleanly. Terminating the instance at once takes that time away, and so does giving up after one refused eviction.',
      observed:
        'every pod that was still running on an interrupted instance when the instance ended is checked: it must have been evicted or deleted by then, even if that was refused at first',
      breaches: { 'interruption-handled': ['pod-not-asked-to-leave'] },
      bound: 'interruption',
      incidents: ['karpenter-provider-aws#8160'],
    }),
    requirement({
      id: 'INT-03',
      profile: 'extended',
      features: ['spot', 'interruption'],
      title: 'The pods of interrupted instances run again within the bound.',
      rationale: 'The replacement need not be ready before the instance ends, because two minutes may not be enough; but it has to come.',
      observed: 'a Deployment on spot instances is served again after one, several or all of them were interrupted',
      breaches: UNSERVED,
      bound: 'recover',
    }),
    requirement({
      id: 'INT-04',
      profile: 'extended',
      features: ['spot', 'interruption'],
      title: 'No pod is deleted or killed in violation of its PodDisruptionBudget because of an interruption.',
      rationale: 'The cloud may violate a budget, but the autoscaler may not: it retries a refused eviction as long as there is time.',
      observed: 'protected pods run on interrupted instances: they are evicted as the budget allows, or the cloud ends them',
      breaches: FORCED,
      bound: { none: 'the cloud ends the instance whether or not all pods have left' },
    }),
    requirement({
      id: 'INT-05',
      profile: 'extended',
      features: ['spot', 'interruption'],
      title: 'The offering of an interrupted instance is not launched again for the declared time.',
      rationale: 'Capacity that was just reclaimed is the least likely to stay. The replacement would be interrupted next.',
      observed: 'the time from the delivery of a notice to the next launch of the same type, zone and capacity type is at least the bound',
      breaches: { 'interruption-handled': ['interrupted-offering-bought-again'] },
      bound: 'masked-offering',
    }),
    requirement({
      id: 'INT-06',
      profile: 'extended',
      features: ['spot', 'interruption'],
      title:
        'A notice about an instance that is not a node yet is acted on like any other: the autoscaler neither loses the instance nor waits for it.',
      rationale: 'The notice may arrive before anything in the cluster knows the instance id in it.',
      observed: 'instances are interrupted before they have registered; pods run within the bound and every instance is accounted for',
      breaches: { ...UNSERVED, ...LEAKED, 'interruption-handled': ['interruption-ignored', 'pod-not-asked-to-leave'] },
      bound: 'recover',
      incidents: ['karpenter-provider-aws#5400'],
    }),
    requirement({
      id: 'INT-07',
      profile: 'extended',
      features: ['interruption', 'maintenance'],
      title: 'Nodes whose hosts are scheduled for retirement are drained within the bound, and within the budgets of their pods.',
      rationale: 'There are weeks left, so there is no reason to use force or to wait until the last minute.',
      observed:
        'a scheduled change is announced for all nodes; the termination of each of them starts within the bound, and no protected pod is deleted or killed',
      breaches: { 'scale-in': ['not-ended'], ...FORCED, 'interruption-handled': ['notice-not-read'] },
      bound: 'replacement',
    }),
    requirement({
      id: 'INT-08',
      title: 'The pods of an instance that ended without notice run again within the bound.',
      rationale: 'Notices are best effort, and people terminate instances by hand. The Node still looks Ready for a while.',
      observed: 'someone else terminates instances; the pods that ran on them run elsewhere within the bound',
      breaches: UNSERVED,
      bound: 'replacement',
      incidents: ['karpenter-provider-aws#9226', 'autoscaler#3255', 'autoscaler#2930'],
    }),
    requirement({
      id: 'INT-09',
      title: 'A node is not replaced while its kubelet has been silent for less than the time after which pods are evicted.',
      rationale:
        'Its pods may still be running. Kubernetes waits five minutes before it evicts them, and until then a second node is of no use.',
      observed: 'a kubelet stops and comes back; nothing is launched beyond what pods need, and all pods run',
      breaches: { 'runaway-capacity': ['launched-twice'], ...UNSERVED },
      bound: 'replacement',
    }),
    requirement({
      id: 'INT-10',
      profile: 'extended',
      features: ['spot', 'interruption', 'consolidation'],
      title:
        'An interruption during a consolidation loses no pod: neither the consolidation nor the interruption handling relies on nodes that the other removes.',
      rationale: 'Otherwise the node that was to receive the pods may itself be interrupted, or the interrupted node counted twice.',
      observed: 'notices arrive while nodes are consolidated; pods run again within the bound',
      breaches: { ...UNSERVED, 'interruption-handled': ['interruption-ignored', 'pod-not-asked-to-leave'] },
      bound: 'recover',
    }),
    requirement({
      id: 'INT-11',
      profile: 'extended',
      features: ['spot', 'interruption'],
      title: 'A second handler of the same events does no harm: a node that it has already cordoned or drained is replaced once.',
      rationale: 'Many clusters run a termination handler beside their autoscaler, at least while they migrate from one to the other.',
      observed: 'someone else also cordons interrupted nodes and evicts their pods; pods run again and no more is launched than they need',
      breaches: { ...UNSERVED, 'runaway-capacity': ['runaway-launches', 'launched-twice'] },
      bound: 'recover',
    }),
    requirement({
      id: 'INT-12',
      title: 'While no node is Ready, however long that takes, none is removed for it.',
      rationale:
        'What all nodes have in common is the network or the control plane. Kubernetes itself evicts no pods then, and new nodes would fare no better.',
      observed:
        'all kubelets are silent for half an hour, and come back; all pods still run, nothing is launched beyond what they need, and pods are served where they were',
      breaches: { 'runaway-capacity': ['launched-twice'], ...UNSERVED },
      bound: 'replacement',
      incidents: ['karpenter#3031'],
    }),
  ],
};
