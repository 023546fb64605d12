import type { KubeObject, Node, Pod } from '../../model/kube.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import { ClusterError } from '../ports.ts';
import type { ClusterPort, ObjectChange } from '../ports.ts';
import { Tasks, drawMs } from '../tasks.ts';
import type { WorldPart } from '../tasks.ts';
import { SchedulerCache } from './cache.ts';
import type { Decision, Preemption } from './decide.ts';
import { mayHelp, nodeChanged, roomByKind } from './hints.ts';
import type { ClusterEvent, HintContext } from './hints.ts';
import { FOLLOWED, OF_STORAGE } from './object-cache.ts';
import type { Followed } from './object-cache.ts';
import { PodKinds, demandKey, filterKey, keyOf, podInfo } from './pod-info.ts';
import type { PodInfo } from './pod-info.ts';
import { PodWriter, isWaiting, refOf } from './pod-writer.ts';
import { FLUSH_PERIOD_MS, LONGEST_BACKOFF_MS, SchedulingQueue } from './queue.ts';
import type { QueuedPod } from './queue.ts';
import { Decider } from './decider.ts';
import { assumeVolumes, bindVolumes } from './volume-binder.ts';
import type { VolumePlan } from './volumes.ts';

export const SCHEDULER_DELAYS = {
  /** One decision: the real scheduler makes some hundreds per second. */
  cycle: { minMs: 1, maxMs: 4 },
  /** From the decision to the binding request. */
  bind: { minMs: 2, maxMs: 20 },
  /** From a change that makes a pod schedulable to its binding, with up to 500 pods ahead of it in the queue. */
  retryMaxMs: LONGEST_BACKOFF_MS + FLUSH_PERIOD_MS + 500 * 4 + 20,
} as const;

interface SchedulerOptions {
  /** Of the principal `scheduler`. */
  readonly port: ClusterPort;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * kube-scheduler: places one pod at a time, assumes its decision before it is bound, reports why a pod can't be placed
 * (condition and Event), preempts pods of lower priority if that helps, and retries a pod when something changed that may
 * help, after a backoff that grows from 1 to 10 s, and after five minutes anyway.
 */
export class Scheduler implements WorldPart {
  readonly #options: SchedulerOptions;
  readonly #cache = new SchedulerCache();
  readonly #demands = new PodKinds(demandKey);
  readonly #queue = new SchedulingQueue((pod) => this.#demands.of(pod));
  readonly #decider = new Decider(this.#cache, (pod) => this.#demands.of(pod));
  readonly #writer: PodWriter;
  readonly #ties: Random;
  readonly #kinds = new PodKinds(filterKey);
  /** The pod of the current cycle; undefined if it was removed meanwhile. */
  #current: QueuedPod | undefined;
  #wake: () => void = () => undefined;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    const { port, clock, random } = options;
    this.#writer = new PodWriter({ port, clock, random: random.fork('events') });
    this.#ties = random.fork('ties');
  }

