import type { InstanceType } from '../../model/catalogue.ts';
import { withCondition } from '../../model/conditions.ts';
import type { Condition, Node, Pod } from '../../model/kube.ts';
import { LABEL } from '../../model/kube.ts';
import { formatProviderId } from '../../model/provider-id.ts';
import { formatResources } from '../../model/resources.ts';
import { formatTime } from '../../model/time.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import { ClusterError } from '../ports.ts';
import type { ClusterPort, Instance, ObjectRef } from '../ports.ts';
import { drawMs } from '../tasks.ts';
import type { DelayRange, Tasks } from '../tasks.ts';
import { TAINT } from './node-objects.ts';
import { nodeResources } from './node-resources.ts';
import type { NodeConfig } from './node-config.ts';

/** How long a node's steps take, each drawn uniformly; the upper ends are the world's allowances. */
export interface KubeletDelays {
  /** Instance running to kubelet started: kernel, cloud-init, nodeadm. */
  readonly start: DelayRange;
  /** Kubelet started to Node created: credentials, certificate, first request. */
  readonly register: DelayRange;
  /** Node created to Ready: the network plugin's pod pulls its images and writes its configuration. */
  readonly ready: DelayRange;
  /** Bound to Running: sandbox, image pull, containers. */
  readonly podStart: DelayRange;
  /** A stop signal to the end of the containers, or less if the grace period is shorter. */
  readonly podEnd: DelayRange;
}

/** The ranges cover what EKS nodes of AL2023 show: most are Ready 20 to 50 s after their instance runs. */
export const KUBELET_DELAYS: KubeletDelays = {
  start: { minMs: 8_000, maxMs: 20_000 },
  register: { minMs: 500, maxMs: 5_000 },
  ready: { minMs: 3_000, maxMs: 20_000 },
  podStart: { minMs: 500, maxMs: 5_000 },
  podEnd: { minMs: 100, maxMs: 2_000 },
};

/** How often a kubelet shows that it is alive. */
export const HEARTBEAT_PERIOD_MS = 10_000;
/** Between two tries at a request that the cluster refused. */
const RETRY_MS = 5_000;

interface KubeletOptions {
  readonly port: ClusterPort;
  readonly clock: Clock;
  readonly random: Random;
  /** Ends when the instance leaves `running`: from then on nothing is done at all. */
  readonly tasks: Tasks;
  readonly instance: Instance;
  readonly instanceType: InstanceType;
  readonly nodeName: string;
  readonly config: NodeConfig;
  /** The pods that are bound to a node. */
  readonly podsOn: (nodeName: string) => Iterable<Pod>;
  readonly delays: KubeletDelays;
}

/**
 * The kubelet of one running instance: registers its node, turns it Ready, runs the pods that are bound to it and
 * confirms their deletion. It doesn't admit pods (a pod that doesn't fit runs all the same), reports no container
 * statuses, and ends pods without passing through Succeeded or Failed. Heartbeats are computed, never sent.
 */
export class Kubelet {
  readonly #options: KubeletOptions;
  /** Uids of pods that are starting, running or ending here. */
  readonly #pods = new Map<string, 'held' | 'started' | 'ending'>();
  #registeredMs: number | undefined;
  #ready = false;

