import { z } from 'zod';
import { defineFault } from './fault.ts';
import { describeOperations, describeWhen, triggerParams, wiresOf } from './trigger-params.ts';

/** Longer than any client waits for a response: until the heal. */
const UNTIL_HEALED_MS = 86_400_000;

const params = z.strictObject({
  ...triggerParams,
  delayMs: z
    .number()
    .int()
    .positive()
    .optional()
    .meta({ description: 'how much later the request arrives; by default only when the fault is healed', examples: [90_000] }),
});

/**
 * A request is delayed on its way and takes effect when it arrives, even if its sender has given up by then; without a delay it
 * times out. Legal: proxies and load balancers hold requests, and networks lose packets for a while.
 */
export const lateRequest = defineFault({
  name: 'late-request',
  summary: 'a request arrives and takes effect late, or only when the fault is healed; its sender may have given up by then',
  params,
  legal: true,
  capabilities: ({ operations }) => wiresOf(operations),
  color: '#6d28d9',
  describe: ({ operations, when, delayMs }) => {
    const late = delayMs === undefined ? 'does not arrive before the heal' : `arrives ${delayMs / 1000} s late`;
    return `${describeWhen(when)} ${describeOperations(operations)} ${late}`;
  },
  inject: ({ operations, when, delayMs = UNTIL_HEALED_MS }, { arm, fired }) =>
    arm({
      trigger: { match: { operations }, when, moment: 'before' },
      effect: { kind: 'delay', delayMs },
      fired: (span) => fired(span),
    }),
});
