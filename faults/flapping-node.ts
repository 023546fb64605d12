import { z } from 'zod';
import { defineFault } from './fault.ts';
import { describeInstances, instanceParams, selectInstances } from './instance-params.ts';

const params = z.strictObject({
  ...instanceParams,
  periodMs: z
    .number()
    .int()
    .min(2)
    .meta({ description: 'length of one cycle: half of it NotReady, half Ready', examples: [60_000] }),
  times: z
    .number()
    .int()
    .positive()
    .meta({ description: 'number of cycles', examples: [3] }),
});

/** Ready nodes alternate between NotReady and Ready: their container runtime goes down and up. Legal: overloaded nodes do that. */
export const flappingNode = defineFault({
  name: 'flapping-node',
  summary: 'Ready nodes change to NotReady and back, again and again',
  params,
  legal: true,
  visible: true,
  capabilities: () => ['boot.delay'],
  color: '#c026d3',
  describe: ({ periodMs, times, ...which }) =>
    `the node of ${describeInstances(which)} is NotReady for ${periodMs / 2000} s out of ${periodMs / 1000} s, ${times} times`,
  inject: ({ periodMs, times, ...which }, { ports, fired }) =>
    ports.nodes.arm({
      ...selectInstances(which),
      problem: { kind: 'flapping', periodMs, times },
      fired: (instance) => fired(undefined, instance),
    }),
});
