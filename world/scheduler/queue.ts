import { Heap } from '../../runtime/heap.ts';
import type { PodInfo } from './pod-info.ts';
import type { Plugin } from './rejection.ts';

/** First backoff of a pod that found no node; doubled on each further attempt, up to the maximum. */
const FIRST_BACKOFF_MS = 1_000;
export const LONGEST_BACKOFF_MS = 10_000;
/** How often the queue is checked for pods whose backoff is over. */
export const FLUSH_PERIOD_MS = 1_000;
/** How long a pod waits for a change before it is retried anyway. */
const UNSCHEDULABLE_MS = 300_000;

/** A pod waiting for a node. */
export interface QueuedPod {
  info: PodInfo;
  /** Position in the order of arrival; pods that were tried go behind those that were not. */
  arrival: number;
  /** How often the plugins found no node for it. */
  refusals: number;
  /** How often in a row it failed for another reason. */
  errors: number;
  /** End of the backoff after the last attempt. */
  backoffUntilMs: number;
  /** What else it waits for. */
  waiting: Waiting | undefined;
}

type Waiting =
  /** For a change that may satisfy the plugins which rejected it. */
  | { readonly for: 'change'; readonly rejectedBy: ReadonlySet<Plugin>; readonly untilMs: number }
  /** For the first node of the cluster. */
  | { readonly for: 'nodes' }
  /** For the eviction of its victims to start. */
  | { readonly for: 'preemption'; readonly rejectedBy: ReadonlySet<Plugin> };

/** Why an attempt failed. */
export type Failure =
  | { readonly kind: 'rejected'; readonly by: ReadonlySet<Plugin>; readonly preempts: boolean }
  | { readonly kind: 'no-nodes' }
  | { readonly kind: 'error' };

/** When a queued pod may be tried. Out of date if the queue has another one for its pod, or none. */
interface Turn {
  readonly pod: QueuedPod;
  readonly dueMs: number;
}

/** Turns that are out of date are kept up to this number, and beyond that as many as there are pods. */
const MOST_OUTDATED = 1_000;

/**
 * The scheduling queue: pods ready to be tried, by priority, then arrival; pods in backoff; and pods that wait for the
 * cluster to change. Differences from 1.34: a backoff is never cut short (1.33 and later do that when idle), and waiting pods
 * are retried exactly when their time is up, not checked every 30 s. While there are no nodes, the original retries pods after
 * each backoff; here they wait, and their backoffs are computed when the first node comes.
 */
export class SchedulingQueue {
  readonly #kindOf: (pod: PodInfo) => number;
  readonly #pods = new Map<string, QueuedPod>();
  readonly #turns = new Map<QueuedPod, Turn>();
  readonly #later = new Heap<Turn>((a, b) => a.dueMs < b.dueMs);
  /** Those whose time has come. */
  readonly #ready = new Heap<Turn>((a, b) => isBefore(a.pod, b.pod));
  /** Pods that wait for a change, by their kind and the plugins that rejected them: a change helps all of a group or none. */
  readonly #groups = new Map<string, Set<QueuedPod>>();
  readonly #groupOf = new Map<QueuedPod, string>();
  readonly #withoutNodes = new Set<QueuedPod>();
  #arrivals = 0;

  /** @param kindOf numbers that are equal for pods which no decision can tell apart */
  constructor(kindOf: (pod: PodInfo) => number) {
    this.#kindOf = kindOf;
  }

  get(key: string): QueuedPod | undefined {
    return this.#pods.get(key);
  }

  /** Adds a pod to be tried at once. */
  add(info: PodInfo): void {
    this.#put({ info, arrival: this.#nextArrival(), refusals: 0, errors: 0, backoffUntilMs: 0, waiting: undefined });
  }

  remove(key: string): void {
    const pod = this.#pods.get(key);
    if (pod === undefined) return;
    this.#pods.delete(key);
    this.#leave(pod);
  }

