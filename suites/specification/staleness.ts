import { AT_EVERY_MOMENT, LEAKED, TAKEN, UNSERVED, requirement } from './requirement.ts';
import type { Area } from './requirement.ts';

const TWICE = { 'runaway-capacity': ['launched-twice', 'runaway-launches'] };

export const staleness: Area = {
  prefix: 'STL',
  name: 'stale and inconsistent reads',
  summary: 'what is read may be old, and different reads may be differently old: absence is no proof',
  requirements: [
    requirement({
      id: 'STL-01',
      title: 'An instance that the cloud does not show yet is not taken for lost.',
      rationale: 'Descriptions follow changes with a delay. What was launched a second ago may be absent from a good answer.',
      observed:
        'descriptions lag by seconds, and by minutes; pods run within the bound, none is launched for twice, and no instance is lost',
      breaches: { ...UNSERVED, ...LEAKED, ...TWICE },
      bound: 'recover',
      incidents: ['karpenter-provider-aws#7684', 'karpenter-provider-aws#4342'],
    }),
    requirement({
      id: 'STL-02',
      title: 'An instance that the cloud does not know when it is to be ended is ended later.',
      rationale: '"Not found" right after a launch means "not yet". Who drops its record then drops the instance.',
      observed: 'pods and pool are withdrawn right after a launch, while the cloud denies the instance; none is live in the end',
      breaches: LEAKED,
      bound: 'settle',
      incidents: ['karpenter#1944', 'karpenter-provider-aws#7684'],
    }),
    requirement({
      id: 'STL-03',
      title: 'Watches that lag, each kind of object by another time, lead to no pod that is forgotten and no launch that is made twice.',
      rationale: "Pods, Nodes and objects of one's own come over different connections, in no order between them.",
      observed: 'the news of one kind comes late; pods run within the bound and no more is launched than they need',
      breaches: { ...UNSERVED, ...TWICE },
      bound: 'recover',
      incidents: ['karpenter-provider-aws#7800'],
    }),
    requirement({
      id: 'STL-04',
      title: 'A watch that is closed, or whose version is gone, is taken up again, and what changed meanwhile is seen.',
      rationale: 'API servers close watches all day. The list that follows may come from a replica that is a little behind.',
      observed: 'watches are closed and answered with 410, also with an older list after it; pods run within the bound, nothing is lost',
      breaches: { ...UNSERVED, ...LEAKED, ...TWICE },
      bound: 'recover',
      incidents: ['autoscaler#6601'],
    }),
    requirement({
      id: 'STL-05',
      title: 'After a start nothing is removed before everything was read that could speak against it.',
      rationale: 'With nodes listed and pods not, every node is empty.',
      observed: 'it is restarted, and pods are listed much later than nodes; no pod loses its node',
      breaches: { ...UNSERVED, ...TAKEN, ...TWICE },
      bound: 'recover',
      incidents: ['autoscaler#446'],
    }),
    requirement({
      id: 'STL-06',
      title: 'A list that failed, or of which a part failed, is no proof that something is gone.',
      rationale:
        'During the disruption of a zone descriptions fail altogether. A collection that runs on an empty list collects everything, and one that runs on a list without a page, or a zone, what was there.',
      observed:
        'descriptions fail for a while, first all of them, then most attempts; nothing is launched in the place of what runs, and nothing that runs is ended',
      breaches: { ...UNSERVED, ...LEAKED, ...TWICE },
      bound: AT_EVERY_MOMENT,
    }),
    requirement({
      id: 'STL-07',
      title: 'Objects that come and go within a moment do not stop what comes after them.',
      rationale: 'Who waits to have seen each object that it wrote waits for ever for one that was deleted first.',
      observed: 'pods, what is launched for them, and a pool come and go within moments; the pods that come later run within the bound',
      breaches: UNSERVED,
      bound: 'recover',
      incidents: ['karpenter#3176'],
    }),
  ],
};
