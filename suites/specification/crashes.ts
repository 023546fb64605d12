import { AT_EVERY_MOMENT, LEAKED, TAKEN, UNSERVED, requirement } from './requirement.ts';
import type { Area } from './requirement.ts';

export const crashes: Area = {
  prefix: 'CRA',
  name: 'controller crashes',
  summary: 'an autoscaler may die between any two of its writes; the next one finds the world as it was left',
  requirements: [
    requirement({
      id: 'CRA-01',
      title: 'Wherever the autoscaler is killed, the next one serves all pods within the bound.',
      rationale: 'Nodes are drained, memory runs out, versions are rolled out. What was only in memory is gone.',
      observed:
        'it is killed before a launch, after a launch, or after any other side effect, and started again; each pod runs within the bound',
      breaches: { ...UNSERVED, 'target-alive': ['not-ready'] },
      bound: 'recover',
      incidents: ['karpenter#2534'],
    }),
    requirement({
      id: 'CRA-02',
      title: 'Wherever the autoscaler is killed, no instance is forgotten.',
      rationale: 'Between a launch and its first record lies a moment in which the cloud alone knows the instance.',
      observed:
        'it is killed after a side effect and before its answer, and started again; each instance becomes a node or ends within the bound',
      breaches: LEAKED,
      bound: 'instance-without-node',
      incidents: ['karpenter-provider-aws#549', 'karpenter-provider-aws#1380', 'karpenter#1448'],
    }),
    requirement({
      id: 'CRA-03',
      title: 'After an orderly restart nothing is launched for pods whose nodes are on their way.',
      rationale: 'Every upgrade of an autoscaler is a restart. The new one sees pending pods and no nodes.',
      observed: 'it is asked to stop while many instances boot, and started again; no more is launched than pods need',
      breaches: { 'runaway-capacity': ['launched-twice'] },
      bound: AT_EVERY_MOMENT,
      incidents: ['karpenter#2534'],
    }),
    requirement({
      id: 'CRA-04',
      level: 'SHOULD',
      title: 'Also after a kill, no need is ever served by two instances at once.',
      rationale: 'A second instance that is collected after some minutes is legal; one that is never launched is better.',
      observed: 'it is killed right after a launch took effect, and again soon after the start; no more is launched than pods need',
      breaches: { 'runaway-capacity': ['launched-twice'] },
      bound: AT_EVERY_MOMENT,
      incidents: ['karpenter#2534'],
    }),
    requirement({
      id: 'CRA-05',
      title: 'A removal that a crash has interrupted is carried through or undone.',
      rationale: 'A node that is marked to go, and that nobody remembers, takes no pods and is never ended.',
      observed:
        'it is killed after any side effect of a scale-in or a consolidation, and started again; what is not needed ends, and pods are served',
      breaches: {
        ...UNSERVED,
        ...LEAKED,
        'scale-in': ['not-ended'],
        consolidation: ['not-consolidated'],
        'world-settled': ['not-settled', 'not-removed'],
      },
      bound: 'settle',
      incidents: ['autoscaler#3949', 'autoscaler#5657', 'autoscaler#5048'],
    }),
    requirement({
      id: 'CRA-06',
      title: 'The autoscaler does not end by itself, meets no error that it does not handle, and is ready again after a start.',
      rationale:
        'A crash loop is an outage of everything that it does. To exit at start or on a lost lease, as long as the cause lasts, is legal.',
      observed: 'every exit that was not provoked counts, and every panic, also one that it recovered from',
      breaches: { 'target-alive': ['exited', 'panicked', 'recovered-panic', 'not-ready'] },
      bound: AT_EVERY_MOMENT,
      incidents: ['karpenter-provider-aws#1703', 'karpenter-provider-aws#7184', 'karpenter-provider-aws#8496'],
    }),
    requirement({
      id: 'CRA-07',
      title: 'The autoscaler neither hangs, nor spins, nor eats memory without end.',
      rationale: 'A process that is there and does nothing is worse than one that is gone: nobody starts it again.',
      observed: 'who supervises the trial sees turns, time and memory, and names the part that is stuck',
      breaches: { 'target-alive': ['hung', 'spun', 'out-of-memory'] },
      bound: { none: 'the limits are those of the process of a trial, far beyond any use' },
      incidents: ['autoscaler#6601'],
    }),
    requirement({
      id: 'CRA-08',
      title: 'An autoscaler that stood still, also for longer than its lease, acts on nothing that it knew before without looking again.',
      rationale:
        'A machine that was suspended does not know that time has passed, and finishes its sentence. Meanwhile another may have led, and the world has moved.',
      observed:
        'it is stopped while it launches, or is about to remove, and goes on minutes later; no pod is served twice, no node in use is taken, and no instance is lost',
      breaches: { ...UNSERVED, ...LEAKED, ...TAKEN, 'runaway-capacity': ['launched-twice'] },
      bound: 'recover',
    }),
  ],
};