  /** Removes and returns the next pod; undefined if none may be tried now. */
  pop(nowMs: number): QueuedPod | undefined {
    for (let turn = this.#later.first(); turn !== undefined && turn.dueMs <= nowMs; turn = this.#later.first()) {
      this.#later.pop();
      if (this.#turns.get(turn.pod) === turn) this.#ready.push(turn);
    }
    for (let turn = this.#ready.pop(); turn !== undefined; turn = this.#ready.pop()) {
      if (this.#turns.get(turn.pod) !== turn) continue;
      this.remove(turn.pod.info.key);
      return turn.pod;
    }
    return undefined;
  }

  /** When the next pod may be tried, without further changes; undefined if there is none. After `pop` found none. */
  nextDueMs(): number | undefined {
    for (let turn = this.#later.first(); turn !== undefined; turn = this.#later.first()) {
      if (this.#turns.get(turn.pod) === turn) return turn.dueMs;
      this.#later.pop();
    }
    return undefined;
  }

  /** Puts a pod back after a failed attempt. */
  putBack(pod: QueuedPod, failure: Failure, nowMs: number): void {
    pod.arrival = this.#nextArrival();
    if (failure.kind === 'rejected') {
      pod.refusals += 1;
      pod.errors = 0;
      const rejectedBy = failure.by;
      pod.waiting = failure.preempts ? { for: 'preemption', rejectedBy } : { for: 'change', rejectedBy, untilMs: nowMs + UNSCHEDULABLE_MS };
    } else {
      pod.errors += 1;
      pod.waiting = failure.kind === 'no-nodes' ? { for: 'nodes' } : undefined;
    }
    pod.backoffUntilMs = failure.kind === 'rejected' ? nowMs + backoffMs(pod.refusals) : endOfPauseMs(nowMs + backoffMs(pod.errors));
    this.#put(pod);
  }

  /** Stores a new version of a pod. @param isOther it may now be placed elsewhere: it need not wait for a change */
  update(pod: QueuedPod, info: PodInfo, isOther: boolean): void {
    pod.info = info;
    if (!isOther || pod.waiting?.for !== 'change') return;
    pod.waiting = undefined;
    if (this.#pods.get(info.key) === pod) this.#put(pod);
  }

  /** Retries, after their backoff, the pods that a change of the cluster may help. */
  reactivate(helps: (pod: PodInfo, rejectedBy: ReadonlySet<Plugin>) => boolean): void {
    for (const group of [...this.#groups.values()]) {
      const [first] = group;
      if (first?.waiting?.for !== 'change' || !helps(first.info, first.waiting.rejectedBy)) continue;
      for (const pod of [...group]) {
        pod.waiting = undefined;
        this.#put(pod);
      }
    }
  }

  /** The first node exists: pods that had none are tried at the end of their current backoff. */
  onFirstNode(nowMs: number): void {
    for (const pod of [...this.#withoutNodes]) {
      pod.waiting = undefined;
      while (pod.backoffUntilMs < nowMs) {
        pod.errors += 1;
        pod.backoffUntilMs = endOfPauseMs(pod.backoffUntilMs + backoffMs(pod.errors));
      }
      this.#put(pod);
    }
  }

  /** The eviction of a pod's victims has started; from now on their end may make it schedulable. */
  preempted(key: string, nowMs: number): void {
    const pod = this.#pods.get(key);
    if (pod?.waiting?.for === 'preemption') {
      pod.waiting = { for: 'change', rejectedBy: pod.waiting.rejectedBy, untilMs: nowMs + UNSCHEDULABLE_MS };
      this.#put(pod);
    }
  }

  /** Puts a pod where it belongs, in its current state. */
  #put(pod: QueuedPod): void {
    this.remove(pod.info.key);
    this.#pods.set(pod.info.key, pod);
    if (pod.waiting?.for === 'nodes') this.#withoutNodes.add(pod);
    if (pod.waiting?.for === 'change') this.#join(pod, `${this.#kindOf(pod.info)} ${[...pod.waiting.rejectedBy].join()}`);
    if (dueMs(pod) === Infinity) return;
    const turn = { pod, dueMs: dueMs(pod) };
    this.#turns.set(pod, turn);
    this.#later.push(turn);
    if (this.#later.size > 2 * this.#pods.size + MOST_OUTDATED) this.#later.keep((one) => this.#turns.get(one.pod) === one);
  }

  #join(pod: QueuedPod, name: string): void {
    const group = this.#groups.get(name);
    if (group === undefined) this.#groups.set(name, new Set([pod]));
    else group.add(pod);
    this.#groupOf.set(pod, name);
  }

  #leave(pod: QueuedPod): void {
    this.#turns.delete(pod);
    this.#withoutNodes.delete(pod);
    const name = this.#groupOf.get(pod);
    if (name === undefined) return;
    this.#groupOf.delete(pod);
    const group = this.#groups.get(name);
    group?.delete(pod);
    if (group?.size === 0) this.#groups.delete(name);
  }

  #nextArrival(): number {
    this.#arrivals += 1;
    return this.#arrivals;
  }
}

function backoffMs(tries: number): number {
  return Math.min(FIRST_BACKOFF_MS * 2 ** (tries - 1), LONGEST_BACKOFF_MS);
}

/**
 * Backoffs after errors are truncated to whole seconds, and end in the next one, when the queue is checked (`alignToWindow`
 * and `isPodBackingoff` in pkg/scheduler/backend/queue/backoff_queue.go; measured on 1.34.4).
 */
function endOfPauseMs(atMs: number): number {
  return (Math.floor(atMs / FLUSH_PERIOD_MS) + 1) * FLUSH_PERIOD_MS;
}

function isBefore(a: QueuedPod, b: QueuedPod): boolean {
  return a.info.priority === b.info.priority ? a.arrival < b.arrival : a.info.priority > b.info.priority;
}

function dueMs({ waiting, backoffUntilMs }: QueuedPod): number {
  if (waiting === undefined) return backoffUntilMs;
  return waiting.for === 'change' ? Math.max(waiting.untilMs, backoffUntilMs) : Infinity;
}
