import { defined } from '../../model/defined.ts';
import type { Node } from '../../model/kube.ts';
import { formatProviderId } from '../../model/provider-id.ts';
import { ClusterError } from '../ports.ts';
import type { ClusterPort, Instance } from '../ports.ts';
import type { Strike } from './node-faults.ts';

/**
 * Creates an instance's Node as a party other than its kubelet would, as soon as the instance runs; the kubelet will adopt
 * it. If the fault is healed first, the Node is deleted again. An existing Node is left alone.
 */
export async function writeForeignNode(options: {
  readonly port: ClusterPort;
  readonly instance: Instance;
  readonly strike: Strike<'foreign-node'>;
  /** Whether the kubelet has registered. */
  readonly adopted: () => boolean;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { port, instance, strike, adopted, signal } = options;
  const { labels, taints, providerId } = strike.problem;
  const name = instance.privateDnsName;
  try {
    const node = await port.create<Node>('nodes', {
      metadata: { name, labels: { ...labels } },
      spec: { taints: [...taints], ...(providerId ? { providerID: formatProviderId(instance) } : {}) },
    });
    if (signal.aborted) return;
    strike.fired();
    const { uid } = node.metadata;
    await new Promise<void>((resolve) => {
      if (strike.healed.aborted) resolve();
      for (const one of [strike.healed, signal]) one.addEventListener('abort', () => resolve(), { once: true });
    });
    if (adopted() || signal.aborted) return;
    await port.delete({ resource: 'nodes', name }, defined({ uid }));
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
  }
}
