import { z } from 'zod';
import { defineFault } from './fault.ts';
import { describeOfferings, offeringParams, selectorOf } from './offering-params.ts';

const params = z.strictObject({
  ...offeringParams,
  count: z.number().int().positive().default(1).describe('at most this many, the first ones'),
});

/**
 * Instances fail at launch: from pending straight to terminated, with Client.InternalError, after a successful response.
 * Legal. Source: "Troubleshoot Amazon EC2 instance launch issues".
 */
export const launchFailure = defineFault({
  name: 'launch-failure',
  summary: 'launched instances go from pending to terminated without ever running',
  params,
  legal: true,
  visible: true,
  capabilities: () => ['instance.end'],
  color: '#a21caf',
  describe: (given) => `the next ${given.count} launched of ${describeOfferings(given)} die at launch`,
  inject: (given, { ports, fired }) =>
    ports.instanceFaults.failLaunches({ selector: selectorOf(given), count: given.count, fired: (span) => fired(span) }),
});
