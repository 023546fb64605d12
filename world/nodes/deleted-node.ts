import type { Clock } from '../../runtime/clock.ts';
import { ClusterError } from '../ports.ts';
import type { ClusterPort, Instance } from '../ports.ts';
import { waitOut } from './node-faults.ts';
import type { Strike } from './node-faults.ts';

/**
 * Deletes the Node of a running instance as a party other than its kubelet would: a finalizer's owner may still clean up.
 * A Node that is already gone is left alone, and so is every Node once the fault is healed.
 */
export async function deleteNode(options: {
  readonly port: ClusterPort;
  readonly clock: Clock;
  readonly instance: Instance;
  readonly strike: Strike<'deleted-node'>;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { port, clock, instance, strike, signal } = options;
  await waitOut(clock, strike.problem.afterMs, strike.healed, signal);
  if (strike.healed.aborted) return;
  try {
    await port.delete({ resource: 'nodes', name: instance.privateDnsName });
    if (!signal.aborted) strike.fired();
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
  }
}
