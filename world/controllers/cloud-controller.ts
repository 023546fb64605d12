import { isDeepStrictEqual } from 'node:util';
import { conditionOf } from '../../model/conditions.ts';
import { defined } from '../../model/defined.ts';
import { LABEL } from '../../model/kube.ts';
import type { Node, Taint } from '../../model/kube.ts';
import { formatProviderId, parseProviderId } from '../../model/provider-id.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import { EventRecorder } from '../events.ts';
import { regionOf } from '../aws/addresses.ts';
import { TAINT, hasTaint, updateTaints } from '../nodes/node-objects.ts';
import type { ClusterPort, Instance, InstancePort } from '../ports.ts';
import { Tasks, WorkQueue } from '../tasks.ts';
import type { WorldPart } from '../tasks.ts';
import type { CloudHolds } from './cloud-holds.ts';

/** `--node-monitor-period` of cloud controller managers. */
export const CLOUD_MONITOR_PERIOD_MS = 5_000;
/** From observing a new node to its initialization: a describe call and a patch. */
export const CLOUD_REACTION = { minMs: 50, maxMs: 500 } as const;

const SHUTDOWN: Taint = { key: TAINT.shutdown, effect: 'NoSchedule' };

interface CloudControllerOptions {
  /** Of the principal `cloud`. */
  readonly port: ClusterPort;
  readonly instances: InstancePort;
  readonly clock: Clock;
  readonly random: Random;
  /** What delays it. */
  readonly holds: Pick<CloudHolds, 'holds'>;
}

/**
 * The cloud controller manager's two node controllers (`k8s.io/cloud-provider`, with the rules of cloud-provider-aws):
 * new nodes get their zone, region, type, provider id and addresses and lose the `uninitialized` taint; every period, a
 * node that is not Ready is deleted if its instance is terminated or unknown, and tainted if it is stopped. It reads the
 * instance store directly, so throttling and staleness of its own EC2 calls are not modelled. Addresses are not updated
 * later (the real one does every 5 minutes), and the label `topology.k8s.aws/zone-id` is not set.
 */
export class CloudController implements WorldPart {
  readonly #options: CloudControllerOptions;
  readonly #events: EventRecorder;
  readonly #nodeEvents: EventRecorder;
  /** Names of new nodes whose initialization is delayed. */
  readonly #held = new Set<string>();