  async run(signal: AbortSignal): Promise<void> {
    const { port, clock } = this.#options;
    const tasks = new Tasks(clock, signal);
    for (const resource of FOLLOWED) await this.#follow(resource, tasks.signal);
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
        await this.#waitForWork();
        continue;
      }
      await clock.sleep(drawMs(cycles, SCHEDULER_DELAYS.cycle), tasks.signal);
      const pod = this.#current as QueuedPod | undefined;
      this.#current = undefined;
      if (pod !== undefined) this.#place(pod, tasks);
    }
  }

  /** Waits until a pod is due or something changes. */
  async #waitForWork(): Promise<void> {
    const { clock } = this.#options;
    const dueMs = this.#queue.nextDueMs();
    const waiting = new AbortController();
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (dueMs !== undefined) clock.sleep(dueMs - clock.nowMs(), waiting.signal).then(resolve, resolve);
    });
    // With a reason: without one, each abort creates an exception.
    waiting.abort(waiting);
  }

  #place(pod: QueuedPod, tasks: Tasks): void {
    const { random } = this.#options;
    const decision = this.#decider.decide(pod.info, this.#ties);
    if (decision.kind === 'none') {
      this.#refuse(pod, decision, tasks);
      return;
    }
    const { nodeName, volumes, examined } = decision;
    this.#cache.searchFrom += examined;
    this.#cache.assign(pod.info, nodeName);
    if (volumes !== undefined) assumeVolumes(volumes, nodeName, this.#cache.objects);
    tasks.after(drawMs(random, SCHEDULER_DELAYS.bind), () => this.#bind(pod, { nodeName, volumes, signal: tasks.signal }));
  }

  #refuse(pod: QueuedPod, decision: Extract<Decision, { kind: 'none' }>, tasks: Tasks): void {
    const { clock } = this.#options;
    const { message, rejectedBy, preemption, clearsNomination } = decision;
    const preempts = preemption !== undefined;
    const kind = this.#cache.nodes().length === 0 ? 'no-nodes' : 'rejected';
    this.#queue.putBack(pod, kind === 'rejected' ? { kind, by: rejectedBy, preempts } : { kind }, clock.nowMs());
    if (preempts) this.#cache.nominate(pod.info, preemption.nodeName);
    else if (clearsNomination) this.#endNomination(pod.info);
    const nomination = preempts || clearsNomination ? { nodeName: preemption?.nodeName } : 'as it was';
    tasks.start(() => this.#writer.recordUnschedulable(pod.info, message, nomination));
    if (preempts) tasks.start(() => this.#preempt(pod.info, preemption));
  }

  /** Victims are evicted together, but the last one only once the pod waits for them (`prepareCandidateAsync`). */
  async #preempt(pod: PodInfo, { nodeName, victims }: Preemption): Promise<void> {
    for (const other of this.#cache.nominated(nodeName)) {
      if (other.priority >= pod.priority) continue;
      this.#endNomination(other);
      await this.#writer.clearNomination(other);
    }
    const last = victims.at(-1);
    await Promise.all(victims.slice(0, -1).map((victim) => this.#writer.evict(victim, pod, nodeName)));
    this.#queue.preempted(pod.key, this.#options.clock.nowMs());
    if (last !== undefined) await this.#writer.evict(last, pod, nodeName);
    this.#wake();
  }

  async #bind(pod: QueuedPod, to: { nodeName: string; volumes: VolumePlan | undefined; signal: AbortSignal }): Promise<void> {
    const { port, clock } = this.#options;
    const { objects } = this.#cache;
    try {
      const ready = to.volumes === undefined || (await bindVolumes(to.volumes, to.nodeName, { port, clock, objects, signal: to.signal }));
      if (!ready) throw new ClusterError(504, 'Timeout', 'binding volumes: context deadline exceeded');
      await port.bind(refOf(pod.info.pod), to.nodeName);
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      await this.#unbind(pod);
      return;
    }
    await this.#writer.recordScheduled(pod.info, to.nodeName);
  }

  /** A binding failed: the room is free again, and the pod, if it still waits, is retried after its backoff. */
  async #unbind(pod: QueuedPod): Promise<void> {
    const { port, clock } = this.#options;
    this.#remove(pod.info.key);
    const now = await port.get<Pod>(refOf(pod.info.pod));
    if (now?.metadata.uid === pod.info.uid && isWaiting(now)) this.#queue.putBack(pod, { kind: 'error' }, clock.nowMs());
    this.#wake();
  }

  /** Lists and watches a resource, if the cluster serves it. */
  async #follow(resource: Followed, signal: AbortSignal): Promise<void> {
    const { port } = this.#options;
    const { objects } = this.#cache;
    try {
      for (const object of await port.list(resource)) objects.set(resource, object);
      port.watch<KubeObject>(resource, signal, ({ type, object }) => {
        if (type === 'DELETED') objects.remove(resource, object);
        else objects.set(resource, object);
        if (OF_STORAGE.includes(resource)) this.#happened({ kind: 'storage' });
      });
    } catch (error) {
      if (!(error instanceof ClusterError) || error.status !== 404) throw error;
    }
  }

  #followNode(type: ObjectChange['type'], node: Node): void {
    const before = this.#cache.node(node.metadata.name ?? '');
    if (type === 'DELETED') {
      this.#cache.removeNode(node.metadata.name ?? '');
      if (before !== undefined) this.#happened({ kind: 'node', before, after: undefined });
      return;
    }
    const after = this.#cache.setNode(node);
    this.#queue.onFirstNode(this.#options.clock.nowMs());
    if (before === undefined || nodeChanged(before, after)) this.#happened({ kind: 'node', before, after });
    this.#wake();
  }

  #followPod(type: ObjectChange['type'], pod: Pod): void {
    const key = keyOf(pod);
    const isGone = type === 'DELETED' || pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
    const nodeName = pod.spec.nodeName ?? '';
    if (isGone) {
      const waiting = this.#dequeue(key);
      if (waiting !== undefined) this.#endNomination(waiting.info);
      this.#remove(key);
    } else if (nodeName !== '') {
      this.#dequeue(key);
      this.#assigned(podInfo(pod), nodeName);
    } else if (this.#cache.nodeOf(key) === undefined) this.#enqueue(pod);
    this.#wake();
  }

  #assigned(after: PodInfo, nodeName: string): void {
    const isNew = this.#cache.pod(after.key)?.pod.spec.nodeName === undefined;
    const before = isNew ? undefined : this.#cache.pod(after.key);
    this.#cache.assign(after, nodeName);
    if (before?.groupKey !== after.groupKey) this.#happened({ kind: 'pod', before, after, node: this.#cache.node(nodeName) });
  }

  #dequeue(key: string): QueuedPod | undefined {
    const known = this.#known(key);
    this.#queue.remove(key);
    if (this.#current === known) this.#current = undefined;
    return known;
  }

  #known(key: string): QueuedPod | undefined {
    return this.#current?.info.key === key ? this.#current : this.#queue.get(key);
  }

  #remove(key: string): void {
    const was = this.#cache.forget(key);
    if (was !== undefined) this.#happened({ kind: 'pod', before: was.pod, after: undefined, node: this.#cache.node(was.nodeName) });
  }

  #endNomination(pod: PodInfo): void {
    const nodeName = this.#cache.nominationOf(pod.key);
    if (nodeName === undefined) return;
    this.#cache.nominate(pod, undefined);
    this.#happened({ kind: 'nomination', node: this.#cache.node(nodeName) });
  }

  /** A pod without a node: new, changed, or delivered again after its own status changed. */
  #enqueue(pod: Pod): void {
    const key = keyOf(pod);
    if (!isWaiting(pod)) {
      const waiting = this.#dequeue(key);
      if (waiting !== undefined) this.#endNomination(waiting.info);
      return;
    }
    const known = this.#known(key);
    const info = podInfo(pod);
    if (known === undefined || known.info.uid !== info.uid) {
      this.#dequeue(key);
      this.#queue.add(info);
    } else {
      // Its own condition doesn't make it schedulable; another spec or other labels may.
      this.#queue.update(known, info, !this.#demands.areAlike(known.info, info));
    }
    // A status without the node yet doesn't clear a new nomination.
    const nominated = pod.status?.nominatedNodeName ?? '';
    const before = known?.info.pod.status?.nominatedNodeName ?? '';
    if (nominated !== '') this.#cache.nominate(info, nominated);
    else if (before !== '') this.#endNomination(info);
    else this.#cache.nominate(info, this.#cache.nominationOf(key));
  }

  #happened(event: ClusterEvent): void {
    const context: HintContext = {
      namespaceLabels: (name) => this.#cache.objects.namespaceLabels(name),
      hasRoom: roomByKind((pod) => this.#kinds.of(pod)),
    };
    this.#queue.reactivate((pod, rejectedBy) => mayHelp(event, pod, rejectedBy, context));
    this.#wake();
  }
}
