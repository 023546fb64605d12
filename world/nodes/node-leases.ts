import type { KubeObject, Node } from '../../model/kube.ts';
import type { Clock } from '../../runtime/clock.ts';
import { ClusterError } from '../ports.ts';
import type { ClusterPort } from '../ports.ts';
import { Tasks } from '../tasks.ts';
import type { WorldPart } from '../tasks.ts';
import { HEARTBEAT_PERIOD_MS } from './kubelet.ts';
import type { Heartbeats, Kubelets } from './kubelets.ts';

/** The kubelet's `nodeLeaseDurationSeconds`; it renews every quarter of that. */
const LEASE_SECONDS = 40;
/** The namespace of node leases in every cluster (`corev1.NamespaceNodeLease`). */
export const NODE_LEASE_NAMESPACE = 'kube-node-lease';

interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly renewTime?: string;
}

/** A lease, as far as nodes use it. */
export type Lease = KubeObject & { spec?: LeaseSpec };

/**
 * The leases of live kubelets (`k8s.io/component-helpers/apimachinery/lease`): each is created once its Node is registered,
 * owned by it, and so garbage-collected with it. Renewals are not written: `renewed` computes them for readers. Where something
 * watches leases, `LeaseHeartbeats` takes its place.
 */
export class NodeLeases implements WorldPart {
  readonly #port: ClusterPort;
  readonly #clock: Clock;
  readonly #kubelets: Kubelets;

  constructor(parts: { port: ClusterPort; clock: Clock; kubelets: Kubelets }) {
    this.#port = parts.port;
    this.#clock = parts.clock;
    this.#kubelets = parts.kubelets;
  }

  async run(signal: AbortSignal): Promise<void> {
    const tasks = new Tasks(this.#clock, signal);
    const unsubscribe = this.#kubelets.onRegister((nodeName) => tasks.start(() => this.#ensure(nodeName, tasks.signal)));
    tasks.signal.addEventListener('abort', unsubscribe, { once: true });
    await tasks.done();
  }

  /** The lease of a previous Node of the same name is deleted with that Node: until then creation is retried, like renewals. */
  async #ensure(name: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const node = await this.#port.get<Node>({ resource: 'nodes', name });
      // Without a Node there is no owner, so no lease is created.
      if (node === undefined) return;
      const owner = { apiVersion: 'v1', kind: 'Node', name, uid: node.metadata.uid ?? '' };
      try {
        await this.#port.create<Lease>('leases', {
          metadata: { name, namespace: NODE_LEASE_NAMESPACE, ownerReferences: [owner] },
          spec: leaseSpec(name, this.#clock.nowMs()),
        });
        return;
      } catch (error) {
        if (!(error instanceof ClusterError)) throw error;
        const lease = await this.#port.get<Lease>({ resource: 'leases', namespace: NODE_LEASE_NAMESPACE, name });
        if (lease?.metadata.ownerReferences?.some(({ uid }) => uid === owner.uid) === true) return;
      }
      await this.#clock.sleep(HEARTBEAT_PERIOD_MS, signal);
    }
  }
}

/** The spec that a kubelet writes to its lease. @param renewedMs milliseconds since the Unix epoch */
export function leaseSpec(nodeName: string, renewedMs: number): LeaseSpec {
  return { holderIdentity: nodeName, leaseDurationSeconds: LEASE_SECONDS, renewTime: microTime(renewedMs) };
}

/** A node lease as if its kubelet wrote each renewal; any other lease unchanged. */
export function renewed<T extends KubeObject>(lease: T, heartbeats: Heartbeats): T {
  const { namespace, name = '' } = lease.metadata;
  const lastMs = namespace === NODE_LEASE_NAMESPACE ? heartbeats.lastHeartbeatMs(name) : undefined;
  const { spec } = lease as Lease;
  return lastMs === undefined || spec?.holderIdentity !== name ? lease : { ...lease, spec: { ...spec, renewTime: microTime(lastMs) } };
}

/** Lease times have microseconds. */
function microTime(ms: number): string {
  return new Date(ms).toISOString().replace(/Z$/, '000Z');
}
