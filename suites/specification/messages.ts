import { LEAKED, UNSERVED, requirement } from './requirement.ts';
import type { Area } from './requirement.ts';

export const messages: Area = {
  prefix: 'MSG',
  name: 'messages lost, late and twice',
  summary: 'queues deliver at least once, in no order, and sometimes not at all',
  requirements: [
    requirement({
      id: 'MSG-01',
      profile: 'extended',
      features: ['spot', 'interruption'],
      title: 'A message that comes several times is acted on once.',
      rationale:
        'At least once is all that a queue promises. A second drain of the same node, or a second replacement, is a disruption of its own.',
      observed: 'each message comes two or three times; pods run again within the bound, and no more is launched than any need explains',
      breaches: { ...UNSERVED, 'runaway-capacity': ['runaway-launches', 'launched-twice'] },
      bound: 'recover',
    }),
    requirement({
      id: 'MSG-02',
      profile: 'extended',
      features: ['spot', 'interruption'],
      title: 'A message that comes late, also after its instance is gone, or after one that followed it, does no harm.',
      rationale: 'It may be about an instance that nobody knows any more, or about a node that is being replaced already.',
      observed:
        'warnings come after the end, and recommendations after warnings; pods run again, nothing is launched twice, every instance is accounted for',
      breaches: {
        ...UNSERVED,
        ...LEAKED,
        'interruption-handled': ['interruption-ignored', 'pod-not-asked-to-leave'],
        'runaway-capacity': ['launched-twice'],
      },
      bound: 'recover',
    }),
    requirement({
      id: 'MSG-03',
      profile: 'extended',
      features: ['spot', 'interruption'],
      title: 'What a message that never came would have said is found out otherwise.',
      rationale: 'Notices are best effort. Who only listens keeps the nodes of the dead, and their pods, until somebody looks.',
      observed: 'instances are taken back and no message comes; their Nodes disappear and their pods run again within the bound',
      breaches: { ...UNSERVED, 'no-orphaned-nodes': ['orphaned-node'] },
      bound: 'node-without-instance',
      incidents: ['karpenter-provider-aws#9226', 'karpenter-provider-aws#9479', 'autoscaler#3255'],
    }),
    requirement({
      id: 'MSG-04',
      profile: 'extended',
      features: ['spot', 'interruption'],
      title: 'Messages that are malformed, unknown or about instances of others keep no later message from being acted on.',
      rationale: 'One message at the head of a queue that is never taken out holds up all behind it.',
      observed: 'such messages stand before a warning, and the warning is acted on within the bound; instances of others are left alone',
      breaches: {
        ...UNSERVED,
        'interruption-handled': ['interruption-ignored', 'pod-not-asked-to-leave', 'notice-not-read'],
        'foreign-instances': ['foreign-instance-ended'],
      },
      bound: 'interruption',
      incidents: ['karpenter-provider-aws#5400'],
    }),
    requirement({
      id: 'MSG-05',
      profile: 'extended',
      features: ['spot', 'interruption'],
      title: 'After an outage of the queue the notices that waited in it are read.',
      rationale: 'An error in the loop that reads must not be its end. Nothing shows that nobody listens any more until the next storm.',
      observed:
        'the queue is away in the middle of a storm; every notice in it is read within the bound, or within as long again as the outage took',
      breaches: { ...UNSERVED, 'interruption-handled': ['notice-not-read', 'interruption-ignored', 'pod-not-asked-to-leave'] },
      bound: 'interruption',
    }),
  ],
};
