import { z } from 'zod';
import { defined } from '../model/defined.ts';
import { defineFault } from './fault.ts';
import { describeInstances, instanceParams, selectInstances } from './instance-params.ts';

const params = z
  .strictObject({
    ...instanceParams,
    delayMs: z
      .number()
      .int()
      .positive()
      .optional()
      .meta({ description: 'how much later than usual', examples: [600_000] }),
    never: z.literal(true).optional().describe('register only when the fault is healed; use instead of delayMs'),
  })
  .refine(({ delayMs, never }) => (delayMs === undefined) !== (never === undefined), {
    path: ['delayMs'],
    message: 'give either delayMs or never',
  });

/** Kubelets register late or never, while their instances run and cost money. Legal: boot times are not guaranteed. */
export const slowRegistration = defineFault({
  name: 'slow-registration',
  summary: 'kubelets register late or never while their instances run',
  params,
  legal: true,
  visible: true,
  capabilities: () => ['boot.delay'],
  color: '#7c3aed',
  describe: ({ delayMs, ...which }) =>
    `the kubelet of ${describeInstances(which)} ${delayMs === undefined ? 'never registers' : `registers ${delayMs / 1000} s late`}`,
  inject: ({ delayMs, ...which }, { ports, fired }) =>
    ports.nodes.arm({
      ...selectInstances(which),
      problem: { kind: 'late-registration', ...defined({ delayMs }) },
      fired: (instance) => fired(undefined, instance),
    }),
});
