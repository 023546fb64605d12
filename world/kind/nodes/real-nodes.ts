import { conditionOf } from '../../../model/conditions.ts';
import type { Node } from '../../../model/kube.ts';
import { bootable } from '../../nodes/bootable.ts';
import { NodeFaults } from '../../nodes/node-faults.ts';
import type { NodesKind, NodesSite } from '../../nodes/nodes-site.ts';
import type { Instance } from '../../ports.ts';
import { Tasks } from '../../tasks.ts';
import type { WorldPart } from '../../tasks.ts';
import { createPrograms } from '../programs.ts';
import { Semaphore } from '../../../runtime/semaphore.ts';
import type { Programs } from '../programs.ts';
import { RUN_VARIABLE } from '../run-state.ts';
import { REAL_NODE_ALLOWANCES } from './allowances.ts';
import { NodeContainers } from './containers.ts';
import type { RealNodesRef } from './containers.ts';
import { readControlPlane, tooManyNodes, deleteToken } from './control-plane.ts';
import type { ControlPlaneFacts } from './control-plane.ts';
import { RealMachine } from './real-machine.ts';

export type { RealNodesRef } from './containers.ts';

/** Containers created at the same time: each keeps disk and processor busy for seconds. */
const MAX_BOOTS = 4;

/** Nodes that are containers of a kind cluster: all of one architecture, without devices and volumes, whose pods never finish, and slower than simulated ones. */
export function realNodes(ref: RealNodesRef): NodesKind {
  return {
    lacks: ['nodes.arm64', 'nodes.devices', 'volumes.create', 'pods.finish'],
    allowances: REAL_NODE_ALLOWANCES,
    create: (site) => new RealNodes({ ...site, ref }),
  };
}

interface RealNodesOptions extends NodesSite {
  readonly ref: RealNodesRef;
  /** By default real ones, with the run's label in their environment. */
  readonly programs?: Programs;
}

/** A running instance and its container. */
interface Running {
  readonly nodeName: string;
  readonly machine: RealMachine;
  readonly power: AbortController;
}

/**
 * Every instance is a container with a real kubelet: created when the instance runs, removed when it is terminated or stopped.
 * The cloud controller deletes its Node, as in every world. When the world stops, all containers of its nodes are removed.
 */
export class RealNodes implements WorldPart {
  readonly #options: RealNodesOptions;
  readonly #programs: Programs;
  readonly #containers: NodeContainers;
  readonly #faults: NodeFaults;
  readonly #slots = new Semaphore(MAX_BOOTS);
  /** By instance id. */
  readonly #running = new Map<string, Running>();
  /** How often each instance has booted. */
  readonly #boots = new Map<string, number>();

  constructor(options: RealNodesOptions) {
    this.#options = options;
    const { ref, clock, faults = new NodeFaults(), programs = createPrograms({ [RUN_VARIABLE]: ref.run }) } = options;
    this.#programs = programs;
    this.#containers = new NodeContainers({ ref, programs, clock });
    this.#faults = faults;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { cluster } = this.#options.ref;
    // Left by a trial that was killed.
    await this.#containers.removeAll();
    const facts = await readControlPlane(this.#programs, cluster);
    try {
      await this.#follow(facts, signal);
    } finally {
      await this.#containers.removeAll();
      await deleteToken(this.#programs, cluster, facts);
    }
  }

  async #follow(facts: ControlPlaneFacts, signal: AbortSignal): Promise<void> {
    const { port, instances, clock } = this.#options;
    const tasks = new Tasks(clock, signal);
    const power = (instance: Instance): void => this.#power(instance, facts, tasks);
    const unsubscribe = instances.onChange(power);
    const unsubscribeFaults = this.#faults.onArm(() => {
      for (const { machine } of this.#running.values()) machine.checkForFaults();
    });
    port.watch<Node>('nodes', tasks.signal, ({ type, object }) => {
      if (type !== 'DELETED') this.#observe(object);
    });
    for (const instance of instances.list()) power(instance);
    try {
      await tasks.done();
    } finally {
      unsubscribe();
      unsubscribeFaults();
    }
  }

  /** Follows an instance's state: on when it runs, off when it is to be terminated or stopped. */
  #power(instance: Instance, facts: ControlPlaneFacts, tasks: Tasks): void {
    const running = this.#running.get(instance.id);
    if (instance.state === 'running') {
      if (running === undefined) this.#boot(instance, facts, tasks);
    } else if (running !== undefined) {
      this.#running.delete(instance.id);
      running.power.abort(new Error(`${instance.id} is off`));
    }
  }

  #boot(instance: Instance, facts: ControlPlaneFacts, tasks: Tasks): void {
    const { ref, port, clock, onNeverRegisters } = this.#options;
    const boot = bootable(instance, this.#options);
    if (boot === undefined) return;
    if (boot.instanceType.architecture !== 'x86_64') {
      // A kubelet reports its own architecture, whatever its flags say.
      onNeverRegisters(instance.id, `containers here can't be machines of ${boot.instanceType.architecture}`);
      return;
    }
    if (this.#running.size >= facts.maxNodes) {
      tasks.start(() => Promise.reject(tooManyNodes(facts)));
      return;
    }
    const boots = (this.#boots.get(instance.id) ?? 0) + 1;
    this.#boots.set(instance.id, boots);
    const name = containerName(ref.cluster, instance.id, boots);
    const parts = { name, instance, facts, port, clock, containers: this.#containers, faults: this.#faults, slots: this.#slots };
    const machine = new RealMachine({ ...parts, ...boot });
    const power = new AbortController();
    this.#running.set(instance.id, { nodeName: instance.privateDnsName, machine, power });
    tasks.start(() => machine.run(AbortSignal.any([power.signal, tasks.signal])));
  }

  #observe(node: Node): void {
    for (const { nodeName, machine } of this.#running.values()) {
      if (nodeName !== node.metadata.name) continue;
      machine.observe({
        isRegistered: (node.status?.nodeInfo?.kubeletVersion ?? '') !== '',
        isReady: conditionOf(node, 'Ready')?.status === 'True',
      });
    }
  }
}

/** An instance that was stopped boots again in another container. */
function containerName(cluster: string, id: string, boots: number): string {
  return boots === 1 ? `${cluster}-${id}` : `${cluster}-${id}-${boots}`;
}
