import type { Clock } from '../../../runtime/clock.ts';
import type { Boot } from '../../nodes/bootable.ts';
import { deleteNode } from '../../nodes/deleted-node.ts';
import { writeForeignNode } from '../../nodes/foreign-node.ts';
import { waitOut } from '../../nodes/node-faults.ts';
import type { NodeFaults, Strike } from '../../nodes/node-faults.ts';
import { machineResources } from '../../nodes/machine-resources.ts';
import { withShortfall } from '../../nodes/node-resources.ts';
import type { ClusterPort, Instance } from '../../ports.ts';
import { Tasks } from '../../tasks.ts';
import type { NodeContainers } from './containers.ts';
import type { ControlPlaneFacts } from './control-plane.ts';
import { NETWORK_PATH, kubeletConfig, kubeletFiles, networkFiles, sizeFiles } from './node-files.ts';
import type { KubeletSite } from './node-files.ts';
import type { Semaphore } from '../../../runtime/semaphore.ts';

interface RealMachineOptions extends Boot {
  /** The container's name. */
  readonly name: string;
  readonly instance: Instance;
  readonly facts: ControlPlaneFacts;
  readonly containers: NodeContainers;
  readonly clock: Clock;
  readonly faults: NodeFaults;
  readonly port: ClusterPort;
  /** Limits how many containers are created at the same time. */
  readonly slots: Semaphore;
}

/**
 * The container of one running instance: its kubelet joins the cluster by itself, with a bootstrap token, as soon as systemd
 * starts it. Nothing in it is simulated; faults change its files and its services.
 */
export class RealMachine {
  readonly #options: RealMachineOptions;
  readonly #kubelet: KubeletSite;
  #isRegistered = false;
  #isReady = false;
  #tasks: Tasks | undefined;

  constructor(options: RealMachineOptions) {
    this.#options = options;
    const { instance, instanceType, config, facts } = options;
    this.#kubelet = { instance, config, facts, resources: machineResources(instance, instanceType, config) };
  }

  /** Runs from power on until the signal: power off. Then its container is removed. @throws ClusterError when docker fails */
  async run(power: AbortSignal): Promise<void> {
    const { clock, containers, name } = this.#options;
    const tasks = new Tasks(clock, power);
    this.#tasks = tasks;
    tasks.start(() => this.#live(tasks));
    try {
      await tasks.done();
    } finally {
      await containers.remove(name);
    }
  }

  /** Called with the state of its Node. */
  observe({ isRegistered, isReady }: { readonly isRegistered: boolean; readonly isReady: boolean }): void {
    this.#isRegistered ||= isRegistered;
    if (isReady === this.#isReady) return;
    this.#isReady = isReady;
    this.checkForFaults();
  }

  /** Looks for faults that strike Ready nodes. */
  checkForFaults(): void {
    const { port, clock, faults, instance } = this.#options;
    const tasks = this.#tasks;
    if (!this.#isReady || tasks === undefined) return;
    const death = faults.strike('dead-kubelet', instance);
    if (death !== undefined) tasks.start(() => this.#die(death, tasks.signal));
    const flapping = faults.strike('flapping', instance);
    if (flapping !== undefined) tasks.start(() => this.#flap(flapping, tasks.signal));
    const deletion = faults.strike('deleted-node', instance);
    if (deletion !== undefined) tasks.start(() => deleteNode({ port, clock, instance, strike: deletion, signal: tasks.signal }));
  }

  async #live(tasks: Tasks): Promise<void> {
    const { instance, faults, port, facts, clock, containers, slots, name } = this.#options;
    const { signal } = tasks;
    const onSinceMs = clock.nowMs();
    const late = faults.strike('late-registration', instance);
    const shortfall = faults.strike('shortfall', instance);
    const unready = faults.strike('never-ready', instance);
    const foreign = faults.strike('foreign-node', instance);
    const kubelet = this.#startingWith(shortfall);
    if (foreign !== undefined) {
      tasks.start(() => writeForeignNode({ port, instance, strike: foreign, adopted: () => this.#isRegistered, signal }));
    }
    await slots.run(async () => {
      if (signal.aborted) return;
      await containers.create(name, facts.image);
      await containers.write(name, {
        ...sizeFiles(kubelet.resources),
        ...kubeletFiles(kubelet),
        ...(late === undefined ? kubeletConfig(kubelet) : {}),
        ...(unready === undefined ? networkFiles() : {}),
      });
      await containers.start(name);
    });
    if (signal.aborted) return;
    if (unready !== undefined) tasks.start(() => this.#connect(unready, signal));
    if (late !== undefined) await this.#startLate(late, { kubelet, onSinceMs }, signal);
    if (shortfall !== undefined) tasks.start(() => this.#endShortfall(shortfall, signal));
  }

  /** A machine shows the size of its type; a shortfall is reserved, so pods don't get it. */
  #startingWith(shortfall: Strike<'shortfall'> | undefined): KubeletSite {
    if (shortfall === undefined) return this.#kubelet;
    const { resources } = this.#kubelet;
    shortfall.fired();
    return { ...this.#kubelet, resources: { ...resources, allocatable: withShortfall(resources, shortfall.problem).allocatable } };
  }

  /** Without its configuration the kubelet's service does not start. The delay counts from power on: the machine boots meanwhile. */
  async #startLate(
    { problem: { delayMs }, healed, fired }: Strike<'late-registration'>,
    { kubelet, onSinceMs }: { readonly kubelet: KubeletSite; readonly onSinceMs: number },
    off: AbortSignal,
  ): Promise<void> {
    const { clock, containers, name } = this.#options;
    fired();
    await waitOut(clock, delayMs === undefined ? undefined : Math.max(0, onSinceMs + delayMs - clock.nowMs()), healed, off);
    await containers.write(name, kubeletConfig(kubelet));
    await containers.service(name, 'start', off);
  }

  async #connect({ healed, fired }: Strike<'never-ready'>, off: AbortSignal): Promise<void> {
    const { clock, containers, name } = this.#options;
    fired();
    await waitOut(clock, undefined, healed, off);
    await containers.write(name, networkFiles());
  }

  async #endShortfall({ healed }: Strike<'shortfall'>, off: AbortSignal): Promise<void> {
    const { clock, containers, name } = this.#options;
    await waitOut(clock, undefined, healed, off);
    await containers.write(name, kubeletConfig(this.#kubelet));
    await containers.service(name, 'restart', off);
  }

  /** Stops the kubelet. Its pods keep running. */
  async #die({ problem, healed, fired }: Strike<'dead-kubelet'>, off: AbortSignal): Promise<void> {
    const { clock, containers, name } = this.#options;
    await waitOut(clock, problem.afterMs, healed, off);
    if (healed.aborted) return;
    fired();
    await containers.service(name, 'stop', off);
    await waitOut(clock, undefined, healed, off);
    await containers.service(name, 'start', off);
  }

  /** Removes and restores the network plugin: the kubelet checks every five seconds. */
  async #flap({ problem, healed, fired }: Strike<'flapping'>, off: AbortSignal): Promise<void> {
    const { clock, containers, name } = this.#options;
    fired();
    for (let time = 0; time < problem.times && !healed.aborted; time += 1) {
      await containers.exec(name, ['rm', '--force', NETWORK_PATH]);
      await waitOut(clock, problem.periodMs / 2, healed, off);
      await containers.write(name, networkFiles());
      await waitOut(clock, problem.periodMs / 2, healed, off);
    }
  }
}
