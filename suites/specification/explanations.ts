import { requirement } from './requirement.ts';
import type { Area } from './requirement.ts';

const SILENT = { 'unserved-explained': ['unexplained'] };

/**
 * Covers events, conditions and log lines. Metrics are not required: they are on neither wire, and autoscalers have no common
 * names or labels for them (docs/architecture.md).
 */
export const explanations: Area = {
  prefix: 'TEL',
  name: 'explanations for users',
  summary:
    'events, conditions and log lines that name the object and the reason; metrics are not covered, because they are on neither wire and autoscalers share no names for them',
  requirements: [
    requirement({
      id: 'TEL-01',
      title: 'A pod for which nothing is launched is named, with the reason, in an event, a condition or a log line within the bound.',
      rationale: 'The scheduler says that no node fits. Only the autoscaler knows why no node will be launched.',
      observed: 'pods that no pool can serve wait for the length of the bound; the autoscaler has to say something about each of them',
      breaches: SILENT,
      bound: 'explain',
      incidents: ['karpenter#160'],
    }),
    requirement({
      id: 'TEL-02',
      title: 'When a constraint prevents a launch, the explanation names the constraint.',
      rationale: '"No node fits" makes users check every constraint of the pod and every pool.',
      observed: 'a pod has a hard spread over a label that no node has, and its explanation mentions the spread',
      breaches: SILENT,
      bound: 'explain',
      incidents: ['karpenter-provider-aws#2545'],
    }),
    requirement({
      id: 'TEL-03',
      profile: 'robustness',
      title: 'A pod whose constraint is invalid is named, together with the field.',
      rationale: 'The error is known only where it occurs. If it is swallowed there, finding it takes hours.',
      observed: 'the autoscaler reads a negative maxSkew, and what it says about the pod mentions the field',
      breaches: SILENT,
      bound: 'explain',
    }),
    requirement({
      id: 'TEL-04',
      title: 'If a pod waits longer than it should, the autoscaler says why while it waits.',
      rationale: 'A lack of capacity, a limit, throttling and a missing permission all look the same to the user: the pod is pending.',
      observed:
        'pods wait because of a fault or a limit; until the world has settled, the autoscaler has to say something about each of them',
      breaches: SILENT,
      bound: 'provision',
      incidents: ['karpenter-provider-aws#7692'],
    }),
  ],
};