  constructor(options: CloudControllerOptions) {
    this.#options = options;
    const { port, clock, random } = options;
    this.#nodeEvents = new EventRecorder({ port, clock, random: random.fork('node events'), component: 'cloud-node-controller' });
    this.#events = new EventRecorder({ port, clock, random: random.fork('events'), component: 'cloud-node-lifecycle-controller' });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { port, clock, random } = this.#options;
    const tasks = new Tasks(clock, signal);
    const queue: WorkQueue = new WorkQueue({
      tasks,
      random: random.fork('initialize'),
      delay: CLOUD_REACTION,
      reconcile: async (name) => {
        if (!(await this.#initialize(name))) queue.retry(name);
      },
    });
    port.watch<Node>('nodes', tasks.signal, ({ type, object }) => {
      if (type !== 'DELETED' && isUninitialized(object)) queue.add(object.metadata.name ?? '');
    });
    tasks.every(CLOUD_MONITOR_PERIOD_MS, () => {
      for (const name of this.#held) queue.add(name);
      this.#held.clear();
      return this.#monitor();
    });
    await tasks.done();
  }

  /** @returns false if the instance was not found */
  async #initialize(name: string): Promise<boolean> {
    const { port } = this.#options;
    const node = await port.get<Node>({ resource: 'nodes', name });
    if (node === undefined || !isUninitialized(node)) return true;
    if (this.#options.holds.holds('cloud-node-controller', node, this.#options.clock.nowMs())) {
      this.#held.add(name);
      return true;
    }
    const instance = this.#instanceOf(node);
    if (instance === undefined || instance.state === 'terminated') return false;
    const region = regionOf(instance.zone);
    const initialized = await port.patch<Node>(
      { resource: 'nodes', name },
      {
        metadata: {
          resourceVersion: node.metadata.resourceVersion,
          labels: {
            'beta.kubernetes.io/instance-type': instance.instanceType,
            'failure-domain.beta.kubernetes.io/region': region,
            'failure-domain.beta.kubernetes.io/zone': instance.zone,
            [LABEL.instanceType]: instance.instanceType,
            [LABEL.region]: region,
            [LABEL.zone]: instance.zone,
          },
        },
        spec: {
          taints: (node.spec?.taints ?? []).filter(({ key }) => key !== TAINT.uninitialized),
          ...((node.spec?.providerID ?? '') === '' ? { providerID: formatProviderId(instance) } : {}),
        },
      },
    );
    await this.#setAddresses(initialized, instance);
    const about = { apiVersion: 'v1', kind: 'Node', name, ...defined({ uid: node.metadata.uid }) };
    await this.#nodeEvents.record({ about, type: 'Normal', reason: 'Synced', message: 'Node synced successfully' });
    return true;
  }

  async #setAddresses(node: Node, { privateIp, privateDnsName }: Instance): Promise<void> {
    const addresses = [
      { type: 'InternalIP', address: privateIp },
      { type: 'InternalDNS', address: privateDnsName },
      { type: 'Hostname', address: privateDnsName },
    ];
    if (isDeepStrictEqual(node.status?.addresses, addresses)) return;
    await this.#options.port.patch({ resource: 'nodes', name: node.metadata.name ?? '' }, { status: { addresses } }, 'status');
  }

  async #monitor(): Promise<void> {
    const { port, holds, clock } = this.#options;
    for (const node of await port.list<Node>('nodes')) {
      const act = this.#dueFor(node);
      if (act !== undefined && !holds.holds('cloud-node-lifecycle-controller', node, clock.nowMs())) await act();
    }
  }

  /** The action that a node needs because of its instance's state. */
  #dueFor(node: Node): (() => Promise<void>) | undefined {
    const name = node.metadata.name ?? '';
    const isShutdown = hasTaint(node, TAINT.shutdown, 'NoSchedule');
    if (conditionOf(node, 'Ready')?.status === 'True') return isShutdown ? () => this.#setShutdown(name, false) : undefined;
    const instance = this.#instanceOf(node);
    if (instance === undefined || instance.state === 'terminated') {
      return node.metadata.deletionTimestamp === undefined ? () => this.#remove(node) : undefined;
    }
    return instance.state === 'stopped' && !isShutdown ? () => this.#setShutdown(name, true) : undefined;
  }

  async #remove(node: Node): Promise<void> {
    const { uid = '', name = '' } = node.metadata;
    await this.#events.record({
      about: { apiVersion: 'v1', kind: 'Node', name, uid },
      type: 'Normal',
      reason: 'DeletingNode',
      message: `Deleting node ${name} because it does not exist in the cloud provider`,
    });
    await this.#options.port.delete({ resource: 'nodes', name }, { uid });
  }

  #setShutdown(name: string, shutdown: boolean): Promise<void> {
    return updateTaints(this.#options.port, name, ({ spec }) => {
      const others = (spec?.taints ?? []).filter(({ key }) => key !== TAINT.shutdown);
      return shutdown ? [...others, SHUTDOWN] : others;
    });
  }

  /** By provider id; without one, the instance with the address in the node's name that may still be running. */
  #instanceOf(node: Node): Instance | undefined {
    const { instances } = this.#options;
    const id = parseProviderId(node.spec?.providerID);
    if (id !== undefined) return instances.get(id);
    return instances.list().find(({ state, privateDnsName }) => state !== 'terminated' && privateDnsName === node.metadata.name);
  }
}

function isUninitialized(node: Node): boolean {
  return hasTaint(node, TAINT.uninitialized, 'NoSchedule');
}
