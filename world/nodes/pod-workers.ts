import { defined } from '../../model/defined.ts';
import type { Node, Pod } from '../../model/kube.ts';
import { RUN_SECONDS_ANNOTATION, STOP_SECONDS_ANNOTATION } from '../../model/kube.ts';
import { conditionOf } from '../../model/conditions.ts';
import { addResources, podRequests } from '../../model/resources.ts';
import type { Resources } from '../../model/resources.ts';
import { formatTime } from '../../model/time.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import { EventRecorder } from '../events.ts';
import type { ClusterPort, ObjectRef } from '../ports.ts';
import { drawDelayMs } from './delays.ts';
import type { DelayDistribution } from './delays.ts';
import type { Process } from './process.ts';
import { NODE_SHUTDOWN, admissionFailure } from './pod-admission.ts';
import { endedStatus, rejectedStatus, runningStatus } from './pod-status.ts';
import type { Ending } from './pod-status.ts';

/** Pods of at least this priority end last when a node shuts down (`scheduling.SystemCriticalPriority`). */
const SYSTEM_CRITICAL_PRIORITY = 2_000_000_000;

/** How much time a node's pods get when it shuts down. */
export interface ShutdownPeriods {
  /** `shutdownGracePeriod`, in total; 0 for none. */
  readonly totalMs: number;
  /** `shutdownGracePeriodCriticalPods`: the part of it that is reserved for critical pods. */
  readonly criticalMs: number;
}

interface PodWorkersOptions {
  readonly port: ClusterPort;
  readonly clock: Clock;
  readonly random: Random;
  readonly process: Process;
  readonly nodeName: string;
  readonly hostIp: string;
  readonly allocatable: () => Resources;
  /** Bound to Running. */
  readonly start: DelayDistribution;
  /** From a stop signal to the exit of the containers, or less if the grace period is shorter. */
  readonly end: DelayDistribution;
}

/** `held`: admitted, but its sandbox can't be created yet. */
type Step = 'admitting' | 'held' | 'starting' | 'running' | 'ending' | 'over';

/** One pod of the node. */
interface Worker {
  /** As last seen. */
  pod: Pod;
  step: Step;
  readonly requests: Resources;
}

/**
 * What a kubelet does with the pods of its node: admits or rejects them, runs them, ends them when they finish, are deleted,
 * exceed their deadline or the node shuts down, and confirms their deletion. The annotation RUN_SECONDS_ANNOTATION makes a
 * pod finish, except with restartPolicy Always (restarts are not modelled); STOP_SECONDS_ANNOTATION sets how long it takes to
 * stop when it is deleted. The terminal phase of a deleted pod is written only if a finalizer keeps the pod: otherwise it
 * would be visible only for an instant. No probes, no init containers, no container ids, no pod addresses, no eviction under
 * pressure.
 */
export class PodWorkers {
  readonly #options: PodWorkersOptions;
  readonly #events: EventRecorder;
  /** By uid. */
  readonly #workers = new Map<string, Worker>();
  #runtimeReady = false;
  #shuttingDown = false;

  constructor(options: PodWorkersOptions) {
    this.#options = options;
    const { port, clock, random } = options;
    this.#events = new EventRecorder({ port, clock, random: random.fork('events'), component: 'kubelet' });
  }

