import { AT_EVERY_MOMENT, LEAKED, TAKEN, UNSERVED, requirement } from './requirement.ts';
import type { Area } from './requirement.ts';

const TWICE = { 'runaway-capacity': ['launched-twice', 'runaway-launches'] };

export const staleness: Area = {
  prefix: 'STL',
  name: 'stale and inconsistent reads',
  summary: 'reads may be old, and different reads may differ in age: an object that is missing from a read may still exist',
  requirements: [
    requirement({
      id: 'STL-01',
      title: 'An instance that the cloud does not show yet is not treated as lost.',
      rationale:
        'The results of Describe calls lag behind changes. An instance that was launched a second ago may be missing from a successful response.',
      observed:
        'the results lag by seconds or by minutes; pods run within the bound, nothing is launched twice for a pod, and no instance is lost',
      breaches: { ...UNSERVED, ...LEAKED, ...TWICE },
      bound: 'recover',
      incidents: ['karpenter-provider-aws#7684', 'karpenter-provider-aws#4342'],
    }),
    requirement({
      id: 'STL-02',
      profile: 'extended',
      features: ['pool-removal'],
      title: 'If the cloud does not know an instance yet when the autoscaler tries to terminate it, the autoscaler tries again later.',
      rationale: 'Right after a launch, "not found" means "not yet". An autoscaler that drops its record at that point leaks the instance.',
      observed:
        'pods and pool are removed right after a launch, while the cloud does not know the instance yet; in the end no instance is live',
      breaches: LEAKED,
      bound: 'settle',
      incidents: ['karpenter#1944', 'karpenter-provider-aws#7684'],
    }),
    requirement({
      id: 'STL-03',
      title: 'When watches lag, by a different delay for each kind of object, no pod is forgotten and no launch is repeated.',
      rationale: 'Pods, Nodes and custom resources arrive over different connections, in no particular order relative to each other.',
      observed: 'updates of one kind arrive late; pods run within the bound and no more is launched than they need',
      breaches: { ...UNSERVED, ...TWICE },
      bound: 'recover',
      incidents: ['karpenter-provider-aws#7800'],
    }),
    requirement({
      id: 'STL-04',
      title: 'A watch that is closed, or whose resource version has expired, is resumed, and no change in between is missed.',
      rationale: 'API servers close watches all day. The list that follows may come from a replica that is slightly behind.',
      observed:
        'watches are closed and answered with 410, some with an older list afterwards; pods run within the bound, and nothing is lost',
      breaches: { ...UNSERVED, ...LEAKED, ...TWICE },
      bound: 'recover',
      incidents: ['autoscaler#6601'],
    }),
    requirement({
      id: 'STL-05',
      title: 'After a start, no node is removed before everything that could prevent the removal has been read.',
      rationale: 'If nodes are listed and pods are not, every node looks empty.',
      observed: 'the autoscaler is restarted, and pods are listed much later than nodes; no pod loses its node',
      breaches: { ...UNSERVED, ...TAKEN, ...TWICE },
      bound: 'recover',
      incidents: ['autoscaler#446'],
    }),
    requirement({
      id: 'STL-06',
      title: 'A list that failed, in whole or in part, is not evidence that something is gone.',
      rationale:
        'During a zone outage Describe calls may fail completely. A garbage collector that acts on an empty list removes everything, and one that acts on a list from which a page or a zone is missing removes whatever the missing part contained.',
      observed:
        'for a while Describe calls fail, first all of them, then most; nothing is launched to replace what runs, and nothing that runs is terminated',
      breaches: { ...UNSERVED, ...LEAKED, ...TWICE },
      bound: AT_EVERY_MOMENT,
    }),
    requirement({
      id: 'STL-07',
      title: 'Objects that appear and disappear within moments do not block what comes after them.',
      rationale:
        'If an autoscaler waits until it has seen every object that it wrote, it waits for ever when one of them is deleted first.',
      observed: 'pods, the nodes launched for them, and a pool appear and disappear within moments; later pods run within the bound',
      breaches: UNSERVED,
      bound: 'recover',
      incidents: ['karpenter#3176'],
    }),
    requirement({
      id: 'STL-08',
      title: 'A node that looks as if it never became ready is not given up before its state was read.',
      rationale: 'A watch that is refused or lags shows the past for minutes: by then the node is ready, and pods run there.',
      observed:
        'nodes become ready before the autoscaler would give them up, and it is told of that after it would; no node goes once the pods run',
      breaches: { ...UNSERVED, undisturbed: ['pod-without-node'] },
      bound: 'recover',
      incidents: ['karpenter#1100'],
    }),
    requirement({
      id: 'STL-09',
      title: 'An instance is not taken for a leak because a list that may be old lacks its record.',
      rationale:
        'A list from the watch cache of an API server may be minutes old, after a start and while a watch lags. A garbage collector that acts on it terminates instances that are in use, with all of their pods.',
      observed:
        'the autoscaler sees its own records minutes late, after a restart or all the time; no instance that it launched meanwhile is terminated',
      breaches: { ...UNSERVED, ...TAKEN, ...TWICE, 'grace-periods': ['never-asked-to-leave'] },
      bound: AT_EVERY_MOMENT,
    }),
  ],
};
