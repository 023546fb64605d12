import { z } from 'zod';
import { defineFault } from './fault.ts';
import { describeInstances, instanceParams, selectInstances } from './instance-params.ts';

const params = z.strictObject(instanceParams);

/** Nodes register but never become Ready: their network plugin doesn't start. Legal: a broken image does that. */
export const neverReady = defineFault({
  name: 'never-ready',
  summary: 'nodes register but never become Ready, because their network plugin never does (NetworkPluginNotReady)',
  params,
  legal: true,
  visible: true,
  capabilities: () => ['boot.delay'],
  color: '#9333ea',
  describe: (which) => `the node of ${describeInstances(which)} registers but never becomes Ready: cni plugin not initialized`,
  inject: (which, { ports, fired }) =>
    ports.nodes.arm({ ...selectInstances(which), problem: { kind: 'never-ready' }, fired: (instance) => fired(undefined, instance) }),
});