  /** Whether sandboxes can be created: the network and the container runtime are ready. */
  setRuntimeReady(ready: boolean): void {
    this.#runtimeReady = ready;
    if (ready) for (const worker of this.#workers.values()) this.#start(worker);
  }

  /** Called for each pod that is bound to the node, and for each change. */
  observe(pod: Pod): void {
    const { uid = '', deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
    const known = this.#workers.get(uid);
    const graceBefore = known?.pod.metadata.deletionGracePeriodSeconds ?? Infinity;
    if (known !== undefined) known.pod = pod;
    if (deletionTimestamp !== undefined) {
      // A later deletion may shorten the grace period.
      if (known?.step === 'ending' && (deletionGracePeriodSeconds ?? 0) >= graceBefore) return;
      const worker = known ?? this.#add(pod, 'ending');
      worker.step = 'ending';
      this.#endDeleted(worker);
    } else if (known === undefined) {
      if (!isOver(pod)) this.#admit(this.#add(pod, 'admitting'));
    } else if (known.step === 'running' && pod.status?.phase === 'Running' && conditionOf(pod, 'Ready')?.status === 'False') {
      // The controller manager considered the node dead.
      this.#options.process.start(() => this.#reportRunning(known));
    }
  }

  /** Called when a pod of the node is gone. */
  forget(pod: Pod): void {
    this.#workers.delete(pod.metadata.uid ?? '');
  }

  /** Ends all pods, critical ones last, and admits no more; resolves when they have ended or their time is up. */
  async shutDown({ totalMs, criticalMs }: ShutdownPeriods): Promise<void> {
    this.#shuttingDown = true;
    const active = [...this.#workers.values()].filter(({ step }) => step !== 'over' && step !== 'ending');
    for (const worker of active) worker.step = 'ending';
    const isCritical = ({ pod }: Worker): boolean => (pod.spec.priority ?? 0) >= SYSTEM_CRITICAL_PRIORITY;
    await this.#endAll(
      active.filter((worker) => !isCritical(worker)),
      totalMs - criticalMs,
    );
    await this.#endAll(active.filter(isCritical), criticalMs);
  }

  #add(pod: Pod, step: Step): Worker {
    const worker = { pod, step, requests: podRequests(pod.spec) };
    this.#workers.set(pod.metadata.uid ?? '', worker);
    return worker;
  }

  #admit(worker: Worker): void {
    const { port, process, nodeName, allocatable } = this.#options;
    process.start(async () => {
      const node = await port.get<Node>({ resource: 'nodes', name: nodeName });
      if (process.signal.aborted || worker.step !== 'admitting') return;
      const others = [...this.#workers.values()].filter((one) => one !== worker && one.step !== 'admitting' && one.step !== 'over');
      const used = others.reduce<Resources>((sum, { requests }) => addResources(sum, requests), {});
      const failure = this.#shuttingDown ? NODE_SHUTDOWN : admissionFailure(worker.pod, node, allocatable(), used);
      if (failure === undefined) {
        worker.step = 'held';
        this.#start(worker);
        return;
      }
      worker.step = 'over';
      const { name, namespace, uid } = worker.pod.metadata;
      await this.#events.record({ about: { apiVersion: 'v1', kind: 'Pod', name, namespace, uid }, type: 'Warning', ...failure });
      await port.patch(refOf(worker.pod), { metadata: { uid }, status: rejectedStatus(failure) }, 'status');
    });
  }

  #start(worker: Worker): void {
    if (!this.#runtimeReady || worker.step !== 'held') return;
    const { process, random, start } = this.#options;
    worker.step = 'starting';
    process.after(drawDelayMs(random, start), async () => {
      if (worker.step !== 'starting' || !(await this.#reportRunning(worker))) return;
      worker.step = 'running';
      this.#planEnd(worker);
    });
  }

  /** @returns whether the pod exists and was not deleted meanwhile */
  async #reportRunning(worker: Worker): Promise<boolean> {
    const { port, clock, process, hostIp } = this.#options;
    const now = await port.get<Pod>(refOf(worker.pod));
    const { uid } = worker.pod.metadata;
    if (process.signal.aborted || now === undefined || now.metadata.uid !== uid || now.metadata.deletionTimestamp !== undefined)
      return false;
    if (worker.step !== 'starting' && worker.step !== 'running') return false;
    await port.patch(refOf(now), { status: runningStatus(now, hostIp, formatTime(clock.nowMs())) }, 'status');
    return true;
  }

  #planEnd(worker: Worker): void {
    const { metadata, spec } = worker.pod;
    const runSeconds = Number(metadata.annotations?.[RUN_SECONDS_ANNOTATION]);
    if (runSeconds >= 0 && (spec.restartPolicy ?? 'Always') !== 'Always') this.#endAfter(worker, runSeconds, 'completed');
    if (spec.activeDeadlineSeconds !== undefined) this.#endAfter(worker, spec.activeDeadlineSeconds, 'deadline');
  }

  #endAfter(worker: Worker, seconds: number, ending: Ending): void {
    this.#options.process.after(seconds * 1000, async () => {
      if (worker.step !== 'running') return;
      await this.#reportEnded(worker, ending);
      worker.step = 'over';
    });
  }

  #endDeleted(worker: Worker): void {
    const { port, process, random, end } = this.#options;
    const { uid, annotations, finalizers = [], deletionGracePeriodSeconds = 0 } = worker.pod.metadata;
    const graceMs = deletionGracePeriodSeconds * 1000;
    const neededMs = Number(annotations?.[STOP_SECONDS_ANNOTATION] ?? 0) * 1000 + drawDelayMs(random, end);
    process.after(Math.min(graceMs, neededMs), async () => {
      if (finalizers.length > 0 && !isOver(worker.pod)) await this.#reportEnded(worker, neededMs <= graceMs ? 'completed' : 'killed');
      await port.delete(refOf(worker.pod), { gracePeriodSeconds: 0, ...defined({ uid }) });
    });
  }

  async #endAll(workers: readonly Worker[], periodMs: number): Promise<void> {
    const { clock, process, random, end } = this.#options;
    const work = async (worker: Worker): Promise<void> => {
      const graceMs = (worker.pod.spec.terminationGracePeriodSeconds ?? 0) * 1000;
      await clock.sleep(Math.min(periodMs, graceMs, drawDelayMs(random, end)), process.signal);
      await process.retryUntilAccepted(() => this.#reportEnded(worker, 'shutdown'));
      worker.step = 'over';
    };
    await Promise.all(workers.map(work));
  }

  async #reportEnded(worker: Worker, ending: Ending): Promise<void> {
    const { port, clock, process } = this.#options;
    const now = await port.get<Pod>(refOf(worker.pod));
    if (process.signal.aborted || now === undefined || now.metadata.uid !== worker.pod.metadata.uid) return;
    await port.patch(refOf(now), { status: endedStatus(now, ending, formatTime(clock.nowMs())) }, 'status');
  }
}

function refOf({ metadata: { namespace = 'default', name = '' } }: Pod): ObjectRef {
  return { resource: 'pods', namespace, name };
}

function isOver(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}
