import { z } from 'zod';
import { defineFault } from './fault.ts';
import { describeInstances, instanceParams, selectInstances } from './instance-params.ts';

const params = z.strictObject({
  ...instanceParams,
  afterMs: z
    .number()
    .int()
    .nonnegative()
    .default(0)
    .describe('time after the node becomes Ready, or after the fault is armed if it was Ready before'),
});

/**
 * Someone deletes the Node objects of running instances; a kubelet that has registered does not create its Node again. Legal:
 * anyone with the permission can, for example with `kubectl delete node`.
 */
export const nodeDeleted = defineFault({
  name: 'node-deleted',
  summary: 'Node objects are deleted by someone else while their instances keep running',
  params,
  legal: true,
  visible: true,
  capabilities: () => ['boot.delay'],
  color: '#9d174d',
  describe: ({ afterMs, ...which }) =>
    `the Node of ${describeInstances(which)} is deleted by someone else ${afterMs / 1000} s after it was Ready`,
  inject: ({ afterMs, ...which }, { ports, fired }) =>
    ports.nodes.arm({
      ...selectInstances(which),
      problem: { kind: 'deleted-node', afterMs },
      fired: (instance) => fired(undefined, instance),
    }),
});
