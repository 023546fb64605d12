import { AT_EVERY_MOMENT, LEAKED, UNSERVED, requirement } from './requirement.ts';
import type { Area } from './requirement.ts';

export const leaks: Area = {
  prefix: 'LEK',
  name: 'leaks and garbage collection',
  summary: 'nothing that was launched is forgotten, and nothing of others is touched',
  requirements: [
    requirement({
      id: 'LEK-01',
      title: 'Every instance that came of a request of the autoscaler has ended when the pods and pools that it was for are gone.',
      rationale: 'It is the ledger: launched equals ended. A leaked instance has no owner, no alarm and no end.',
      observed: 'instances are known by the requests that made them, tags or not, and looked at when the trial is over',
      breaches: { 'no-leaked-instances': ['leaked-instance'] },
      bound: 'teardown',
      incidents: ['karpenter-provider-aws#549', 'karpenter-provider-aws#2734', 'autoscaler#6810'],
    }),
    requirement({
      id: 'LEK-02',
      title: 'A launch whose answer never arrived leaves no instance that nobody knows.',
      rationale:
        'The caller can not tell a launch that failed from one whose answer was lost. It must ask again so that nothing is launched twice, or find what it has.',
      observed:
        'launches take effect and their answers are lost, also those of every repetition; each instance becomes a node or ends within the bound',
      breaches: LEAKED,
      bound: 'instance-without-node',
      incidents: ['karpenter-provider-aws#3725', 'karpenter#1448'],
    }),
    requirement({
      id: 'LEK-03',
      title: 'What is withdrawn while its launch is under way still ends.',
      rationale: 'The instance appears after the wish for it has gone, and the object that stood for it perhaps too.',
      observed: 'pods and pool are withdrawn at every moment around a launch; no instance is live in the end',
      breaches: LEAKED,
      bound: 'instance-without-node',
      incidents: ['karpenter-provider-aws#7684', 'karpenter#1944'],
    }),
    requirement({
      id: 'LEK-04',
      title: 'An instance whose Node was deleted by somebody is a node again, or is ended, within the bound.',
      rationale: 'A kubelet does not write its Node a second time. The instance runs on and is seen by nobody in the cluster.',
      observed: 'the Node of a running instance is deleted; from then on the instance does not live beyond the bound without a Node',
      breaches: { 'no-leaked-instances': ['orphaned-instance', 'leaked-instance'] },
      bound: 'instance-without-node',
      incidents: ['karpenter-provider-aws#2832'],
    }),
    requirement({
      id: 'LEK-05',
      title: 'The Node of an instance that has ended disappears within the bound.',
      rationale: 'The scheduler and every plan count on it, its pods seem to run, and its finalizer waits for someone to act.',
      observed: "instances end behind the autoscaler's back; from each end to the deletion of the Node no more time passes than the bound",
      breaches: { 'no-orphaned-nodes': ['orphaned-node'] },
      bound: 'node-without-instance',
      incidents: ['karpenter-provider-aws#9226', 'karpenter-provider-aws#9479', 'karpenter-provider-aws#3562'],
    }),
    requirement({
      id: 'LEK-06',
      title: 'What else was created for launches, as launch templates, is gone when the pools are.',
      rationale: 'Such things cost nothing and have a quota. When it is reached nothing is launched any more.',
      observed: 'every launch template that came of a request of the autoscaler is looked at when the trial is over',
      breaches: { 'no-leaked-templates': ['leaked-launch-template'] },
      bound: 'teardown',
      incidents: ['karpenter-provider-aws#8686'],
    }),
    requirement({
      id: 'LEK-07',
      title: 'Instances of others in the same account are neither ended, stopped nor retagged.',
      rationale: 'A collection that goes by what it does not know is one error away from the end of a database.',
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
      title: 'The Node of an instance that has ended disappears also where nobody else removes it and no message tells of the end.',
      rationale:
        'The cloud controller may be down, and what is remembered of the instance may be old. A drain of pods that no kubelet runs any more never ends.',
      observed:
        'an instance ends without a message while the cloud controller is down, and its pod may not be evicted; the Node disappears within the bound, and the pod runs again',
      breaches: { ...UNSERVED, 'no-orphaned-nodes': ['orphaned-node'] },
      bound: 'node-without-instance',
      incidents: ['karpenter-provider-aws#9226'],
    }),
  ],
};
