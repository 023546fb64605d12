import type { Node, Pod } from '../../model/kube.ts';
import { defined } from '../../model/defined.ts';
import type { Instance } from '../ports.ts';
import { Tasks } from '../tasks.ts';
import type { WorldPart } from '../tasks.ts';
import { writeForeignNode } from './foreign-node.ts';
import { KUBELET_DELAYS, Kubelet } from './kubelet.ts';
import { bootable } from './bootable.ts';
import { NodeFaults } from './node-faults.ts';
import type { NodesSite } from './nodes-site.ts';
import { Process } from './process.ts';

/** The last heartbeat of a node's kubelet. */
export interface Heartbeats {
  /** Milliseconds since the Unix epoch; undefined if no kubelet ever registered under this node name. */
  lastHeartbeatMs(nodeName: string): number | undefined;
}

/** An instance that is running or shutting down. */
interface Machine {
  readonly nodeName: string;
  readonly power: AbortController;
  /** Absent if no node boots, because the user data is unusable. */
  readonly node: { readonly kubelet: Kubelet; readonly process: Process } | undefined;
  goingDown: boolean;
}

/**
 * The kubelets of all instances: one boots when its instance runs, ends its pods when the instance is to be terminated or
 * stopped, and is dead when it no longer runs. What nodeadm reads from the instance metadata service (id, type, zone, address,
 * local-hostname, user data) comes from the instance itself; nothing answers at 169.254.169.254, since no program runs
 * on these nodes.
 */
export class Kubelets implements WorldPart, Heartbeats {
  readonly #options: NodesSite;
  readonly #faults: NodeFaults;
  readonly #machines = new Map<string, Machine>();
  /** By node name: the machine that currently has the name. */
  readonly #byNode = new Map<string, Machine>();
  readonly #lastSeenMs = new Map<string, number>();
  /** Bound pods by node name and key. */
  readonly #pods = new Map<string, Map<string, Pod>>();
  readonly #registerListeners = new Set<(nodeName: string) => void>();
  /** How many times each instance has booted. */
  readonly #boots = new Map<string, number>();

  constructor(options: NodesSite) {
    this.#options = options;
    this.#faults = options.faults ?? new NodeFaults();
  }

  async run(signal: AbortSignal): Promise<void> {
    const { port, instances, clock } = this.#options;
    const tasks = new Tasks(clock, signal);
    port.watch<Pod>('pods', tasks.signal, ({ type, object }) => this.#follow(type, object));
    const follow = (instance: Instance): void => this.#power(instance, tasks);
    const unsubscribe = instances.onChange(follow);
    const unsubscribeReboots = this.#options.onReboot?.((id) => this.#reboot(id, tasks));
    const unsubscribeFaults = this.#faults.onArm(() => {
      for (const { node } of this.#machines.values()) node?.kubelet.checkForFaults();
    });
    const powerOff = (): void => {
      unsubscribe();
      unsubscribeReboots?.();
      unsubscribeFaults();
      for (const { power } of this.#machines.values()) power.abort(signal.reason);
    };
    tasks.signal.addEventListener('abort', powerOff, { once: true });
    for (const instance of instances.list()) follow(instance);
    await tasks.done();
  }

  /** Calls `listener` when a kubelet has registered or adopted its node. Returns a function that removes it. */
  onRegister(listener: (nodeName: string) => void): () => void {
    this.#registerListeners.add(listener);
    return () => this.#registerListeners.delete(listener);
  }

  /** Must be called for each change of a Node. A kubelet only acts on it when its period ends, so it may be told at once. */
  observeNode(node: Node): void {
    this.#byNode.get(node.metadata.name ?? '')?.node?.kubelet.observeNode(node);
  }

  lastHeartbeatMs(nodeName: string): number | undefined {
    return this.#byNode.get(nodeName)?.node?.kubelet.lastHeartbeatMs ?? this.#lastSeenMs.get(nodeName);
  }

  /** Follows an instance's state: on when it runs, down while it stops or shuts down, off at the latest when it has. */
  #power(instance: Instance, tasks: Tasks): void {
    const machine = this.#machines.get(instance.id);
    if (machine === undefined) {
      if (instance.state === 'running') this.#machines.set(instance.id, this.#boot(instance, tasks));
      return;
    }
    if (instance.state === 'running') return;
    const { node } = machine;
    const off = (): void => this.#switchOff(instance.id, machine);
    if (node === undefined || instance.state === 'terminated' || instance.state === 'stopped') {
      off();
    } else if (!machine.goingDown) {
      machine.goingDown = true;
      node.process.startIndependent(async () => {
        await node.kubelet.shutDown();
        off();
      });
    }
  }

