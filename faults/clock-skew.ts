import { z } from 'zod';
import { defineFault } from './fault.ts';

/** AWS refuses requests that were signed with a clock that is five minutes off. Source: "Troubleshoot signed requests for AWS APIs". */
const MAX_SKEW_MS = 299_000;

const params = z.strictObject({
  byMs: z
    .number()
    .int()
    .min(-MAX_SKEW_MS)
    .max(MAX_SKEW_MS)
    .refine((byMs) => byMs !== 0, 'byMs must not be 0')
    .meta({
      description: 'how far ahead of all other clocks, or behind if negative; less than the five minutes that AWS tolerates',
      examples: [240_000],
    }),
});

/** The clock of the target's machine is wrong. Legal: clocks drift, and jump when they are corrected. */
export const clockSkew = defineFault({
  name: 'clock-skew',
  summary: "the target's clock is minutes ahead of or behind all other clocks",
  params,
  legal: true,
  capabilities: () => ['target.clock'],
  color: '#64748b',
  chaosMesh: ['TimeChaos'],
  describe: ({ byMs }) => `the target's clock is ${Math.abs(byMs) / 1000} s ${byMs > 0 ? 'ahead' : 'behind'}`,
  inject: ({ byMs }, { ports, fired }) => ports.processes.skewClock({ byMs, fired: () => fired() }),
});
