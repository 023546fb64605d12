import { createHash } from 'node:crypto';
import { archOf } from '../../model/catalogue.ts';
import type { InstanceType } from '../../model/catalogue.ts';
import { withCondition } from '../../model/conditions.ts';
import { devicesOf } from '../../model/devices.ts';
import type { Condition, Node, Pod, ResourceList } from '../../model/kube.ts';
import { LABEL } from '../../model/kube.ts';
import { formatProviderId } from '../../model/provider-id.ts';
import { formatResources } from '../../model/resources.ts';
import type { Resources } from '../../model/resources.ts';
import { formatTime } from '../../model/time.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import { ClusterError } from '../ports.ts';
import type { ClusterPort, Instance, ObjectRef } from '../ports.ts';
import { drawDelayMs } from './delays.ts';
import type { DelayDistribution } from './delays.ts';
import { deleteNode } from './deleted-node.ts';
import { machineResources } from './machine-resources.ts';
import type { NodeConfig } from './node-config.ts';
import { waitOut } from './node-faults.ts';
import type { NodeFaults, Strike } from './node-faults.ts';
import { TAINT } from './node-objects.ts';
import { withDevices, withShortfall } from './node-resources.ts';
import type { NodeResources } from './node-resources.ts';
import { PodWorkers } from './pod-workers.ts';
import type { Process } from './process.ts';

/** How long a node's steps take, each drawn separately; the maxima are the world's allowances. */
export interface KubeletDelays {
  /** Instance running to kubelet started: kernel, cloud-init, nodeadm. */
  readonly start: DelayDistribution;
  /** Kubelet started to Node created: credentials, certificate, first request. */
  readonly register: DelayDistribution;
  /** Node created to Ready: the network plugin's pod pulls its images and writes its configuration. */
  readonly ready: DelayDistribution;
  /**
   * Ready to the report of its devices: the device plugin's pod is bound, pulls its image and registers with the kubelet, which
   * reports them in its next status, every 10 s. Only for types with devices.
   */
  readonly devices: DelayDistribution;
  /** Bound to Running: sandbox, image pull, containers. */
  readonly podStart: DelayDistribution;
  /** From a stop signal to the exit of the containers, or less if the grace period is shorter. */
  readonly podEnd: DelayDistribution;
}

/** As observed for EKS nodes with AL2023: most are Ready 20 to 30 s after their instance runs, the slowest after 45. */
export const KUBELET_DELAYS: KubeletDelays = {
  start: { minMs: 8_000, medianMs: 12_000, maxMs: 20_000 },
  register: { minMs: 500, medianMs: 1_500, maxMs: 5_000 },
  ready: { minMs: 3_000, medianMs: 8_000, maxMs: 20_000 },
  devices: { minMs: 5_000, medianMs: 15_000, maxMs: 40_000 },
  podStart: { minMs: 500, medianMs: 1_500, maxMs: 5_000 },
  podEnd: { minMs: 100, medianMs: 500, maxMs: 2_000 },
};

/** How often a kubelet renews its lease and looks at its Node's status, which it writes if it is not as it should be. */
export const HEARTBEAT_PERIOD_MS = 10_000;
/** How often a kubelet writes its Node's status even if nothing changed (`nodeStatusReportFrequency`). */
export const STATUS_REPORT_PERIOD_MS = 300_000;

interface KubeletOptions {
  readonly port: ClusterPort;
  readonly clock: Clock;
  readonly random: Random;
  /** Ends when the machine is off: from then on nothing more is done. */
  readonly process: Process;
  readonly faults: NodeFaults;
  readonly instance: Instance;
  readonly instanceType: InstanceType;
  readonly config: NodeConfig;
  /** Called when its Node exists. */
  readonly registered: () => void;
  /** The pods that are bound to a node. */
  readonly podsOn: (nodeName: string) => Iterable<Pod>;
  readonly delays: KubeletDelays;
  /** How often its status is written even if nothing changed; by default never. */
  readonly statusReportPeriodMs?: number;
}

/** What keeps a node from being Ready. */
type NotReadyCause = 'network' | 'runtime' | 'shutdown';

/** In the words of kubelet and containerd. */
const MESSAGES: Readonly<Record<NotReadyCause, string>> = {
  network:
    'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized',
  runtime: 'container runtime is down',
  shutdown: 'node is shutting down',
};

/**
 * The kubelet of one running instance: boots, registers its node or adopts an existing one of its name, makes it Ready once the
 * network plugin is, offers its devices once their plugin has registered, and runs the pods bound to it. What somebody else
 * overwrites in its Node's status it writes again within ten seconds. A deleted node is never created again.
 */
