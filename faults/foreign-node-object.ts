import { z } from 'zod';
import { defineFault } from './fault.ts';
import { describeInstances, instanceParams, selectInstances } from './instance-params.ts';

const params = z.strictObject({
  ...instanceParams,
  labels: z.record(z.string(), z.string()).default({}).describe('labels that the other component writes'),
  taints: z
    .array(
      z.strictObject({
        key: z.string().min(1),
        value: z.string().exactOptional(),
        effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
      }),
    )
    .default([])
    .describe('taints that the other component writes'),
  providerId: z.boolean().default(false).describe("whether the object has the instance's provider id"),
});

/**
 * Another component creates the Node object before the kubelet does, and the kubelet adopts it: without the labels and taints
 * that it would have registered with, and without a provider id unless the other component set it. Legal: anyone who may
 * create Nodes can do this, and it also happens when an address is reused.
 */
export const foreignNodeObject = defineFault({
  name: 'foreign-node-object',
  summary: 'another component creates the Node object before the kubelet registers, and the kubelet adopts it',
  params,
  legal: true,
  capabilities: () => ['boot.delay'],
  color: '#4f46e5',
  describe: ({ labels: _labels, taints: _taints, providerId, ...which }) =>
    `the Node of ${describeInstances(which)} is created by another component ${providerId ? 'with' : 'without'} its provider id, and adopted`,
  inject: ({ labels, taints, providerId, ...which }, { ports, fired }) =>
    ports.nodes.arm({
      ...selectInstances(which),
      problem: { kind: 'foreign-node', labels, taints, providerId },
      fired: (instance) => fired(undefined, instance),
    }),
});
