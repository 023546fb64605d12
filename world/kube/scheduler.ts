import { conditionOf, withCondition } from '../../model/conditions.ts';
import type { Node, Pod } from '../../model/kube.ts';
import { formatTime } from '../../model/time.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import { EventRecorder } from '../events.ts';
import { ClusterError } from '../ports.ts';
import type { ClusterPort, ObjectChange } from '../ports.ts';
import { Tasks, drawMs } from '../tasks.ts';
import type { WorldPart } from '../tasks.ts';
import { SchedulerCache, keyOf, podInfo } from './scheduler-cache.ts';
import type { PodInfo } from './scheduler-cache.ts';
import { contextOf, decide, rejectionByNode } from './scheduler-decision.ts';
import { LONGEST_BACKOFF_MS, SchedulingQueue } from './scheduler-queue.ts';
import type { QueuedPod } from './scheduler-queue.ts';
import { concernsSpread } from './scheduler-spread.ts';

export const SCHEDULER_DELAYS = {
  /** One decision: the real scheduler makes some hundreds a second. */
  cycle: { minMs: 1, maxMs: 4 },
  /** From the decision to the binding request. */
  bind: { minMs: 2, maxMs: 20 },
  /** From a change that lets a pod be placed to its binding, with up to 500 pods in the queue before it. */
  retryMaxMs: LONGEST_BACKOFF_MS + 500 * 4 + 20,
} as const;

const SCHEDULER_NAME = 'default-scheduler';
const NONE: ReadonlySet<never> = new Set<never>();

interface SchedulerOptions {
  /** Of the principal `scheduler`. */
  readonly port: ClusterPort;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * kube-scheduler: places one pod at a time, assumes its decision before it is bound, says why a pod can't be placed
 * (condition and Event), and tries it again when something changed that may help, after a pause that grows from 1 to
 * 10 s, and after five minutes anyway. What its decisions leave out stands in `decide`.
 */
export class Scheduler implements WorldPart {
  readonly #options: SchedulerOptions;
  readonly #cache = new SchedulerCache();
  readonly #queue = new SchedulingQueue();
  readonly #events: EventRecorder;
  readonly #ties: Random;
  /** The pod whose cycle runs; undefined when it was removed meanwhile. */
  #current: QueuedPod | undefined;
  #wake: () => void = () => undefined;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    const { port, clock, random } = options;
    this.#events = new EventRecorder({ port, clock, random: random.fork('events'), component: SCHEDULER_NAME });
    this.#ties = random.fork('ties');
  }

  async run(signal: AbortSignal): Promise<void> {
    const { port, clock } = this.#options;
    const tasks = new Tasks(clock, signal);
    port.watch<Node>('nodes', tasks.signal, ({ type, object }) => this.#followNode(type, object));
    port.watch<Pod>('pods', tasks.signal, ({ type, object }) => this.#followPod(type, object));
    tasks.signal.addEventListener('abort', () => this.#wake(), { once: true });
    tasks.start(() => this.#schedule(tasks));
    await tasks.done();
  }

  async #schedule(tasks: Tasks): Promise<void> {
    const { clock, random } = this.#options;
    const cycles = random.fork('cycles');
    while (!tasks.signal.aborted) {
      this.#current = this.#queue.pop(clock.nowMs());
      if (this.#current === undefined) {
        await this.#rest();
        continue;
      }
      await clock.sleep(drawMs(cycles, SCHEDULER_DELAYS.cycle), tasks.signal);
      const pod = this.#current as QueuedPod | undefined;
      this.#current = undefined;
      if (pod !== undefined) this.#place(pod, tasks);
    }
  }

  /** Waits until a pod is due or something happens. */
  async #rest(): Promise<void> {
    const { clock } = this.#options;
    const dueMs = this.#queue.nextDueMs();
    const nap = new AbortController();
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (dueMs !== undefined) clock.sleep(dueMs - clock.nowMs(), nap.signal).then(resolve, resolve);
    });
    nap.abort();
  }

