import { z } from 'zod';
import { defineFault } from './fault.ts';
import { describeInstances, instanceParams, selectInstances } from './instance-params.ts';

const params = z.strictObject({
  ...instanceParams,
  afterMs: z.number().int().nonnegative().default(0).describe('time after the node comes up; by default at once, before it is Ready'),
});

/**
 * The agents that remove a node's startup taints look at it once, early or late, and never again. Legal: no start time of an
 * agent is guaranteed, and those of the EBS and EFS drivers looked once (kubernetes-sigs/karpenter#1772).
 */
export const startupAgents = defineFault({
  name: 'startup-agents',
  summary: 'agents remove startup taints once, early or late, and never look again',
  params,
  legal: true,
  capabilities: () => ['boot.delay'],
  color: '#4d7c0f',
  describe: ({ afterMs, ...which }) =>
    `the agents of ${describeInstances(which)} remove its startup taints once, ${afterMs / 1000} s after it came up`,
  inject: ({ afterMs, ...which }, { ports, fired }) =>
    ports.nodes.arm({
      ...selectInstances(which),
      problem: { kind: 'startup-agents', afterMs },
      fired: (instance) => fired(undefined, instance),
    }),
});