  constructor(options: KubeletOptions) {
    this.#options = options;
    const { tasks, random, delays } = options;
    const bootMs = drawMs(random, delays.start) + drawMs(random, delays.register);
    tasks.after(bootMs, () => this.#retrying(() => this.#register(), []));
  }

  /** When it registered, milliseconds since the Unix epoch; undefined before. */
  get registeredMs(): number | undefined {
    return this.#registeredMs;
  }

  /** Told of each change of a pod that is bound to its node. */
  observe(pod: Pod): void {
    if (this.#registeredMs === undefined) return;
    const { tasks, random, delays } = this.#options;
    const { uid = '', deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata;
    const state = this.#pods.get(uid);
    if (deletionTimestamp !== undefined) {
      if (state === 'ending') return;
      this.#pods.set(uid, 'ending');
      const delayMs = Math.min(deletionGracePeriodSeconds * 1000, drawMs(random, delays.podEnd));
      tasks.after(delayMs, () => this.#retrying(() => this.#confirmDeletion(pod)));
    } else if (state !== 'started' && state !== 'ending' && !isOver(pod)) {
      this.#pods.set(uid, this.#ready ? 'started' : 'held');
      // Until the network is ready, sandboxes can't be made.
      if (this.#ready) tasks.after(drawMs(random, delays.podStart), () => this.#retrying(() => this.#reportRunning(pod)));
    }
  }

  /** Told that a pod of its node is gone. */
  forget(pod: Pod): void {
    this.#pods.delete(pod.metadata.uid ?? '');
  }

  async #register(): Promise<void> {
    const { port, clock, tasks, random, nodeName, podsOn, delays } = this.#options;
    try {
      await port.create<Node>('nodes', this.#newNode());
    } catch (error) {
      if (!(error instanceof ClusterError) || error.reason !== 'AlreadyExists') throw error;
      await this.#adopt();
    }
    if (tasks.signal.aborted) return;
    this.#registeredMs = clock.nowMs();
    tasks.after(drawMs(random, delays.ready), () => this.#retrying(() => this.#becomeReady()));
    for (const pod of podsOn(nodeName)) this.observe(pod);
  }

  #newNode(): Node & { metadata: object } {
    const { config, instance, nodeName } = this.#options;
    return {
      metadata: { name: nodeName, labels: { ...config.labels, ...this.#defaultLabels() } },
      spec: {
        providerID: formatProviderId(instance),
        taints: [...config.taints, { key: TAINT.uninitialized, value: 'true', effect: 'NoSchedule' }],
      },
      status: this.#status(undefined, false),
    };
  }

  /** A node of that name exists: only default labels and its status are brought up to date. */
  async #adopt(): Promise<void> {
    const { port, nodeName } = this.#options;
    const at: ObjectRef = { resource: 'nodes', name: nodeName };
    const node = await port.patch<Node>(at, { metadata: { labels: this.#defaultLabels() } });
    await port.patch(at, { status: this.#status(node.status?.conditions, false) }, 'status');
  }

  /** A node that was deleted meanwhile is never made again. */
  async #becomeReady(): Promise<void> {
    const { port, tasks, nodeName, podsOn } = this.#options;
    const at: ObjectRef = { resource: 'nodes', name: nodeName };
    const node = await port.get<Node>(at);
    if (tasks.signal.aborted) return;
    if (node !== undefined) await port.patch(at, { status: this.#status(node.status?.conditions, true) }, 'status');
    if (tasks.signal.aborted) return;
    this.#ready = true;
    for (const pod of podsOn(nodeName)) this.observe(pod);
  }

  #defaultLabels(): Record<string, string> {
    const { instanceType, nodeName } = this.#options;
    const arch = instanceType.architecture === 'x86_64' ? 'amd64' : 'arm64';
    return {
      'beta.kubernetes.io/arch': arch,
      'beta.kubernetes.io/os': 'linux',
      [LABEL.arch]: arch,
      [LABEL.hostname]: nodeName,
      [LABEL.os]: 'linux',
    };
  }

  #status(before: readonly Condition[] | undefined, ready: boolean): NonNullable<Node['status']> {
    const { clock, instance, instanceType, nodeName, config } = this.#options;
    const now = formatTime(clock.nowMs());
    const { capacity, allocatable } = nodeResources(instanceType, config.maxPods);
    const conditions = conditionsWhen(ready).reduce(
      (all, condition) => withCondition(all, { ...condition, lastHeartbeatTime: now, lastTransitionTime: now }),
      [...(before ?? [])],
    );
    return {
      capacity: formatResources(capacity),
      allocatable: formatResources(allocatable),
      conditions,
      addresses: [
        { type: 'InternalIP', address: instance.privateIp },
        { type: 'InternalDNS', address: nodeName },
        { type: 'Hostname', address: nodeName },
      ],
      nodeInfo: {
        architecture: instanceType.architecture === 'x86_64' ? 'amd64' : 'arm64',
        operatingSystem: 'linux',
        kubeletVersion: 'v1.34.4',
      },
    };
  }

  async #reportRunning(pod: Pod): Promise<void> {
    const { port, clock, tasks } = this.#options;
    const now = await port.get<Pod>(refOf(pod));
    if (tasks.signal.aborted || now === undefined || now.metadata.uid !== pod.metadata.uid) return;
    if (now.metadata.deletionTimestamp !== undefined) return;
    const at = formatTime(clock.nowMs());
    const conditions = ['PodReadyToStartContainers', 'Initialized', 'ContainersReady', 'Ready'].reduce(
      (all, type) => withCondition(all, { type, status: 'True', lastTransitionTime: at }),
      [...(now.status?.conditions ?? [])],
    );
    await port.patch(refOf(pod), { status: { phase: 'Running', conditions, startTime: now.status?.startTime ?? at } }, 'status');
  }

  async #confirmDeletion(pod: Pod): Promise<void> {
    const { uid } = pod.metadata;
    await this.#options.port.delete(refOf(pod), { gracePeriodSeconds: 0, ...(uid === undefined ? {} : { uid }) });
  }

  /** Repeats what the cluster refuses; by default not where the object is gone or somebody else's by now. */
  async #retrying(work: () => Promise<void>, final: readonly number[] = [404, 409]): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      if (final.includes(error.status)) return;
      this.#options.tasks.after(RETRY_MS, () => this.#retrying(work, final));
    }
  }
}

function refOf({ metadata: { namespace = 'default', name = '' } }: Pod): ObjectRef {
  return { resource: 'pods', namespace, name };
}

function isOver(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

function conditionsWhen(ready: boolean): readonly Condition[] {
  return [
    { type: 'MemoryPressure', status: 'False', reason: 'KubeletHasSufficientMemory', message: 'kubelet has sufficient memory available' },
    { type: 'DiskPressure', status: 'False', reason: 'KubeletHasNoDiskPressure', message: 'kubelet has no disk pressure' },
    { type: 'PIDPressure', status: 'False', reason: 'KubeletHasSufficientPID', message: 'kubelet has sufficient PID available' },
    ready
      ? { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' }
      : { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: NO_NETWORK },
  ];
}

const NO_NETWORK =
  'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized';
