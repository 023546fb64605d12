import { z } from 'zod';
import { defineFault } from './fault.ts';
import { describeInstances, instanceParams, selectInstances } from './instance-params.ts';

const params = z.strictObject({
  ...instanceParams,
  afterMs: z
    .number()
    .int()
    .nonnegative()
    .default(0)
    .describe('time after the node becomes Ready, or after the fault is armed if it was Ready before'),
});

/**
 * Kubelets stop while their instances keep running: no heartbeats, no pod statuses, no confirmed deletions. Legal: an
 * out-of-memory kill does that. Once healed, they start again and catch up.
 */
export const deadKubelet = defineFault({
  name: 'dead-kubelet',
  summary: 'kubelets stop completely while their instances keep running',
  params,
  legal: true,
  visible: true,
  capabilities: () => ['boot.delay'],
  color: '#701a75',
  describe: ({ afterMs, ...which }) => `the kubelet of ${describeInstances(which)} stops ${afterMs / 1000} s after its node was Ready`,
  inject: ({ afterMs, ...which }, { ports, fired }) =>
    ports.nodes.arm({
      ...selectInstances(which),
      problem: { kind: 'dead-kubelet', afterMs },
      fired: (instance) => fired(undefined, instance),
    }),
});
