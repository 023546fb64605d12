import { AT_EVERY_MOMENT, LEAKED, TAKEN, UNSERVED, requirement } from './requirement.ts';
import type { Area } from './requirement.ts';

export const crashes: Area = {
  prefix: 'CRA',
  name: 'controller crashes',
  summary: 'an autoscaler may die between any two of its writes; the next one has to continue from what is there',
  requirements: [
    requirement({
      id: 'CRA-01',
      title: 'Whenever the autoscaler is killed, it serves all pods within the bound after its restart.',
      rationale: 'Nodes are drained, processes run out of memory, new versions roll out. State that was only in memory is lost.',
      observed:
        'the autoscaler is killed before a launch, after a launch, or after any other side effect, and restarted; each pod runs within the bound',
      breaches: { ...UNSERVED, 'target-alive': ['not-ready'] },
      bound: 'recover',
      incidents: ['karpenter#2534'],
    }),
    requirement({
      id: 'CRA-02',
      title: 'Whenever the autoscaler is killed, no instance is forgotten.',
      rationale: 'Between a launch and its first record in the cluster, only the cloud knows the instance.',
      observed:
        'the autoscaler is killed after a side effect and before its answer, and restarted; each instance becomes a node or ends within the bound',
      breaches: LEAKED,
      bound: 'instance-without-node',
      incidents: ['karpenter-provider-aws#549', 'karpenter-provider-aws#1380', 'karpenter#1448'],
    }),
    requirement({
      id: 'CRA-03',
      title: 'After a graceful restart nothing is launched for pods whose nodes are on their way.',
      rationale: 'Every upgrade of an autoscaler is a restart. The new process sees pending pods and no nodes.',
      observed: 'the autoscaler is stopped gracefully while many instances boot, and restarted; no more is launched than pods need',
      breaches: { 'runaway-capacity': ['launched-twice'] },
      bound: AT_EVERY_MOMENT,
      incidents: ['karpenter#2534'],
    }),
    requirement({
      id: 'CRA-04',
      level: 'SHOULD',
      title: 'Even after a kill, no two instances are launched for the same need.',
      rationale: 'A second instance that is collected within minutes is acceptable; one that is never launched is better.',
      observed:
        'the autoscaler is killed right after a launch took effect, and again soon after its restart; no more is launched than pods need',
      breaches: { 'runaway-capacity': ['launched-twice'] },
      bound: AT_EVERY_MOMENT,
      incidents: ['karpenter#2534'],
    }),
    requirement({
      id: 'CRA-05',
      title: 'A node removal that a crash interrupted is completed or undone.',
      rationale: 'A node that is tainted for removal and then forgotten accepts no pods and is never terminated.',
      observed:
        'the autoscaler is killed after any side effect of a scale-in or a consolidation, and restarted; instances that are not needed end, and pods are served',
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
      title: 'The autoscaler does not exit by itself, does not panic, and becomes ready after each start.',
      rationale:
        'A crash loop is an outage of everything that the autoscaler does. Exiting at startup or on a lost lease is acceptable while the cause lasts.',
      observed: 'every exit that was not provoked counts, and every panic, even one that the autoscaler recovered from',
      breaches: { 'target-alive': ['exited', 'panicked', 'recovered-panic', 'not-ready'] },
      bound: { none: 'an exit or a panic is a breach at any moment; a start may take as long as the target declares' },
      incidents: ['karpenter-provider-aws#1703', 'karpenter-provider-aws#7184', 'karpenter-provider-aws#8496'],
    }),
    requirement({
      id: 'CRA-07',
      title: 'The autoscaler does not hang, spin in a loop, or use memory without limit.',
      rationale: 'A process that is alive but does nothing is worse than one that has exited, because nothing restarts it.',
      observed:
        'the supervisor of the trial watches event-loop turns, time and memory, and names the part that is stuck; in the profile endurance it is also measured whether what the autoscaler holds in memory grows while a load repeats itself',
      breaches: { 'target-alive': ['hung', 'spun', 'out-of-memory'], 'memory-growth': ['memory-grows'] },
      bound: { none: 'the limits are those of the process of a trial, far beyond any normal use' },
      incidents: ['autoscaler#6601'],
    }),
    requirement({
      id: 'CRA-08',
      title: 'After a pause, even one longer than its lease, the autoscaler does not act on old state without reading it again.',
      rationale:
        'A suspended process does not know that time has passed, and carries on where it stopped. Meanwhile another replica may have been the leader, and the cluster has changed.',
      observed:
        'the autoscaler is paused while it launches, or is about to remove nodes, and resumes minutes later; no pod gets a second node, no node in use is removed, and no instance is lost',
      breaches: { ...UNSERVED, ...LEAKED, ...TAKEN, 'runaway-capacity': ['launched-twice'], leadership: ['two-leaders'] },
      bound: 'recover',
    }),
    requirement({
      id: 'CRA-09',
      level: 'SHOULD',
      title: 'An upgrade leaves stored objects valid, and what users wrote in them.',
      rationale:
        'A stored object that the new definitions refuse can be changed only in parts, and not created again from a backup. A field that they drop is lost.',
      observed:
        'with a target `FROM..TO`, every object is created again in a dry run after the upgrade, and compared with what it was before',
      breaches: { 'stored-objects': ['invalid-after-upgrade', 'altered-by-upgrade'] },
      bound: { none: 'what an upgrade does to stored objects is a breach at any moment' },
    }),
    requirement({
      id: 'CRA-10',
      title: 'Told to stop, the autoscaler stops within the grace period of its pod.',
      rationale:
        'Until it is gone, and its lease with it, its successor waits: each roll-out is an outage. Whoever is killed also leaves work half done.',
      observed: 'at the end of each trial, and in roll-outs, the autoscaler is told to stop, as by SIGTERM, while no fault is active',
      breaches: { 'target-alive': ['not-stopped'] },
      bound: { none: 'the grace period is the 30 s that pods have by default' },
    }),
  ],
};
