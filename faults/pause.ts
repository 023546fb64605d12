import { z } from 'zod';
import { defineFault } from './fault.ts';

const params = z.strictObject({});

/**
 * The target stops in the middle of its work, as by SIGSTOP or a stalled machine, and continues at the heal with its old state:
 * another replica may hold its lease by then. Legal: hypervisors and schedulers do that.
 */
export const pause = defineFault({
  name: 'pause',
  summary: 'the target is paused until the heal, then continues with what it knew before',
  params,
  legal: true,
  capabilities: () => ['target.pause'],
  color: '#475569',
  chaosMesh: ['StressChaos'],
  describe: () => 'the target is paused',
  inject: (_given, { ports, fired }) => ports.processes.pause({ fired: () => fired() }),
});
