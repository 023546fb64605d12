import { z } from 'zod';
import { MESSAGE_KINDS } from '../world/ports.ts';
import { defineFault } from './fault.ts';
import { describeOfferings, offeringParams, selectorOf } from './offering-params.ts';

const params = z.strictObject({
  ...offeringParams,
  kinds: z
    .array(z.enum(MESSAGE_KINDS))
    .min(1)
    .default(['spot-interruption'])
    .describe('kinds of events that it handles; of state changes only those that end an instance'),
  pollMs: z
    .number()
    .int()
    .nonnegative()
    .default(2_000)
    .describe('how often it polls: it learns of an event at its next poll; the AWS Node Termination Handler polls every two seconds'),
});

/**
 * Another client in the cluster handles the same events as the target, from its own source: it cordons the affected nodes and
 * evicts their pods within their budgets. Legal: anyone with the permission can, such as the AWS Node Termination Handler.
 */
export const secondHandler = defineFault({
  name: 'second-handler',
  summary: 'another termination handler also cordons and drains the nodes that EC2 sends notices about',
  params,
  legal: true,
  visible: true,
  capabilities: () => ['spot.interrupt'],
  color: '#0f766e',
  describe: ({ kinds, pollMs, ...offerings }) =>
    `a second handler cordons and drains the nodes of ${describeOfferings(offerings)} at ${kinds.join(' and ')}, up to ${pollMs / 1000} s after it`,
  inject: ({ kinds, pollMs, ...offerings }, { ports, fired }) =>
    ports.handlers.install({
      kinds,
      selector: selectorOf(offerings),
      pollMs,
      fired: (instance) => fired(undefined, instance),
    }),
});
