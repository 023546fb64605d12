import type { Node } from '../../../model/kube.ts';
import { LABEL } from '../../../model/kube.ts';
import { parseProviderId } from '../../../model/provider-id.ts';
import { InstanceBook } from '../../instance-book.ts';
import type { ClusterPort, Instance, InstancePort } from '../../ports.ts';
import type { WorldPart } from '../../tasks.ts';

/**
 * Instances inferred from Nodes, if EC2 can't be queried: one runs while its Node exists. Not recorded: nothing is known of
 * an instance that never became a node, or that keeps running without one.
 */
export class NodeInstances extends InstanceBook implements InstancePort, WorldPart {
  readonly #port: ClusterPort;

  constructor(port: ClusterPort) {
    super();
    this.#port = port;
  }

  end(): void {
    throw new Error("an observer can't terminate instances");
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#port.watch<Node>('nodes', signal, ({ type, object }) => {
      const id = parseProviderId(object.spec?.providerID);
      if (id === undefined) return;
      const instance = toInstance(id, object, type === 'DELETED' ? 'terminated' : 'running');
      if (this.get(id)?.state !== instance.state) this.note(instance);
    });
    return new Promise((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}

function toInstance(id: string, { metadata }: Node, state: 'running' | 'terminated'): Instance {
  const labels = metadata.labels ?? {};
  return {
    id,
    instanceType: labels[LABEL.instanceType] ?? 'unknown',
    zone: labels[LABEL.zone] ?? 'unknown',
    capacityType: labels[LABEL.capacityType] === 'spot' ? 'spot' : 'on-demand',
    state,
    privateIp: '',
    privateDnsName: metadata.name ?? '',
    launchedAtMs: Date.parse(metadata.creationTimestamp ?? '') || 0,
    tags: {},
    userData: '',
    usdPerHour: 0,
  };
}
