import type { InstanceType } from '../../model/catalogue.ts';
import type { Pod } from '../../model/kube.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import type { Random } from '../../runtime/random.ts';
import type { ClusterPort, Instance, InstancePort } from '../ports.ts';
import { Tasks } from '../tasks.ts';
import type { WorldPart } from '../tasks.ts';
import { privateDnsName, regionOf } from './addresses.ts';
import { HEARTBEAT_PERIOD_MS, KUBELET_DELAYS, Kubelet } from './kubelet.ts';
import type { KubeletDelays } from './kubelet.ts';
import { NodeConfigError, parseNodeConfig } from './node-config.ts';
import type { NodeConfig } from './node-config.ts';

interface KubeletsOptions {
  /** Of the principal `node`. */
  readonly port: ClusterPort;
  readonly instances: InstancePort;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** The cluster whose nodes these are: an instance whose user data names another never registers here. */
  readonly clusterName: string;
  /** Undefined for a type that isn't known. */
  readonly instanceType: (type: string) => InstanceType | undefined;
  /** By default KUBELET_DELAYS. */
  readonly delays?: KubeletDelays;
}

/** When a node's kubelet last showed that it was alive. */
export interface Heartbeats {
  /** Milliseconds since the Unix epoch; undefined if no kubelet ever registered under this node name. */
  lastHeartbeatMs(nodeName: string): number | undefined;
}

/** One instance that runs. */
interface Machine {
  readonly nodeName: string;
  readonly power: AbortController;
  /** Absent where nothing boots: the user data is of no use. */
  readonly kubelet: Kubelet | undefined;
}

/** The kubelets of all instances: one starts when its instance runs and is dead when it runs no more. */
export class Kubelets implements WorldPart, Heartbeats {
  readonly #options: KubeletsOptions;
  readonly #machines = new Map<string, Machine>();
  /** By node name: the machine that has the address now. */
  readonly #byNode = new Map<string, Machine>();
  readonly #lastSeenMs = new Map<string, number>();
  /** Bound pods by node name and key. */
  readonly #pods = new Map<string, Map<string, Pod>>();
  /** How often each instance has booted. */
  readonly #boots = new Map<string, number>();

  constructor(options: KubeletsOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { port, instances, clock } = this.#options;
    const tasks = new Tasks(clock, signal);
    port.watch<Pod>('pods', tasks.signal, ({ type, object }) => this.#follow(type, object));
    const follow = (instance: Instance): void => this.#power(instance, tasks);
    const unsubscribe = instances.onChange(follow);
    const powerOff = (): void => {
      unsubscribe();
      for (const { power } of this.#machines.values()) power.abort(signal.reason);
    };
    tasks.signal.addEventListener('abort', powerOff, { once: true });
    for (const instance of instances.list()) follow(instance);
    await tasks.done();
  }

  lastHeartbeatMs(nodeName: string): number | undefined {
    const registeredMs = this.#byNode.get(nodeName)?.kubelet?.registeredMs;
    if (registeredMs === undefined) return this.#lastSeenMs.get(nodeName);
    const aliveMs = this.#options.clock.nowMs() - registeredMs;
    return registeredMs + aliveMs - (aliveMs % HEARTBEAT_PERIOD_MS);
  }

  /** Follows an instance's state: on when it runs, off as soon as it doesn't. */
  #power(instance: Instance, tasks: Tasks): void {
    const machine = this.#machines.get(instance.id);
    if (instance.state === 'running' && machine === undefined) this.#machines.set(instance.id, this.#boot(instance, tasks));
    if (instance.state !== 'running' && machine !== undefined) {
      this.#machines.delete(instance.id);
      const lastMs = this.#byNode.get(machine.nodeName) === machine ? this.lastHeartbeatMs(machine.nodeName) : undefined;
      if (lastMs !== undefined) this.#lastSeenMs.set(machine.nodeName, lastMs);
      if (this.#byNode.get(machine.nodeName) === machine) this.#byNode.delete(machine.nodeName);
      machine.power.abort(new Error(`${instance.id} is ${instance.state}`));
    }
  }

  #boot(instance: Instance, tasks: Tasks): Machine {
    const { port, clock, random, delays = KUBELET_DELAYS } = this.#options;
    const nodeName = privateDnsName(instance.privateIp, regionOf(instance.zone));
    const power = new AbortController();
    const boot = this.#bootable(instance);
    const boots = (this.#boots.get(instance.id) ?? 0) + 1;
    this.#boots.set(instance.id, boots);
    if (boot === undefined) return { nodeName, power, kubelet: undefined };
    const own = new Tasks(clock, power.signal);
    tasks.start(() => own.done());
    const kubelet = new Kubelet({
      port,
      clock,
      // An instance that was stopped boots again, with other delays.
      random: random.fork(`${instance.id}/${boots}`),
      tasks: own,
      instance,
      nodeName,
      ...boot,
      podsOn: (name) => [...(this.#pods.get(name)?.values() ?? [])],
      delays,
    });
    const machine = { nodeName, power, kubelet };
    this.#byNode.set(nodeName, machine);
    return machine;
  }

  /** What an instance needs to become a node of this cluster; undefined if it never will. */
  #bootable(instance: Instance): { instanceType: InstanceType; config: NodeConfig } | undefined {
    const { instanceType: lookUp, clusterName, log } = this.#options;
    const never = (why: string): undefined => {
      log('warn', `${instance.id} will never register: ${why}`, { instance: instance.id });
    };
    const instanceType = lookUp(instance.instanceType);
    if (instanceType === undefined) return never(`its type ${instance.instanceType} is not in the catalogue`);
    try {
      const config = parseNodeConfig(instance.userData);
      if (config.clusterName === clusterName) return { instanceType, config };
      return never(`its user data names the cluster ${config.clusterName}`);
    } catch (error) {
      if (!(error instanceof NodeConfigError)) throw error;
      return never(error.message);
    }
  }

  #follow(type: 'ADDED' | 'MODIFIED' | 'DELETED', pod: Pod): void {
    const nodeName = pod.spec.nodeName ?? '';
    if (nodeName === '') return;
    const pods = this.#pods.get(nodeName) ?? new Map<string, Pod>();
    const key = `${pod.metadata.namespace}/${pod.metadata.name}`;
    const kubelet = this.#byNode.get(nodeName)?.kubelet;
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
