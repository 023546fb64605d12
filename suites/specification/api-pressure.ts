import { LEAKED, UNSERVED, requirement } from './requirement.ts';
import type { Area } from './requirement.ts';

export const apiPressure: Area = {
  prefix: 'API',
  name: 'API pressure',
  summary: 'answers that are refused, late or wrong for a while: patience, and no flood',
  requirements: [
    requirement({
      id: 'API-01',
      title: 'One and the same request is not sent in vain more often than a backoff would.',
      rationale: 'Throttling ends when requests become fewer. Retries in lockstep have kept whole accounts throttled.',
      observed: 'requests of the same content that were refused, or whose answer was lost, are counted in every minute',
      breaches: { 'request-amplification': ['request-hammered'] },
      bound: 'repeats-a-minute',
      incidents: ['karpenter-provider-aws#9175', 'karpenter-provider-aws#8923', 'autoscaler#252', 'autoscaler#3877'],
    }),
    requirement({
      id: 'API-02',
      title: 'Launches that are throttled are no lack of capacity: all pods are served once requests get through.',
      rationale: 'Who masks offerings because of throttling has soon masked them all.',
      observed: 'launches share a bucket that is nearly empty, and each pod runs within the bound after the heal',
      breaches: { ...UNSERVED, 'world-settled': ['not-settled'] },
      bound: 'recover',
      incidents: ['karpenter-provider-aws#8923'],
    }),
    requirement({
      id: 'API-03',
      title: 'Instances whose termination was refused for a while still end.',
      rationale: 'A request to end that failed has no pod that complains.',
      observed: 'terminations are refused more often than any SDK repeats them; no instance is live in the end',
      breaches: { ...LEAKED, 'world-settled': ['not-settled', 'not-removed'] },
      bound: 'settle',
      incidents: ['karpenter-provider-aws#8923', 'karpenter#2104'],
    }),
    requirement({
      id: 'API-04',
      title: 'An autoscaler whose every request to the cloud fails for a while lives on, and serves all pods afterwards.',
      rationale:
        'Retry budgets that are used up, and start-up code that takes the first error for the last, outlive the outage that caused them.',
      observed: 'all requests to EC2 are refused for half a minute; the autoscaler lives, and each pod runs within the bound',
      breaches: { ...UNSERVED, 'target-alive': ['exited', 'panicked', 'recovered-panic', 'not-ready'] },
      bound: 'recover',
      incidents: ['karpenter-provider-aws#7961', 'karpenter#2104', 'autoscaler#1860'],
    }),
    requirement({
      id: 'API-05',
      title: 'Writes that the API server refuses for a while with a time to wait are made later, and none of them is forgotten.',
      rationale:
        'Priority and fairness answers 429 to whoever is too loud. A taint, a status or a finalizer that is not written is a state that never comes.',
      observed: 'half of the writes are refused; all pods run within the bound, and all nodes go when they are not needed',
      breaches: { ...UNSERVED, 'world-settled': ['not-settled', 'not-removed'] },
      bound: 'recover',
    }),
    requirement({
      id: 'API-06',
      title: 'An answer that comes after its effect was seen elsewhere does no harm.',
      rationale: 'A node may register before the launch that made it has been answered. Both must come to one record, in either order.',
      observed: 'answers to launches come after their nodes have registered; pods run within the bound and no instance is lost',
      breaches: { ...UNSERVED, ...LEAKED },
      bound: 'recover',
      incidents: ['karpenter-provider-aws#2734', 'karpenter-provider-aws#3725'],
    }),
    requirement({
      id: 'API-07',
      title: 'Requests that are denied for lack of a permission are repeated with a backoff, and their work is done once they are allowed.',
      rationale:
        'Policies and roles are changed while things run. A denied eviction or termination must neither lose an instance nor become a loop.',
      observed:
        'launches, evictions, terminations, or all credentials are denied for a while; no instance is lost, nothing is hammered, and all is done after the heal',
      breaches: {
        ...UNSERVED,
        ...LEAKED,
        'request-amplification': ['request-hammered'],
        'scale-in': ['not-ended'],
        'world-settled': ['not-settled', 'not-removed'],
      },
      bound: 'settle',
      incidents: ['karpenter-provider-aws#7692', 'kops#3418'],
    }),
    requirement({
      id: 'API-08',
      title: 'A request that failed by an error of the server is made again, and what it was for comes about.',
      rationale: 'An internal error says nothing about the request: it may have taken effect or not, and the next may succeed.',
      observed: 'requests fail with internal errors for a while; pods run within the bound and no instance is lost',
      breaches: { ...UNSERVED, ...LEAKED },
      bound: 'recover',
    }),
    requirement({
      id: 'API-09',
      title: 'No more requests are sent than any autoscaler has a use for.',
      rationale: 'Each of them is taken from a budget that the whole cluster or account shares.',
      observed: 'all requests of a trial are counted as they come, and a flood ends it',
      breaches: { 'target-alive': ['flooded'] },
      bound: { none: 'the number is far beyond any use; who comes near it is in a loop' },
    }),
  ],
};
