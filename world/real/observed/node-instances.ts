import type { Node } from '../../../model/kube.ts';
import { LABEL } from '../../../model/kube.ts';
import { parseProviderId } from '../../../model/provider-id.ts';
import type { ClusterPort, Instance, InstancePort } from '../../ports.ts';
import type { WorldPart } from '../../tasks.ts';

/**
 * Instances as far as Nodes tell of them, where EC2 can't be asked: one runs as long as its Node is there. Not recorded: of
 * what never became a node, or runs on without one, nothing is known.
 */
export class NodeInstances implements InstancePort, WorldPart {
  readonly #port: ClusterPort;
  readonly #instances = new Map<string, Instance>();
  readonly #listeners = new Set<(instance: Instance) => void>();

  constructor(port: ClusterPort) {
    this.#port = port;
  }

  get(id: string): Instance | undefined {
    return this.#instances.get(id);
  }

  list(): readonly Instance[] {
    return [...this.#instances.values()];
  }

  onChange(listener: (instance: Instance) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  end(): void {
    throw new Error('an observer ends no instance');
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#port.watch<Node>('nodes', signal, ({ type, object }) => {
      const id = parseProviderId(object.spec?.providerID);
      if (id === undefined) return;
      const instance = toInstance(id, object, type === 'DELETED' ? 'terminated' : 'running');
      if (this.#instances.get(id)?.state === instance.state) return;
      this.#instances.set(id, instance);
      for (const listener of [...this.#listeners]) listener(instance);
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
