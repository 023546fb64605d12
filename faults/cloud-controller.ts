import { z } from 'zod';
import { CLOUD_CONTROLLERS } from '../world/ports.ts';
import { defineFault } from './fault.ts';

const which = {
  controllers: z
    .array(z.enum(CLOUD_CONTROLLERS))
    .min(1)
    .default([...CLOUD_CONTROLLERS])
    .describe('the first initializes new nodes, the second removes or taints nodes whose instance is gone or stopped; by default both'),
};

const params = z.discriminatedUnion('what', [
  z.strictObject({ what: z.literal('down'), ...which }),
  z.strictObject({
    what: z.literal('slow'),
    ...which,
    delayMs: z
      .number()
      .int()
      .positive()
      .meta({ description: 'how much later each node is processed', examples: [120_000] }),
  }),
]);

/**
 * The cloud controller manager works late, or not at all. Legal: it is a program like any other, with one active replica, and
 * EC2 may throttle it. After the heal, it processes the backlog at its next resync.
 */
export const cloudController = defineFault({
  name: 'cloud-controller',
  summary: 'the cloud controller manager is slow or down: Nodes without an instance stay, and new nodes are not initialized',
  params,
  legal: true,
  capabilities: () => ['cloud.hold'],
  color: '#0369a1',
  describe: (given) => {
    const names = given.controllers.join(' and ');
    return given.what === 'down' ? `${names}: down` : `${names}: ${given.delayMs / 1_000} s late for each node`;
  },
  inject: (given, { ports, fired }) =>
    ports.cloud.holdUp({
      controllers: given.controllers,
      ...(given.what === 'slow' ? { delayMs: given.delayMs } : {}),
      fired: (node) => fired(undefined, node),
    }),
});
