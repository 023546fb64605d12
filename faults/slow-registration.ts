import { z } from 'zod';
import type { Fault } from './fault.ts';
import { describeInstances, instanceParams, selectInstances } from './instance-params.ts';

const params = z
  .strictObject({
    ...instanceParams,
    /** How much later than it would. */
    delayMs: z.number().int().positive().optional(),
    /** Not before the fault is healed. */
    never: z.literal(true).optional(),
  })
  .refine(({ delayMs, never }) => (delayMs === undefined) !== (never === undefined), {
    path: ['delayMs'],
    message: 'either delayMs or never',
  });

/** Kubelets register late or never, while their instances run and cost. Legal: nothing promises when a machine has booted. */
export const slowRegistration: Fault<z.infer<typeof params>, z.input<typeof params>> = {
  name: 'slow-registration',
  summary: 'kubelets register late or never, while their instances run',
  params,
  legal: true,
  capabilities: () => ['boot.delay'],
  color: '#7c3aed',
  describe: ({ delayMs, ...which }) =>
    `the kubelet of ${describeInstances(which)} ${delayMs === undefined ? 'never registers' : `registers ${delayMs / 1000} s late`}`,
  inject: ({ delayMs, ...which }, { ports, fired }) =>
    ports.nodes.arm({
      ...selectInstances(which),
      ailment: { kind: 'late-registration', ...(delayMs === undefined ? {} : { delayMs }) },
      fired: (instance) => fired(undefined, instance),
    }),
};
