import { LEAKED, UNSERVED, requirement } from './requirement.ts';
import type { Area } from './requirement.ts';

export const apiPressure: Area = {
  prefix: 'API',
  name: 'API pressure',
  summary:
    'when requests are refused, delayed or answered wrongly for a while, the autoscaler backs off, keeps going, and does not flood the API',
  requirements: [
    requirement({
      id: 'API-01',
      title: 'A request that keeps failing is not retried faster than a backoff would allow.',
      rationale: 'Throttling ends when there are fewer requests. Retries in lockstep have kept whole accounts throttled.',
      observed: 'identical requests that were refused, or whose answer was lost, are counted per minute',
      breaches: { 'request-amplification': ['request-hammered'] },
      bound: 'repeats-a-minute',
      incidents: ['karpenter-provider-aws#9175', 'karpenter-provider-aws#8923', 'autoscaler#252', 'autoscaler#3877'],
    }),
    requirement({
      id: 'API-02',
      title: 'Throttled launches are not treated as a lack of capacity: all pods are served once requests get through.',
      rationale: 'An autoscaler that marks offerings as unavailable because of throttling soon has none left.',
      observed: 'launches share a request bucket that is nearly empty, and each pod runs within the bound once the fault has ended',
      breaches: { ...UNSERVED, 'world-settled': ['not-settled'] },
      bound: 'recover',
      incidents: ['karpenter-provider-aws#8923'],
    }),
    requirement({
      id: 'API-03',
      title: 'Instances whose termination was refused for a while are still terminated.',
      rationale: 'When a termination fails, no pending pod draws attention to it.',
      observed: 'terminations are refused more often than any SDK retries them; in the end no instance is live',
      breaches: { ...LEAKED, 'world-settled': ['not-settled', 'not-removed'] },
      bound: 'settle',
      incidents: ['karpenter-provider-aws#8923', 'karpenter#2104'],
    }),
    requirement({
      id: 'API-04',
      title: 'The autoscaler stays alive while every request to the cloud fails, and serves all pods afterwards.',
      rationale: 'Exhausted retry budgets, and startup code that gives up at the first error, can turn a short outage into a long one.',
      observed: 'all EC2 requests are refused for half a minute; the autoscaler stays alive, and each pod runs within the bound',
      breaches: { ...UNSERVED, 'target-alive': ['exited', 'panicked', 'recovered-panic', 'not-ready'] },
      bound: 'recover',
      incidents: ['karpenter-provider-aws#7961', 'karpenter#2104', 'autoscaler#1860'],
    }),
    requirement({
      id: 'API-05',
      title: 'Writes that the API server refuses with a Retry-After are retried later, and none of them is forgotten.',
      rationale:
        'API Priority and Fairness answers 429 to clients that send too many requests. A taint, status or finalizer that is never written leaves an object stuck.',
      observed: 'half of the writes are refused; all pods run within the bound, and all nodes are removed when they are no longer needed',
      breaches: { ...UNSERVED, 'world-settled': ['not-settled', 'not-removed'] },
      bound: 'recover',
    }),
    requirement({
      id: 'API-06',
      title: 'An answer that arrives after its effect was seen elsewhere does no harm.',
      rationale: 'A node may register before the launch that created it is answered. Both must be matched to one record, in either order.',
      observed:
        'launches are answered after their nodes have registered, or after rounds of garbage collection; pods run within the bound, no instance is lost, and in the second case none is launched again',
      breaches: { ...UNSERVED, ...LEAKED, 'runaway-capacity': ['launched-twice'] },
      bound: 'recover',
      incidents: ['karpenter-provider-aws#2734', 'karpenter-provider-aws#3725'],
    }),
    requirement({
      id: 'API-07',
      title: 'Requests that are denied for lack of a permission are retried with a backoff, and their work is done once they are allowed.',
      rationale:
        'Policies and roles change while clusters run. A denied eviction or termination must neither leak an instance nor start a retry loop.',
      observed:
        'launches, evictions or terminations are denied, or the credentials are invalid, for a while; no instance is lost, retries back off, and everything is done once the fault has ended',
      breaches: {
        ...UNSERVED,
        ...LEAKED,
        'request-amplification': ['request-hammered'],
        permissions: ['permission-missing'],
        'scale-in': ['not-ended'],
        'world-settled': ['not-settled', 'not-removed'],
      },
      bound: 'settle',
      incidents: ['karpenter-provider-aws#7692', 'kops#3418'],
    }),
    requirement({
      id: 'API-08',
      title: 'A request that failed with a server error is retried until its purpose is achieved.',
      rationale: 'A server error does not say whether the request took effect, and the next attempt may succeed.',
      observed: 'requests fail with server errors for a while; pods run within the bound and no instance is lost',
      breaches: { ...UNSERVED, ...LEAKED },
      bound: 'recover',
    }),
    requirement({
      id: 'API-09',
      title: 'The autoscaler does not send more requests than any autoscaler could need.',
      rationale: 'Every request counts against a budget that the whole cluster or account shares.',
      observed: 'all requests of a trial are counted as they arrive, and a flood ends the trial',
      breaches: { 'target-alive': ['flooded'] },
      bound: { none: 'the number is far beyond any normal use; an autoscaler that comes near it is in a loop' },
    }),
    requirement({
      id: 'API-10',
      title: 'The same Event about the same object is not written without end.',
      rationale: 'Each stays in etcd for an hour. One at each pass tells users nothing new, and keeps the API server busy.',
      observed:
        "pods can't be served, and nodes can't be drained, for minutes; no Event about them is repeated more often than client-go's own recorder lets through",
      breaches: { 'event-spam': ['event-flood'] },
      bound: { none: 'the number is that of client-go: 25 at once, and one more every five minutes' },
      incidents: ['karpenter#236', 'karpenter#2071'],
    }),
  ],
};
