import type { Plugin } from './scheduler-decision.ts';
import type { SpreadContext } from './scheduler-spread.ts';

/** First pause of a pod that found no node; it doubles with each further try, up to the longest. */
const FIRST_BACKOFF_MS = 1_000;
export const LONGEST_BACKOFF_MS = 10_000;
/** For how long a pod waits for something to change before it is tried again anyway. */
const UNSCHEDULABLE_MS = 300_000;

/** A pod that waits for a node. */
export interface QueuedPod {
  context: SpreadContext;
  readonly priority: number;
  /** Place in the order of arrival; a pod that was tried goes behind those that were not. */
  arrival: number;
  attempts: number;
  /** Tries end with a pause until then. */
  backoffUntilMs: number;
  /** Set while the pod waits for a change; which plugins must be satisfied by it. */
  waiting: { readonly rejectedBy: ReadonlySet<Plugin>; readonly untilMs: number } | undefined;
}

/**
 * The scheduling queue: pods ready to be tried by priority, then arrival; pods in their pause; pods that wait for the
 * cluster to change. A pause is always kept (1.33 and later cut it short when nothing else is to do).
 */
export class SchedulingQueue {
  readonly #pods = new Map<string, QueuedPod>();
  #arrivals = 0;

  get(key: string): QueuedPod | undefined {
    return this.#pods.get(key);
  }

  /** Adds a pod to be tried at once. */
  add(context: SpreadContext): void {
    const { key } = context.info;
    const priority = context.pod.spec.priority ?? 0;
    this.#pods.set(key, { context, priority, arrival: this.#nextArrival(), attempts: 0, backoffUntilMs: 0, waiting: undefined });
  }

  remove(key: string): void {
    this.#pods.delete(key);
  }

  /** Takes out the pod whose turn it is; undefined if none may be tried now. */
  pop(nowMs: number): QueuedPod | undefined {
    let next: QueuedPod | undefined;
    for (const pod of this.#pods.values()) {
      if (dueMs(pod) > nowMs) continue;
      if (next === undefined || pod.priority > next.priority || (pod.priority === next.priority && pod.arrival < next.arrival)) next = pod;
    }
    if (next !== undefined) this.#pods.delete(next.context.info.key);
    return next;
  }

  /** When the next pod may be tried, as things stand; undefined if there is none. */
  nextDueMs(): number | undefined {
    let next: number | undefined;
    for (const pod of this.#pods.values()) next = Math.min(next ?? Infinity, dueMs(pod));
    return next;
  }

  /** Puts a pod back after a try that failed. @param rejectedBy empty to try again after its pause, whatever changes */
  putBack(pod: QueuedPod, rejectedBy: ReadonlySet<Plugin>, nowMs: number): void {
    pod.attempts += 1;
    pod.arrival = this.#nextArrival();
    pod.backoffUntilMs = nowMs + Math.min(FIRST_BACKOFF_MS * 2 ** (pod.attempts - 1), LONGEST_BACKOFF_MS);
    pod.waiting = rejectedBy.size === 0 ? undefined : { rejectedBy, untilMs: nowMs + UNSCHEDULABLE_MS };
    this.#pods.set(pod.context.info.key, pod);
  }

  /** Lets the pods be tried again, after their pause, that a change of the cluster may help. */
  stir(helps: (pod: QueuedPod, rejectedBy: ReadonlySet<Plugin>) => boolean): void {
    for (const pod of this.#pods.values()) {
      if (pod.waiting !== undefined && helps(pod, pod.waiting.rejectedBy)) pod.waiting = undefined;
    }
  }

  #nextArrival(): number {
    this.#arrivals += 1;
    return this.#arrivals;
  }
}

function dueMs({ waiting, backoffUntilMs }: QueuedPod): number {
  return Math.max(waiting?.untilMs ?? 0, backoffUntilMs);
}
