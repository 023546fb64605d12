import { requirement } from './requirement.ts';
import type { Area } from './requirement.ts';

const SILENT = { 'unserved-explained': ['unexplained'] };

/**
 * Of events, conditions and log lines. Metrics are no requirement: they are on neither wire, and autoscalers have neither
 * names nor labels for them in common (docs/architecture.md).
 */
export const explanations: Area = {
  prefix: 'TEL',
  name: 'what it tells its users',
  summary:
    'events, conditions and log lines that name the object and the reason; of metrics nothing is asked, which are on neither wire and have no names in common',
  requirements: [
    requirement({
      id: 'TEL-01',
      title: 'A pod for which nothing is launched is named, with the reason, in an event, a condition or a log line, within the bound.',
      rationale: 'The scheduler says that no node fits. Only the autoscaler knows why none will come.',
      observed: 'pods that no pool can serve wait for the bound; a word of the autoscaler about each of them is looked for',
      breaches: SILENT,
      bound: 'explain',
      incidents: ['karpenter#160'],
    }),
    requirement({
      id: 'TEL-02',
      title: 'Where a constraint is why nothing is launched, the explanation names the constraint.',
      rationale: '"No node fits" sends its reader through all constraints of the pod and all pools.',
      observed: 'a pod with a hard spread over a label that no node has is explained with a word about its spread',
      breaches: SILENT,
      bound: 'explain',
      incidents: ['karpenter-provider-aws#2545'],
    }),
    requirement({
      id: 'TEL-03',
      profile: 'robustness',
      title: 'A pod whose constraint can not be understood is named, together with the field.',
      rationale: 'The error was known at the one place where it happened. Swallowed there, it is a search of hours.',
      observed: 'the autoscaler reads a negative maxSkew, and what it says about the pod mentions the field',
      breaches: SILENT,
      bound: 'explain',
    }),
    requirement({
      id: 'TEL-04',
      title: 'A pod that waits longer than the bound within which it should be served is explained while it waits.',
      rationale: 'Lack of capacity, a limit, throttling or a missing permission look the same from a pod: it is pending.',
      observed:
        'pods wait because of a fault or a limit; a word of the autoscaler about each of them is looked for until the world has settled',
      breaches: SILENT,
      bound: 'provision',
      incidents: ['karpenter-provider-aws#7692'],
    }),
  ],
};
