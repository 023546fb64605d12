import { LEAKED, UNSERVED, requirement } from './requirement.ts';
import type { Area } from './requirement.ts';

export const messages: Area = {
  prefix: 'MSG',
  name: 'lost, late and duplicate messages',
  summary: 'queues deliver at least once, in any order, and sometimes not at all',
  requirements: [
    requirement({
      id: 'MSG-01',
      profile: 'extended',
      features: ['spot', 'interruption'],
      title: 'A message that arrives several times is acted on once.',
      rationale:
        'A queue promises only at-least-once delivery. A second drain of the same node, or a second replacement, is an additional disruption.',
      observed: 'each message arrives two or three times; pods run again within the bound, and no more is launched than is needed',
      breaches: { ...UNSERVED, 'runaway-capacity': ['runaway-launches', 'launched-twice'] },
      bound: 'recover',
    }),
    requirement({
      id: 'MSG-02',
      profile: 'extended',
      features: ['spot', 'interruption'],
      title: 'A message that arrives late, even after its instance is gone or after a later message, does no harm.',
      rationale: 'It may be about an instance that no longer exists, or about a node that is already being replaced.',
      observed:
        'warnings arrive after the end, and rebalance recommendations after warnings; pods run again, nothing is launched twice, and every instance is accounted for',
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
      title: 'When a message never arrives, the end of its instance is detected in another way.',
      rationale: 'Notices are best effort. An autoscaler that relies on them alone keeps dead nodes, and their pods, until someone looks.',
      observed: 'instances are interrupted and no message arrives; their Nodes are removed and their pods run again within the bound',
      breaches: { ...UNSERVED, 'no-orphaned-nodes': ['orphaned-node'] },
      bound: 'node-without-instance',
      incidents: ['karpenter-provider-aws#9226', 'karpenter-provider-aws#9479', 'autoscaler#3255'],
    }),
    requirement({
      id: 'MSG-04',
      profile: 'extended',
      features: ['spot', 'interruption'],
      title: 'Malformed messages, unknown messages and messages about foreign instances do not keep later messages from being acted on.',
      rationale: 'One message that is never deleted from the head of a queue blocks everything behind it.',
      observed: 'such messages are queued before a warning, and the warning is acted on within the bound; foreign instances are left alone',
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
      title: 'During an outage of the queue its reader backs off, and afterwards the notices that waited in it are read.',
      rationale:
        'An error must neither end the loop that reads the queue, which no one notices until the next wave of interruptions, nor make it spin.',
      observed:
        'the queue is down in the middle of many interruptions; every notice in it is read within the bound, extended by at most the length of the outage, and failed receives are counted per minute',
      breaches: {
        ...UNSERVED,
        'interruption-handled': ['notice-not-read', 'interruption-ignored', 'pod-not-asked-to-leave'],
        'request-amplification': ['request-hammered'],
      },
      bound: 'interruption',
      incidents: ['karpenter-provider-aws#2861'],
    }),
    requirement({
      id: 'MSG-06',
      profile: 'extended',
      features: ['spot', 'interruption'],
      title: 'A request for messages that is never answered is given up, and later notices are read.',
      rationale:
        'A connection may end without a word, for example when a gateway fails over. A reader that waits for ever looks healthy, and misses every notice until it is restarted.',
      observed:
        'one answer of the queue never arrives; minutes later an instance is interrupted, and its notice is read within the bound, extended by at most that time',
      breaches: {
        ...UNSERVED,
        'interruption-handled': ['notice-not-read', 'interruption-ignored', 'pod-not-asked-to-leave'],
      },
      bound: 'interruption',
      incidents: ['karpenter-provider-aws#9318'],
    }),
  ],
};