export class Kubelet {
  readonly #options: KubeletOptions;
  readonly #pods: PodWorkers;
  #registeredMs: number | undefined;
  #notReadyCause: NotReadyCause | undefined = 'network';
  /** Without devices. */
  #resources: NodeResources;
  /** Of the device plugins that have registered since it started. */
  #devices: Resources = {};
  /** Whether a wrong status was seen and is written again at the end of the period. */
  #isCorrecting = false;

  constructor(options: KubeletOptions) {
    this.#options = options;
    const { port, clock, random, process, instance, delays } = options;
    this.#resources = this.#whole();
    this.#pods = new PodWorkers({
      port,
      clock,
      random,
      process,
      nodeName: instance.privateDnsName,
      hostIp: instance.privateIp,
      allocatable: () => withDevices(this.#resources, this.#devices).allocatable,
      start: delays.podStart,
      end: delays.podEnd,
    });
    process.startIndependent(() => this.#live());
  }

  /** Whether its node is registered. */
  get registered(): boolean {
    return this.#registeredMs !== undefined;
  }

  /** Its last heartbeat, milliseconds since the Unix epoch; undefined before it registered. */
  get lastHeartbeatMs(): number | undefined {
    if (this.#registeredMs === undefined) return undefined;
    const { clock, process } = this.#options;
    const aliveMs = (process.deadSinceMs ?? clock.nowMs()) - this.#registeredMs;
    return this.#registeredMs + aliveMs - (aliveMs % HEARTBEAT_PERIOD_MS);
  }

  /** Called for each change of a pod that is bound to its node. */
  observe(pod: Pod): void {
    if (this.registered) this.#pods.observe(pod);
  }

  /** Called for each change of its Node. A dead kubelet sees nothing; when it runs again, it writes its status anyway. */
  observeNode(node: Node): void {
    const { clock, process } = this.#options;
    if (this.#registeredMs === undefined || this.#isCorrecting || process.deadSinceMs !== undefined) return;
    if (this.#isAsReported(node.status)) return;
    this.#isCorrecting = true;
    const restMs = HEARTBEAT_PERIOD_MS - ((clock.nowMs() - this.#registeredMs) % HEARTBEAT_PERIOD_MS);
    process.startIndependent(async () => {
      await clock.sleep(restMs, process.signal);
      this.#isCorrecting = false;
      await process.retryUntilAccepted(() => this.#reportNode());
    });
  }

  /** Called when a pod of its node is gone. */
  forget(pod: Pod): void {
    this.#pods.forget(pod);
  }

  /** Ends the node's pods before the machine powers off; resolves when that may happen. A dead kubelet does nothing. */
  async shutDown(): Promise<void> {
    const { process, config } = this.#options;
    if (!this.registered || process.deadSinceMs !== undefined || config.shutdown.totalMs === 0) return;
    this.#notReadyCause = 'shutdown';
    await process.retryUntilAccepted(() => this.#reportNode());
    await this.#pods.shutDown(config.shutdown);
  }

  /** Looks for faults that strike Ready nodes. */
  checkForFaults(): void {
    const { port, clock, process, faults, instance } = this.#options;
    if (this.#notReadyCause !== undefined) return;
    const death = faults.strike('dead-kubelet', instance);
    if (death !== undefined) process.startIndependent(() => this.#die(death));
    const flapping = faults.strike('flapping', instance);
    if (flapping !== undefined) process.startIndependent(() => this.#flap(flapping));
    const deletion = faults.strike('deleted-node', instance);
    if (deletion !== undefined)
      process.startIndependent(() => deleteNode({ port, clock, instance, strike: deletion, signal: process.signal }));
  }

  async #live(): Promise<void> {
    const { clock, random, process, faults, instance, delays } = this.#options;
    await clock.sleep(drawDelayMs(random, delays.start) + drawDelayMs(random, delays.register), process.signal);
    const late = faults.strike('late-registration', instance);
    if (late !== undefined) await this.#waitOutFault(late, late.problem.delayMs);
    this.#applyShortfall();
    await process.retryUntilAccepted(() => this.#register(), []);
    await clock.sleep(drawDelayMs(random, delays.ready), process.signal);
    const unready = faults.strike('never-ready', instance);
    if (unready !== undefined) await this.#waitOutFault(unready, undefined);
    await this.#setNotReadyCause('network', undefined);
    this.checkForFaults();
    await this.#offerDevices();
  }

  /** Waits until the device plugin's pod, which starts once the node is Ready, has registered. Nothing for types without devices. */
  async #offerDevices(): Promise<void> {
    const { clock, random, process, faults, instance, instanceType, delays } = this.#options;
    const devices = devicesOf(instanceType);
    if (Object.keys(devices).length === 0) return;
    await clock.sleep(drawDelayMs(random, delays.devices), process.signal);
    const late = faults.strike('late-devices', instance);
    if (late !== undefined) await this.#waitOutFault(late, late.problem.delayMs);
    await process.retryUntilAccepted(() => {
      this.#devices = devices;
      return this.#reportNode();
    });
  }

  async #waitOutFault(strike: Pick<Strike<'never-ready'>, 'healed' | 'fired'>, delayMs: number | undefined): Promise<void> {
    const { clock, process } = this.#options;
    strike.fired();
    await waitOut(clock, delayMs, strike.healed, process.signal);
  }

  /** Its resources without faults. */
  #whole(): NodeResources {
    const { instance, instanceType, config } = this.#options;
    return machineResources(instance, instanceType, config);
  }

  #applyShortfall(): void {
    const { process, faults, instance } = this.#options;
    const shortfall = faults.strike('shortfall', instance);
    if (shortfall === undefined) return;
    shortfall.fired();
    this.#resources = withShortfall(this.#resources, shortfall.problem);
    const restore = (): void => {
      this.#resources = this.#whole();
      if (this.registered) process.start(() => this.#reportNode());
    };
    shortfall.healed.addEventListener('abort', restore, { once: true, signal: process.signal });
  }

  async #die({ problem, healed, fired }: Strike<'dead-kubelet'>): Promise<void> {
    const { clock, process } = this.#options;
    await waitOut(clock, problem.afterMs, healed, process.signal);
    if (healed.aborted) return;
    fired();
    process.kill();
    await waitOut(clock, undefined, healed, process.signal);
    process.revive();
    await process.retryUntilAccepted(() => this.#reportNode());
  }

  async #flap({ problem, healed, fired }: Strike<'flapping'>): Promise<void> {
    const { clock, process } = this.#options;
    fired();
    for (let time = 0; time < problem.times && !healed.aborted; time += 1) {
      await this.#setNotReadyCause(undefined, 'runtime');
      await waitOut(clock, problem.periodMs / 2, healed, process.signal);
      await this.#setNotReadyCause('runtime', undefined);
      await waitOut(clock, problem.periodMs / 2, healed, process.signal);
    }
  }

  /** Replaces one reason for not being Ready by another, if it is still the current one. */
  async #setNotReadyCause(from: NotReadyCause | undefined, to: NotReadyCause | undefined): Promise<void> {
    if (this.#notReadyCause !== from) return;
    this.#notReadyCause = to;
    await this.#options.process.retryUntilAccepted(() => this.#reportNode());
    this.#pods.setRuntimeReady(this.#notReadyCause === undefined);
  }

  async #register(): Promise<void> {
    const { port, clock, process, instance, podsOn, registered } = this.#options;
    try {
      await port.create<Node>('nodes', this.#newNode());
    } catch (error) {
      if (!(error instanceof ClusterError) || error.reason !== 'AlreadyExists') throw error;
      await this.#adopt();
    }
    if (process.signal.aborted) return;
    this.#registeredMs = clock.nowMs();
    registered();
    for (const pod of podsOn(instance.privateDnsName)) this.observe(pod);
    const { statusReportPeriodMs } = this.#options;
    if (statusReportPeriodMs !== undefined) process.startIndependent(() => this.#reportEvery(statusReportPeriodMs));
  }

  async #reportEvery(periodMs: number): Promise<void> {
    const { clock, process } = this.#options;
    while (!process.signal.aborted) {
      await clock.sleep(periodMs, process.signal);
      await process.retryUntilAccepted(() => this.#reportNode());
    }
  }

  #newNode(): Node & { metadata: object } {
    const { config, instance } = this.#options;
    return {
      metadata: { name: instance.privateDnsName, labels: { ...config.labels, ...this.#defaultLabels() } },
      spec: {
        providerID: formatProviderId(instance),
        taints: [...config.taints, { key: TAINT.uninitialized, value: 'true', effect: 'NoSchedule' }],
      },
      status: this.#status(undefined),
    };
  }

  /** A node of that name exists: only default labels and its status are updated (`tryRegisterWithAPIServer`). */
  async #adopt(): Promise<void> {
    await this.#options.port.patch<Node>(this.#nodeRef(), { metadata: { labels: this.#defaultLabels() } });
    await this.#reportNode();
  }

  async #reportNode(): Promise<void> {
    const { port, process } = this.#options;
    const node = await port.get<Node>(this.#nodeRef());
    if (process.signal.aborted || node === undefined) return;
    await port.patch(this.#nodeRef(), { status: this.#status(node.status) }, 'status');
  }

  /** Devices that its Node has from before it booted are none until their plugin has registered again (`reconcileExtendedResource`). */
  #devicesAfter(reported: ResourceList = {}): Resources {
    const awaited = Object.keys(devicesOf(this.#options.instanceType)).filter((name) => reported[name] !== undefined);
    return { ...Object.fromEntries(awaited.map((name) => [name, 0])), ...this.#devices };
  }

  #nodeRef(): ObjectRef {
    return { resource: 'nodes', name: this.#options.instance.privateDnsName };
  }

  #defaultLabels(): Record<string, string> {
    const { instanceType, instance } = this.#options;
    const arch = archOf(instanceType);
    return {
      'beta.kubernetes.io/arch': arch,
      'beta.kubernetes.io/os': 'linux',
      [LABEL.arch]: arch,
      [LABEL.hostname]: instance.privateDnsName,
      [LABEL.os]: 'linux',
    };
  }

  /** Whether a status has the conditions and resources that this kubelet reports; others may have added theirs. */
  #isAsReported(status: Node['status'] = {}): boolean {
    const { capacity, allocatable } = withDevices(this.#resources, this.#devicesAfter(status.capacity));
    return (
      conditionsIn(this.#notReadyCause).every((mine) =>
        status.conditions?.some(({ type, status, reason }) => type === mine.type && status === mine.status && reason === mine.reason),
      ) &&
      includes(status.capacity, formatResources(capacity)) &&
      includes(status.allocatable, formatResources(allocatable))
    );
  }

  #status(before: Node['status']): NonNullable<Node['status']> {
    const { clock, instance, instanceType } = this.#options;
    const now = formatTime(clock.nowMs());
    const conditions = conditionsIn(this.#notReadyCause).reduce(
      (all, condition) => withCondition(all, { ...condition, lastHeartbeatTime: now, lastTransitionTime: now }),
      [...(before?.conditions ?? [])],
    );
    const { capacity, allocatable } = withDevices(this.#resources, this.#devicesAfter(before?.capacity));
    return {
      capacity: formatResources(capacity),
      allocatable: formatResources(allocatable),
      conditions,
      addresses: [
        { type: 'InternalIP', address: instance.privateIp },
        { type: 'InternalDNS', address: instance.privateDnsName },
        { type: 'Hostname', address: instance.privateDnsName },
      ],
      nodeInfo: nodeInfoOf(instance, archOf(instanceType)),
    };
  }
}

/** As a node of AL2023 reports it. Its ids follow from the instance's. */
function nodeInfoOf({ id }: Instance, architecture: string): Record<string, string> {
  const digest = createHash('sha256').update(id).digest('hex');
  const uuid = [digest.slice(0, 8), digest.slice(8, 12), digest.slice(12, 16), digest.slice(16, 20), digest.slice(20, 32)].join('-');
  return {
    architecture,
    operatingSystem: 'linux',
    osImage: 'Amazon Linux 2023.9.20251014',
    kernelVersion: `6.12.46-66.121.amzn2023.${architecture === 'arm64' ? 'aarch64' : 'x86_64'}`,
    containerRuntimeVersion: 'containerd://2.1.4',
    kubeletVersion: 'v1.34.4',
    kubeProxyVersion: '',
    machineID: digest.slice(32),
    // EC2's own UUIDs begin with "ec2".
    systemUUID: `ec2${uuid.slice(3)}`,
    bootID: uuid,
  };
}

function includes(all: ResourceList = {}, some: ResourceList): boolean {
  return Object.entries(some).every(([name, quantity]) => all[name] === quantity);
}

function conditionsIn(cause: NotReadyCause | undefined): readonly Condition[] {
  return [
    { type: 'MemoryPressure', status: 'False', reason: 'KubeletHasSufficientMemory', message: 'kubelet has sufficient memory available' },
    { type: 'DiskPressure', status: 'False', reason: 'KubeletHasNoDiskPressure', message: 'kubelet has no disk pressure' },
    { type: 'PIDPressure', status: 'False', reason: 'KubeletHasSufficientPID', message: 'kubelet has sufficient PID available' },
    cause === undefined
      ? { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' }
      : { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: MESSAGES[cause] },
  ];
}
