import { UNSERVED, requirement } from './requirement.ts';
import type { Area } from './requirement.ts';

const HAMMERED = { 'request-amplification': ['request-hammered'] };

export const capacity: Area = {
  prefix: 'CAP',
  name: 'capacity errors and fallback',
  summary: 'capacity that can not be had is gone round, without hammering, and used again when it is back',
  requirements: [
    requirement({
      id: 'CAP-01',
      title: 'Where an offering has no capacity, its pods are served from another that the pools allow.',
      rationale:
        'A cloud that is out of one type in one zone is an ordinary day. To ask for the same again is to wait for somebody else to leave.',
      observed: 'a zone, or all but the last instance of every offering, has no capacity, and each pod runs within the bound',
      breaches: UNSERVED,
      bound: 'fallback',
      incidents: ['autoscaler#4438', 'autoscaler#5756', 'karpenter#1899'],
    }),
    requirement({
      id: 'CAP-02',
      title: 'The fallback comes to its end also where errors name one of the offerings that were tried, or none.',
      rationale: 'That is how EC2 answers: of many launch failures nine in ten name one type in one zone, though many were asked for.',
      observed: 'errors name one offering, or no offering, and each pod runs within the bound, which counts a try for each of them',
      breaches: UNSERVED,
      bound: 'fallback',
      incidents: ['karpenter#3198'],
    }),
    requirement({
      id: 'CAP-03',
      profile: 'extended',
      features: ['spot'],
      title: 'Where spot capacity can not be had, a pool that allows on-demand capacity as well serves its pods from that.',
      rationale: 'Who allows both wants the pods served first and cheaply second.',
      observed: 'no spot capacity is left in one zone, then anywhere, and each pod runs within the bound',
      breaches: UNSERVED,
      bound: 'fallback',
      incidents: ['karpenter-provider-aws#5789', 'karpenter-provider-aws#8885'],
    }),
    requirement({
      id: 'CAP-04',
      title: 'An offering that was refused is left alone by later launches, whichever pod they are for.',
      rationale:
        'Each pod that finds it out by itself costs a request and a round. In a drought that is all that happens. For how long, each autoscaler says of itself: minutes, in those that are known. What may have been decided before the refusal was known is let pass.',
      observed:
        'no launch names an offering, alone or among others, that an answer named as being without capacity less than the bound ago; those that bring nothing stay within the rate of a backoff, and the pods of later batches run in time',
      breaches: { ...UNSERVED, ...HAMMERED, 'refused-offerings': ['refused-offering-asked-again'] },
      bound: 'masked-offering',
      incidents: ['karpenter#3198', 'autoscaler#4438'],
    }),
    requirement({
      id: 'CAP-05',
      title: 'While there is no capacity anywhere, launches are not asked for more often than a backoff would.',
      rationale:
        'Requests in vain use up the budget of requests that everything in the account shares, and what could help is throttled with them.',
      observed: 'answers that brought nothing are counted for each request of the same content in every minute',
      breaches: HAMMERED,
      bound: 'vain-answers-a-minute',
      incidents: ['karpenter#3198'],
    }),
    requirement({
      id: 'CAP-06',
      title: 'Pods that waited for capacity run within the bound once it is back.',
      rationale: 'A backoff without a roof, or a mask that is never lifted, turns a drought of minutes into an outage of hours.',
      observed: 'the capacity returns after a while, and every pod that had to wait runs within the bound from then on',
      breaches: UNSERVED,
      bound: 'recover',
      incidents: ['karpenter-provider-aws#5850'],
    }),
    requirement({
      id: 'CAP-07',
      profile: 'extended',
      features: ['weights'],
      title: 'Where the preferred pool has no capacity, pods are served from one of less weight.',
      rationale: 'A preference is an order among pools that can serve, and a pool without capacity can not.',
      observed: 'the only type of the preferred pool runs out, and each pod runs within the bound, on what the other pool allows',
      breaches: { ...UNSERVED, 'launches-within-pools': ['launch-from-wrong-pool'] },
      bound: 'fallback',
      incidents: ['karpenter#1899', 'karpenter#2275', 'karpenter-provider-aws#8885'],
    }),
    requirement({
      id: 'CAP-08',
      title: 'Instances that came beside errors in one answer are used, and none of them is lost.',
      rationale:
        'A launch may give some of what was asked. Who reads the error alone leaks the rest; who counts the rest as failed ends what runs.',
      observed: 'each offering has one instance left, so that answers are mixed; pods run within the bound and no instance is left over',
      breaches: { ...UNSERVED, 'no-leaked-instances': ['leaked-instance', 'nodeless-instance'] },
      bound: 'fallback',
      incidents: ['autoscaler#5829', 'autoscaler#10276'],
    }),
    requirement({
      id: 'CAP-09',
      title: 'An instance that dies before its node has registered is replaced.',
      rationale: 'Some instances end by an internal error of the cloud minutes after a good answer. The answer is no proof of a node.',
      observed: 'instances end while they are pending, and their pods run within the bound',
      breaches: UNSERVED,
      bound: 'replacement',
    }),
    requirement({
      id: 'CAP-10',
      title: 'Nodes that have less room than their type advertises start no loop of launches, and their pods are served.',
      rationale:
        'What the system keeps for itself is never known exactly before the node is there. Who trusts the advertised size launches the same again.',
      observed: 'nodes have a fifth less memory for pods than was to be expected; pods run within the bound, instances stay few',
      breaches: { ...UNSERVED, 'runaway-capacity': ['runaway-launches', 'launched-twice'] },
      bound: 'replacement',
      incidents: ['karpenter-provider-aws#1959', 'karpenter#1185'],
    }),
    requirement({
      id: 'CAP-11',
      title: 'An error that is no lack of capacity stops only the launches that share its cause.',
      rationale: 'One offering with an invalid parameter was asked for over and over, for more than an hour, while others had capacity.',
      observed: 'one offering is refused for another reason than capacity, and each pod runs within the bound on what is left',
      breaches: { ...UNSERVED, ...HAMMERED },
      bound: 'fallback',
      incidents: ['karpenter-provider-aws#5850'],
    }),
    requirement({
      id: 'CAP-12',
      title: 'Pods that wait for capacity delay none that can be served.',
      rationale: 'The lists of work are shared. What is tried again and again must not come first again and again.',
      observed:
        'pods of a zone without capacity wait; after their launches were refused pods of another zone come, and run within the bound, which has no time for a try in vain',
      breaches: UNSERVED,
      bound: 'provision',
      incidents: ['karpenter#3198', 'karpenter#1120'],
    }),
    requirement({
      id: 'CAP-13',
      profile: 'extended',
      features: ['spot'],
      title:
        'Where all but one of many types have no spot capacity, their pods run within the bound, and not each type costs a request of its own.',
      rationale:
        'Who allows many types does so that scarce ones do not matter. A launch that names enough of what would do leaves the choice to EC2, which knows what is there; one that names a single type finds that out type by type.',
      observed:
        'a pool allows more than sixty types, and one has capacity; answers name one offering each; the pods run within the bound, and the launches that bring nothing stay within the rate of a backoff',
      breaches: { ...UNSERVED, ...HAMMERED },
      bound: 'fallback',
      incidents: ['karpenter-provider-aws#9617', 'karpenter-provider-aws#2721'],
    }),
  ],
};
