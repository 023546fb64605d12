import { AT_EVERY_MOMENT, LEAKED, UNSERVED, requirement } from './requirement.ts';
import type { Area } from './requirement.ts';

export const leaks: Area = {
  prefix: 'LEK',
  name: 'leaks and garbage collection',
  summary: 'nothing that was launched is forgotten, and nothing that belongs to others is touched',
  requirements: [
    requirement({
      id: 'LEK-01',
      title: 'Every instance that was launched by a request from the autoscaler has ended by the time its pods and pools are gone.',
      rationale: 'Everything that is launched must be terminated. A leaked instance has no owner, raises no alarm, and never ends.',
      observed: 'instances are identified by the requests that created them, with or without tags, and checked when the trial is over',
      breaches: { 'no-leaked-instances': ['leaked-instance'] },
      bound: 'teardown',
      incidents: ['karpenter-provider-aws#549', 'karpenter-provider-aws#2734', 'autoscaler#6810'],
    }),
    requirement({
      id: 'LEK-02',
      title: 'A launch whose answer was lost leaks no instance.',
      rationale:
        'The caller cannot distinguish a failed launch from one whose answer was lost. It must either retry in a way that launches nothing twice, or find what it has launched.',
      observed:
        'launches take effect and their answers are lost, including those of every retry; each instance becomes a node or ends within the bound',
      breaches: LEAKED,
      bound: 'instance-without-node',
      incidents: ['karpenter-provider-aws#3725', 'karpenter#1448'],
    }),
    requirement({
      id: 'LEK-03',
      profile: 'extended',
      features: ['pool-removal'],
      title: 'An instance whose pods and pool are removed while its launch is in progress still ends.',
      rationale: 'The instance appears after the pods that needed it are gone, and perhaps after the object that represented it.',
      observed: 'pods and pool are removed at various moments around a launch; in the end no instance is live',
      breaches: LEAKED,
      bound: 'instance-without-node',
      incidents: ['karpenter-provider-aws#7684', 'karpenter#1944'],
    }),
    requirement({
      id: 'LEK-04',
      title: 'An instance whose Node was deleted by someone else becomes a node again, or is terminated, within the bound.',
      rationale: 'A kubelet does not create its Node a second time. The instance keeps running, unseen by the cluster.',
      observed: 'the Node of a running instance is deleted; from then on the instance does not live longer than the bound without a Node',
      breaches: { 'no-leaked-instances': ['orphaned-instance', 'leaked-instance'] },
      bound: 'instance-without-node',
      incidents: ['karpenter-provider-aws#2832'],
    }),
    requirement({
      id: 'LEK-05',
      title: 'The Node of an instance that has ended is removed within the bound.',
      rationale: 'The scheduler and the autoscaler count it as capacity, its pods seem to run, and its finalizer waits for someone to act.',
      observed: "instances end behind the autoscaler's back; the time from each end to the deletion of the Node is at most the bound",
      breaches: { 'no-orphaned-nodes': ['orphaned-node'] },
      bound: 'node-without-instance',
      incidents: ['karpenter-provider-aws#9226', 'karpenter-provider-aws#9479', 'karpenter-provider-aws#3562'],
    }),
    requirement({
      id: 'LEK-06',
      title: 'Other resources that were created for launches, such as launch templates, are gone when the pools are.',
      rationale: 'Such resources are free but have a quota. Once it is reached, nothing can be launched any more.',
      observed: 'every launch template that was created by a request from the autoscaler is checked when the trial is over',
      breaches: { 'no-leaked-templates': ['leaked-launch-template'] },
      bound: 'teardown',
      incidents: ['karpenter-provider-aws#8686'],
    }),
    requirement({
      id: 'LEK-07',
      title: 'Instances in the same account that belong to others are neither terminated, stopped nor retagged.',
      rationale: 'A garbage collector that removes whatever it does not recognize is one mistake away from terminating a database.',
      observed:
        'instances of another owner, and a node of another cluster, run in the account during every trial, and each request is compared with them',
      breaches: { 'foreign-instances': ['foreign-instance-ended'] },
      bound: AT_EVERY_MOMENT,
      incidents: ['autoscaler#10276'],
    }),
    requirement({
      id: 'LEK-08',
      profile: 'extended',
      features: ['node-removal'],
      title: 'The Node of an instance that has ended is removed even if nothing else removes it and no message announces the end.',
      rationale:
        'The cloud controller may be down, and cached data about the instance may be stale. A drain that waits for pods which no kubelet runs any more never finishes.',
      observed:
        'an instance ends without a message while the cloud controller is down, and its pod may not be evicted; the Node is removed within the bound, and the pod runs again',
      breaches: { ...UNSERVED, 'no-orphaned-nodes': ['orphaned-node'] },
      bound: 'node-without-instance',
      incidents: ['karpenter-provider-aws#9226'],
    }),
  ],
};
