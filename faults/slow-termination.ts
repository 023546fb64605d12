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

/** TerminateInstances responds at once, but its instances take long to terminate. Legal: EC2 guarantees no time, and some take minutes. */
export const slowTermination = defineFault({
  name: 'slow-termination',
  summary: 'instances take minutes to shut down after they were told to terminate',
  params,
  legal: true,
  visible: true,
  capabilities: () => ['instance.end'],
  color: '#57534e',
  describe: ({ delayMs, ...which }) => `${describeInstances(which)} takes ${delayMs / 1000} s longer to terminate`,
  inject: ({ delayMs, ...which }, { ports, fired }) =>
    ports.instanceFaults.delayEndings({ ...selectInstances(which), delayMs, fired: () => fired() }),
});
