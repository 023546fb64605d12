import { z } from 'zod';
import { defineFault } from './fault.ts';
import { describeOfferings, offeringParams, selectorOf } from './offering-params.ts';

const params = z.strictObject({
  ...offeringParams,
  count: z.number().int().positive().default(1).describe('at most this many, the first ones'),
  how: z.enum(['terminated', 'stopped']).default('terminated').describe('the resulting state'),
  afterMs: z
    .number()
    .int()
    .nonnegative()
    .default(0)
    .describe('time after the instance starts to run, or after the fault is armed if it is already running'),
});

/** Someone else terminates or stops instances without the target. Legal: anyone with the permission can. */
export const instanceEnd = defineFault({
  name: 'instance-end',
  summary: 'running instances are terminated or stopped by someone else',
  params,
  legal: true,
  visible: true,
  capabilities: () => ['instance.end'],
  color: '#7f1d1d',
  fis: ['aws:ec2:terminate-instances', 'aws:ec2:stop-instances', 'aws:eks:terminate-nodegroup-instances'],
  describe: (given) => {
    const when = given.afterMs === 0 ? '' : `, ${given.afterMs / 1_000} s after they run`;
    return `${given.count} running of ${describeOfferings(given)} are ${given.how} by someone else${when}`;
  },
  inject: (given, { ports, fired }) => {
    const { count, how, afterMs } = given;
    return ports.instanceFaults.endRunning({ selector: selectorOf(given), count, how, afterMs, fired: () => fired() });
  },
});