  /** Ends an instance's pods and switches it off; it boots again, unless it ends meanwhile. A reboot under way is not begun again. */
  #reboot(id: string, tasks: Tasks): void {
    const machine = this.#machines.get(id);
    if (machine?.node === undefined || machine.goingDown) return;
    const { kubelet, process } = machine.node;
    machine.goingDown = true;
    process.startIndependent(async () => {
      await kubelet.shutDown();
      this.#switchOff(id, machine);
      const instance = this.#options.instances.get(id);
      if (instance?.state === 'running') this.#machines.set(id, this.#boot(instance, tasks));
    });
  }

  #switchOff(id: string, machine: Machine): void {
    const { nodeName, power } = machine;
    if (this.#machines.get(id) !== machine) return;
    this.#machines.delete(id);
    if (this.#byNode.get(nodeName) === machine) {
      const lastMs = this.lastHeartbeatMs(nodeName);
      if (lastMs !== undefined) this.#lastSeenMs.set(nodeName, lastMs);
      this.#byNode.delete(nodeName);
    }
    power.abort(new Error(`${id} is off`));
  }

  #boot(instance: Instance, tasks: Tasks): Machine {
    const { port, clock, random, delays = KUBELET_DELAYS, statusReportPeriodMs } = this.#options;
    const nodeName = instance.privateDnsName;
    const power = new AbortController();
    const boot = bootable(instance, this.#options);
    const boots = (this.#boots.get(instance.id) ?? 0) + 1;
    this.#boots.set(instance.id, boots);
    if (boot === undefined) return { nodeName, power, node: undefined, goingDown: false };
    const process = new Process(clock, power.signal);
    tasks.start(() => process.done());
    const kubelet = new Kubelet({
      port,
      clock,
      // A stopped instance boots again, with other delays.
      random: random.fork(`${instance.id}/${boots}`),
      process,
      faults: this.#faults,
      instance,
      ...boot,
      registered: () => {
        for (const listener of [...this.#registerListeners]) listener(nodeName);
      },
      podsOn: (name) => [...(this.#pods.get(name)?.values() ?? [])],
      delays,
      ...defined({ statusReportPeriodMs }),
    });
    const strike = this.#faults.strike('foreign-node', instance);
    if (strike !== undefined) {
      process.startIndependent(() =>
        writeForeignNode({ port, instance, strike, adopted: () => kubelet.registered, signal: process.signal }),
      );
    }
    const machine: Machine = { nodeName, power, node: { kubelet, process }, goingDown: false };
    this.#byNode.set(nodeName, machine);
    return machine;
  }

  #follow(type: 'ADDED' | 'MODIFIED' | 'DELETED', pod: Pod): void {
    const nodeName = pod.spec.nodeName ?? '';
    if (nodeName === '') return;
    const pods = this.#pods.get(nodeName) ?? new Map<string, Pod>();
    const key = `${pod.metadata.namespace}/${pod.metadata.name}`;
    const kubelet = this.#byNode.get(nodeName)?.node?.kubelet;
    if (type === 'DELETED') {
      pods.delete(key);
      if (pods.size === 0) this.#pods.delete(nodeName);
      kubelet?.forget(pod);
    } else {
      this.#pods.set(nodeName, pods.set(key, pod));
      kubelet?.observe(pod);
    }
  }
}
