import { UNSERVED, requirement } from './requirement.ts';
import type { Area } from './requirement.ts';

const HAMMERED = { 'request-amplification': ['request-hammered'] };

export const capacity: Area = {
  prefix: 'CAP',
  name: 'capacity errors and fallback',
  summary: 'when capacity is missing, the autoscaler falls back without hammering the API, and uses the capacity again when it returns',
  requirements: [
    requirement({
      id: 'CAP-01',
      title: 'When an offering has no capacity, its pods are served from another offering that the pools allow.',
      rationale:
        'It is normal for a cloud to run out of one type in one zone. Retrying the same offering only helps when another customer leaves.',
      observed: 'a zone has no capacity, or every offering has only one instance left, and each pod runs within the bound',
      breaches: UNSERVED,
      bound: 'fallback',
      incidents: ['autoscaler#4438', 'autoscaler#5756', 'karpenter#1899'],
    }),
    requirement({
      id: 'CAP-02',
      title: 'The fallback also succeeds when errors name only one of the offerings that were tried, or none.',
      rationale: 'EC2 answers like this: nine in ten launch errors name one type in one zone, although many were requested.',
      observed: 'errors name one offering or none, and each pod runs within the bound, which allows one attempt for each offering',
      breaches: UNSERVED,
      bound: 'fallback',
      incidents: ['karpenter#3198'],
    }),
    requirement({
      id: 'CAP-03',
      profile: 'extended',
      features: ['spot'],
      title: 'When spot capacity is not available, a pool that also allows on-demand capacity serves its pods with on-demand capacity.',
      rationale: 'Users who allow both want their pods served first, and cheaply second.',
      observed:
        'no spot capacity is left in one zone, then in any zone, or it costs more than launches may pay, and each pod runs within the bound',
      breaches: UNSERVED,
      bound: 'fallback',
      incidents: ['karpenter-provider-aws#5789', 'karpenter-provider-aws#8885', 'karpenter-provider-aws#9498'],
    }),
    requirement({
      id: 'CAP-04',
      title:
        'An offering that was refused, or a group that could not launch, is not asked again by later launches, whichever pod they are for.',
      rationale:
        'If every pod has to find out for itself, each one costs a request and a round, and during a shortage nothing else gets done. Each autoscaler declares how long it avoids a refused offering; the known autoscalers avoid it for minutes. Launches that may have been decided before the refusal was known are exempt.',
      observed:
        'once a response has named an offering as lacking capacity, no launch names it, alone or among others, until the bound has passed; a size that a group does not reach is taken back, and not asked for again until the bound has passed; unsuccessful launches stay within the rate of a backoff, and the pods of later batches run in time',
      breaches: {
        ...UNSERVED,
        ...HAMMERED,
        'refused-offerings': ['refused-offering-asked-again'],
        'group-sizes': ['failing-group-asked-again', 'unmet-size-kept'],
      },
      bound: 'masked-offering',
      incidents: ['karpenter#3198', 'autoscaler#4438'],
    }),
    requirement({
      id: 'CAP-05',
      title: 'While no offering has capacity, launches are not requested more often than a backoff would allow.',
      rationale: 'Failed requests use up a budget that everything in the account shares, so useful requests are throttled as well.',
      observed: 'unsuccessful responses are counted per minute for each group of identical requests',
      breaches: HAMMERED,
      bound: 'empty-answers-a-minute',
      incidents: ['karpenter#3198'],
    }),
    requirement({
      id: 'CAP-06',
      title: 'Pods that waited for capacity run within the bound once it returns.',
      rationale: 'A backoff without an upper limit, or an offering that is never tried again, turns minutes without capacity into hours.',
      observed: 'capacity returns after a while, and from then on every waiting pod runs within the bound',
      breaches: UNSERVED,
      bound: 'recover',
      incidents: ['karpenter-provider-aws#5850'],
    }),
    requirement({
      id: 'CAP-07',
      profile: 'extended',
      features: ['weights'],
      title: 'When the preferred pool has no capacity, pods are served from a pool with a lower weight.',
      rationale: 'A weight orders the pools that can serve a pod, and a pool without capacity cannot serve it.',
      observed: 'the only type of the preferred pool runs out, and each pod runs within the bound, on what the other pool allows',
      breaches: { ...UNSERVED, 'launches-within-pools': ['launch-from-wrong-pool'] },
      bound: 'fallback',
      incidents: ['karpenter#1899', 'karpenter#2275', 'karpenter-provider-aws#8885'],
    }),
    requirement({
      id: 'CAP-08',
      title: 'Instances that are returned together with errors are used, and none of them is lost.',
      rationale:
        'A launch may be fulfilled in part. Reading only the errors leaks the instances; treating the whole launch as failed terminates instances that run.',
      observed:
        'each offering has one instance left, so answers contain both instances and errors; pods run within the bound and no instance is left over',
      breaches: { ...UNSERVED, 'no-leaked-instances': ['leaked-instance', 'nodeless-instance'] },
      bound: 'fallback',
      incidents: ['autoscaler#5829', 'autoscaler#10276'],
    }),
    requirement({
      id: 'CAP-09',
      title: 'An instance that dies before its node has registered is replaced.',
      rationale:
        'Some instances end with an internal error of the cloud minutes after a successful launch. A successful answer does not guarantee a node.',
      observed: 'instances end while they are pending, and their pods run within the bound',
      breaches: UNSERVED,
      bound: 'replacement',
    }),
    requirement({
      id: 'CAP-10',
      title: 'Nodes with less allocatable capacity than their type advertises cause no launch loop, and their pods are served.',
      rationale:
        'How much the system reserves is not known exactly before the node exists. An autoscaler that trusts the advertised size launches the same type again.',
      observed:
        'nodes have a fifth or two thirds less memory for pods than expected, of two types or of all; pods run within the bound, and few instances are launched',
      breaches: { ...UNSERVED, 'runaway-capacity': ['runaway-launches', 'launched-twice'] },
      bound: 'replacement',
      incidents: ['karpenter-provider-aws#1959', 'karpenter#1185'],
    }),
    requirement({
      id: 'CAP-11',
      title: 'An error that is not about capacity stops only the launches that share its cause.',
      rationale:
        'In one incident, an offering with an invalid parameter was requested again and again for more than an hour, while others had capacity.',
      observed: 'one offering is refused for a reason other than capacity, and each pod runs within the bound on the other offerings',
      breaches: { ...UNSERVED, ...HAMMERED },
      bound: 'fallback',
      incidents: ['karpenter-provider-aws#5850'],
    }),
    requirement({
      id: 'CAP-12',
      title: 'Pods that wait for capacity do not delay pods that can be served.',
      rationale: 'Work queues are shared. Work that is retried again and again must not always go first.',
      observed:
        'pods wait for a zone without capacity, or for a pool that requires more types than have capacity; after their launches were refused, pods for another zone or pool arrive and run within the bound, which leaves no time for a failed attempt',
      breaches: UNSERVED,
      bound: 'provision',
      incidents: ['karpenter#3198', 'karpenter#1120', 'karpenter-provider-aws#9142'],
    }),
    requirement({
      id: 'CAP-13',
      profile: 'extended',
      features: ['spot'],
      title:
        'When only one of many types has spot capacity, the pods still run within the bound, without a separate request for every type.',
      rationale:
        'Users allow many types so that shortages do not matter. A launch that names many suitable types lets EC2, which knows what is available, choose; an autoscaler that names one type per launch has to try them one by one.',
      observed:
        'a pool allows more than sixty types and one has capacity; each answer names one offering; the pods run within the bound, and unsuccessful launches stay within the rate of a backoff',
      breaches: { ...UNSERVED, ...HAMMERED },
      bound: 'fallback',
      incidents: ['karpenter-provider-aws#9617', 'karpenter-provider-aws#2721'],
    }),
    requirement({
      id: 'CAP-14',
      title: 'Launches that are refused as a whole are repeated with a backoff, and their pods are served once launches are accepted.',
      rationale:
        'Verifying a new account or region may take hours. Each refusal also changes the object that records it, and an autoscaler that reacts to its own change tries again at once.',
      observed:
        'all launches are refused while the account is being verified; retries back off, and each pod runs within the bound after that',
      breaches: { ...UNSERVED, ...HAMMERED },
      bound: 'recover',
    }),
    requirement({
      id: 'CAP-15',
      profile: 'extended',
      features: ['spot', 'weights'],
      title:
        'When no type has spot capacity, pods run on the next pool while the autoscaler still remembers its first refusal, and later ones on spot again once it is back.',
      rationale:
        'A region has thousands of spot offerings. An autoscaler that forgets the first refusals before it has seen enough of them begins again, and its search need never end. One that gives up spot for good costs its users twice as much from then on.',
      observed:
        'spot is gone in all types and zones, and errors name the offerings that were tried; a pool with less weight is on demand, and its pods run within the bound, also those of a StatefulSet, one after the other; unsuccessful launches stay within the rate of a backoff; when spot is back and refusals are forgotten, new nodes come from the spot pool',
      breaches: { ...UNSERVED, ...HAMMERED, 'launches-within-pools': ['launch-from-wrong-pool'] },
      bound: 'dry-market',
      incidents: ['karpenter-provider-aws#5578', 'karpenter#2275'],
    }),
    requirement({
      id: 'CAP-16',
      level: 'SHOULD',
      profile: 'extended',
      features: ['spot', 'weights'],
      title: 'The same holds when each error names only one of the offerings that were tried.',
      rationale:
        'EC2 mostly answers like this. What a request as a whole says, and what many of them say about the rest, has to be concluded then. This is not a MUST, because a conclusion may be wrong: an autoscaler that believes nothing but names avoids no offering that has capacity.',
      observed:
        'as above, with errors that name one offering each: the pods run within the bound, and launches stay within the rate of a backoff',
      breaches: { ...UNSERVED, ...HAMMERED },
      bound: 'dry-market',
      incidents: ['karpenter#3198', 'karpenter#2275'],
    }),
    requirement({
      id: 'CAP-17',
      level: 'SHOULD',
      title: 'What small nodes show about their type is not held against it for ever: pods are served once new nodes are larger again.',
      rationale:
        'An image or a setting can make nodes small, and the next one makes them as large as before. An autoscaler that only lowers what it expects of a type never launches it again for a pod that needs more, and so never finds out. This is not a MUST, because a user can see why the pod waits, and a restart or a new image helps as well.',
      observed: 'nodes of the only type have half of their memory for a while, too little for a pod; it runs within the bound after that',
      breaches: UNSERVED,
      bound: 'settle',
      incidents: ['karpenter-provider-aws#7590'],
    }),
  ],
};
