import type { Node } from '../../model/kube.ts';
import type { Clock } from '../../runtime/clock.ts';
import { ClusterError } from '../ports.ts';
import type { ClusterPort } from '../ports.ts';
import { Tasks } from '../tasks.ts';
import type { WorldPart } from '../tasks.ts';
import { HEARTBEAT_PERIOD_MS } from './kubelet.ts';
import type { Heartbeats } from './kubelets.ts';
import { NODE_LEASE_NAMESPACE, leaseSpec } from './node-leases.ts';
import type { Lease } from './node-leases.ts';

/** Kubelets, as far as this part uses them. */
interface NodeObserver extends Heartbeats {
  observeNode(node: Node): void;
}

/**
 * Renews the leases of live kubelets, by which a real controller manager knows that they are alive, and shows them the changes
 * of their Nodes. Where heartbeats are computed, `NodeLeases` takes its place.
 */
export class LeaseHeartbeats implements WorldPart {
  readonly #port: ClusterPort;
  readonly #clock: Clock;
  readonly #kubelets: NodeObserver;
  readonly #nodes = new Map<string, Node>();
  readonly #leased = new Set<string>();

  constructor(parts: { port: ClusterPort; clock: Clock; kubelets: NodeObserver }) {
    this.#port = parts.port;
    this.#clock = parts.clock;
    this.#kubelets = parts.kubelets;
  }

  async run(signal: AbortSignal): Promise<void> {
    const tasks = new Tasks(this.#clock, signal);
    this.#port.watch<Node>('nodes', tasks.signal, ({ type, object }) => {
      const name = object.metadata.name ?? '';
      if (type !== 'DELETED') {
        const isNew = !this.#nodes.has(name);
        this.#nodes.set(name, object);
        this.#kubelets.observeNode(object);
        if (isNew) tasks.start(() => this.#renew(name));
        return;
      }
      this.#nodes.delete(name);
      this.#leased.delete(name);
    });
    tasks.start(async () => {
      while (!tasks.signal.aborted) {
        await this.#clock.sleep(HEARTBEAT_PERIOD_MS, tasks.signal);
        await Promise.all([...this.#nodes.keys()].map((name) => this.#renew(name)));
      }
    });
    await tasks.done();
  }

  /** A kubelet that was silent for a period does not renew. */
  async #renew(name: string): Promise<void> {
    const lastMs = this.#kubelets.lastHeartbeatMs(name);
    const node = this.#nodes.get(name);
    if (node === undefined || lastMs === undefined || this.#clock.nowMs() - lastMs > HEARTBEAT_PERIOD_MS) return;
    const spec = leaseSpec(name, lastMs);
    try {
      if (this.#leased.has(name)) {
        await this.#port.patch<Lease>({ resource: 'leases', namespace: NODE_LEASE_NAMESPACE, name }, { spec });
        return;
      }
      const owner = { apiVersion: 'v1', kind: 'Node', name, uid: node.metadata.uid ?? '' };
      await this.#port.create<Lease>('leases', { metadata: { name, namespace: NODE_LEASE_NAMESPACE, ownerReferences: [owner] }, spec });
      this.#leased.add(name);
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      // The lease of a previous node of the same name is deleted with that node; one missed renewal does not matter.
      if (error.reason === 'AlreadyExists') this.#leased.add(name);
      else if (error.reason === 'NotFound') this.#leased.delete(name);
    }
  }
}
