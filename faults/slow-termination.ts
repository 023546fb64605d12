import { z } from 'zod';
import { defineFault } from './fault.ts';
import { describeInstances, instanceParams, selectInstances } from './instance-params.ts';

const params = z.strictObject({
  ...instanceParams,
  delayMs: z
    .number()
    .int()
    .positive()
    .meta({ description: 'how much longer the instance is shutting down', examples: [300_000] }),
});

/** TerminateInstances answers at once, and its instances take long to end. Legal: EC2 promises no time, and some take minutes. */
export const slowTermination = defineFault({
  name: 'slow-termination',
  summary: 'instances take minutes to shut down after they were asked to terminate',
  params,
  legal: true,
  capabilities: () => ['instance.end'],
  color: '#57534e',
  describe: ({ delayMs, ...which }) => `${describeInstances(which)} takes ${delayMs / 1000} s longer to end`,
  inject: ({ delayMs, ...which }, { ports, fired }) =>
    ports.instanceFaults.delayEndings({ ...selectInstances(which), delayMs, fired: () => fired() }),
});