  #place(pod: QueuedPod, tasks: Tasks): void {
    const { clock, random } = this.#options;
    const decision = decide(pod.context, this.#cache.nodes(), this.#ties);
    if (decision.kind === 'none') {
      this.#queue.putBack(pod, decision.rejectedBy, clock.nowMs());
      tasks.start(() => this.#sayUnschedulable(pod.context.pod, decision.message));
      return;
    }
    this.#assume(pod.context.info, decision.nodeName);
    tasks.after(drawMs(random, SCHEDULER_DELAYS.bind), () => this.#bind(pod, decision.nodeName));
  }

  #assume(info: PodInfo, nodeName: string): void {
    this.#cache.assign(info, nodeName);
    this.#stirFor(info);
  }

  async #bind(pod: QueuedPod, nodeName: string): Promise<void> {
    const { port, clock } = this.#options;
    const { key, uid } = pod.context.info;
    const { namespace = 'default', name = '' } = pod.context.pod.metadata;
    try {
      await port.bind({ resource: 'pods', namespace, name }, nodeName);
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      this.#cache.forget(key);
      const now = await port.get<Pod>({ resource: 'pods', namespace, name });
      if (now !== undefined && now.metadata.uid === uid && isWaiting(now)) this.#queue.putBack(pod, NONE, clock.nowMs());
      this.#wake();
      return;
    }
    await this.#events.record({
      about: aboutPod(pod.context.pod),
      type: 'Normal',
      reason: 'Scheduled',
      message: `Successfully assigned ${key} to ${nodeName}`,
    });
  }

  async #sayUnschedulable(pod: Pod, message: string): Promise<void> {
    const { port, clock } = this.#options;
    const { namespace = 'default', name = '', uid } = pod.metadata;
    try {
      const at = { resource: 'pods', namespace, name };
      const now = await port.get<Pod>(at);
      if (now === undefined || now.metadata.uid !== uid || !isWaiting(now)) return;
      const known = conditionOf(now, 'PodScheduled');
      if (known?.status === 'False' && known.reason === 'Unschedulable' && known.message === message) return;
      const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message } as const;
      const conditions = withCondition(now.status?.conditions, { ...condition, lastTransitionTime: formatTime(clock.nowMs()) });
      await port.patch(at, { status: { conditions } }, 'status');
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      return;
    }
    await this.#events.record({ about: aboutPod(pod), type: 'Warning', reason: 'FailedScheduling', message });
  }

  #followNode(type: ObjectChange['type'], node: Node): void {
    const name = node.metadata.name ?? '';
    if (type === 'DELETED') {
      this.#cache.removeNode(name);
      // A domain may have gone with it.
      this.#queue.stir((_pod, rejectedBy) => rejectedBy.has('PodTopologySpread'));
    } else {
      this.#cache.setNode(node);
      const info = this.#cache.node(name);
      this.#queue.stir(({ context }, rejectedBy) => {
        return rejectedBy.has('PodTopologySpread') || (info !== undefined && rejectionByNode(context, info) === undefined);
      });
    }
    this.#wake();
  }

  #followPod(type: ObjectChange['type'], pod: Pod): void {
    const key = keyOf(pod);
    const isGone = type === 'DELETED' || pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
    const nodeName = pod.spec.nodeName ?? '';
    if (isGone) this.#drop(key);
    else if (nodeName !== '') {
      this.#dequeue(key);
      this.#cache.assign(podInfo(pod), nodeName);
      this.#stirFor(podInfo(pod));
    } else if (!this.#cache.has(key)) this.#enqueue(pod);
    this.#wake();
  }

  #dequeue(key: string): void {
    this.#queue.remove(key);
    if (this.#current?.context.info.key === key) this.#current = undefined;
  }

  #drop(key: string): void {
    this.#dequeue(key);
    const nodeName = this.#cache.forget(key);
    if (nodeName === undefined) return;
    const info = this.#cache.node(nodeName);
    this.#queue.stir(({ context }, rejectedBy) => {
      return rejectedBy.has('PodTopologySpread') || (info !== undefined && rejectionByNode(context, info) === undefined);
    });
  }

  /** A pod without a node: new, changed, or told of again after its own status changed. */
  #enqueue(pod: Pod): void {
    const key = keyOf(pod);
    if (!isWaiting(pod)) {
      this.#dequeue(key);
      return;
    }
    const known = this.#current?.context.info.key === key ? this.#current : this.#queue.get(key);
    const context = contextOf(pod);
    if (known === undefined || known.context.info.uid !== context.info.uid) {
      this.#dequeue(key);
      this.#queue.add(context);
      return;
    }
    // Its own condition doesn't make it schedulable; another spec or other labels may.
    if (demandOf(known.context.pod) !== demandOf(pod)) known.waiting = undefined;
    known.context = context;
  }

  /** A pod came to a node, or changed there: that may help those whose spread it counts for. */
  #stirFor(info: PodInfo): void {
    this.#queue.stir(({ context }, rejectedBy) => rejectedBy.has('PodTopologySpread') && concernsSpread(context, info));
  }
}

/** Whether this scheduler is to find a node for it. */
function isWaiting({ metadata, spec }: Pod): boolean {
  return (
    (spec.nodeName ?? '') === '' &&
    metadata.deletionTimestamp === undefined &&
    (spec.schedulerName ?? SCHEDULER_NAME) === SCHEDULER_NAME &&
    (spec.schedulingGates ?? []).length === 0
  );
}

/** What of a pod its placement depends on, for comparison. */
function demandOf({ spec, metadata }: Pod): string {
  return JSON.stringify([spec, metadata.labels]);
}

function aboutPod({ metadata: { namespace, name, uid } }: Pod): {
  apiVersion: string;
  kind: string;
  namespace?: string;
  name?: string;
  uid?: string;
} {
  return { apiVersion: 'v1', kind: 'Pod', namespace, name, uid };
}
