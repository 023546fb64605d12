import { z } from 'zod';
import { defined } from '../model/defined.ts';
import { defineFault } from './fault.ts';
import { describeOfferings, offeringParams, selectorOf } from './offering-params.ts';

const params = z.strictObject({
  ...offeringParams,
  count: z.number().int().positive().optional().describe('at most this many running instances; by default all'),
  startsInMs: z
    .number()
    .int()
    .positive()
    .default(1_209_600_000)
    .describe('time until the retirement; by default two weeks, which EC2 usually gives'),
});

/** AWS Health announces that currently running instances will be retired. Legal: hardware ages. */
export const scheduledChange = defineFault({
  name: 'scheduled-change',
  summary: 'AWS Health announces that running instances will be retired',
  params,
  legal: true,
  hinders: false,
  capabilities: () => ['queue.perturb'],
  color: '#65a30d',
  describe: (given) =>
    `AWS Health announces the end of ${given.count ?? 'all'} running instances of ${describeOfferings(given)} in ${given.startsInMs / 3_600_000} h`,
  inject: (given, { ports, fired }) => {
    const { count, startsInMs } = given;
    const limit = defined({ count });
    return ports.queue.scheduleChange({
      selector: selectorOf(given),
      ...limit,
      startsInMs,
      fired: (instance) => fired(undefined, instance),
    });
  },
});
