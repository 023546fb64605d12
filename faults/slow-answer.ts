import { z } from 'zod';
import { defineFault } from './fault.ts';
import { describeOperations, describeWhen, triggerParams, wiresOf } from './trigger-params.ts';

const params = z.strictObject({
  ...triggerParams,
  delayMs: z
    .number()
    .int()
    .positive()
    .meta({ description: 'how much later the answer arrives', examples: [5_000] }),
});

/** A request takes effect at once, but its response arrives late. Legal: no latency is guaranteed. */
export const slowAnswer = defineFault({
  name: 'slow-answer',
  summary: 'a request takes effect at once, but its answer arrives late',
  params,
  legal: true,
  capabilities: ({ operations }) => wiresOf(operations),
  color: '#0e7490',
  fis: ['aws:eks:pod-network-latency'],
  chaosMesh: ['NetworkChaos delay'],
  describe: ({ operations, when, delayMs }) =>
    `the answer to ${describeWhen(when)} ${describeOperations(operations)} arrives ${delayMs / 1000} s late`,
  inject: ({ operations, when, delayMs }, { arm, fired }) =>
    arm({
      trigger: { match: { operations }, when, moment: 'after' },
      effect: { kind: 'delay', delayMs },
      fired: (span) => fired(span),
    }),
});
