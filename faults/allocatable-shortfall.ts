import { z } from 'zod';
import { defineFault } from './fault.ts';
import { describeInstances, instanceParams, selectInstances } from './instance-params.ts';

const params = z
  .strictObject({
    ...instanceParams,
    cpu: z
      .number()
      .min(0)
      .max(1)
      .default(0)
      .meta({ description: 'share of the advertised amount that is missing, from 0 to 1', examples: [0.25] }),
    memory: z
      .number()
      .min(0)
      .max(1)
      .default(0)
      .meta({ description: 'share of the advertised amount that is missing, from 0 to 1', examples: [0.25] }),
  })
  .refine(({ cpu, memory }) => cpu + memory > 0, { path: ['memory'], message: 'cpu or memory must be greater than 0' });

/**
 * Nodes have less for pods than their type suggests. Legal: images, kernels and daemons use some, and nothing guarantees a
 * node's allocatable resources before it registers.
 */
export const allocatableShortfall = defineFault({
  name: 'allocatable-shortfall',
  summary: 'nodes have less allocatable CPU or memory than their type suggests',
  params,
  legal: true,
  capabilities: () => ['boot.delay'],
  color: '#a16207',
  describe: ({ cpu, memory, ...which }) =>
    `the node of ${describeInstances(which)} lacks ${percent(cpu)} of its CPU and ${percent(memory)} of its memory`,
  inject: ({ cpu, memory, ...which }, { ports, fired }) =>
    ports.nodes.arm({
      ...selectInstances(which),
      problem: { kind: 'shortfall', cpu, memory },
      fired: (instance) => fired(undefined, instance),
    }),
});

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}
