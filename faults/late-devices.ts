import { z } from 'zod';
import { defineFault } from './fault.ts';
import { describeInstances, instanceParams, selectInstances } from './instance-params.ts';

const params = z.strictObject({
  ...instanceParams,
  delayMs: z.number().int().positive().default(300_000).describe('how much later than usual'),
});

/**
 * The device plugins of nodes with GPUs register minutes later than usual, while the nodes are Ready. Legal: an operator that
 * builds the driver on the node first takes that long (NVIDIA/gpu-operator#708).
 */
export const lateDevices = defineFault({
  name: 'late-devices',
  summary: 'device plugins register late: nodes are Ready, but do not offer their GPUs yet',
  params,
  legal: true,
  capabilities: () => ['boot.delay', 'nodes.devices'],
  color: '#65a30d',
  describe: ({ delayMs, ...which }) => `the device plugin of ${describeInstances(which)} registers ${delayMs / 1000} s late`,
  inject: ({ delayMs, ...which }, { ports, fired }) =>
    ports.nodes.arm({
      ...selectInstances(which),
      problem: { kind: 'late-devices', delayMs },
      fired: (instance) => fired(undefined, instance),
    }),
});
