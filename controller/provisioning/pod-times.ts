import { conditionOf } from '../../model/conditions.ts';
import type { Pod } from '../../model/kube.ts';
import type { Clock } from '../../runtime/clock.ts';
import { timeOf, uidOf } from '../api.ts';
import type { Metrics } from '../metrics.ts';
import { isTerminal } from './pods.ts';

/** What is known of a pod that is not running yet. Times are in ms since the epoch. */
export interface PodTimes {
  readonly pod: Pod;
  /** When it was first in a batch. */
  readonly seenMs?: number;
  /** When it was first planned or refused. */
  readonly decidedMs?: number;
  /** When it was first nominated to a node; undefined while it can't be. */
  readonly schedulableMs?: number;
  readonly isBound: boolean;
}

type Observed = Pick<Metrics, 'podStartup' | 'podBound' | 'podProvisioningBound' | 'podProvisioningStartup' | 'podSchedulingDecision'>;

/**
 * How long the pods that this process saw pending took to be planned, bound and ready; bounded by the pending pods. Moments are
 * Karpenter's: the transition times of the pod's conditions, relative to its creation or its first plan.
 * Source: Karpenter, `pkg/controllers/metrics/pod` and `pkg/controllers/state/cluster.go`, v1.8.
 */
export class PodClock {
  readonly #clock: Clock;
  readonly #metrics: Observed;
  readonly #waiting = new Map<string, PodTimes>();

  constructor(clock: Clock, metrics: Observed) {
    this.#clock = clock;
    this.#metrics = metrics;
  }

  /** Pods that are not ready yet, in order of appearance. */
  waiting(): Iterable<PodTimes> {
    return this.#waiting.values();
  }

  observe(type: 'ADDED' | 'MODIFIED' | 'DELETED', pod: Pod): void {
    const uid = uidOf(pod);
    const known = this.#waiting.get(uid);
    if (type === 'DELETED' || isTerminal(pod)) this.#waiting.delete(uid);
    else if (pod.status?.phase === 'Pending') this.#waiting.set(uid, { isBound: false, ...known, pod });
    else if (known !== undefined) this.#leave({ ...known, pod });
  }

  seen(pod: Pod): void {
    this.#note(pod, (known) => ({ seenMs: this.#clock.nowMs(), ...known }));
  }

  /** The result of a plan for the pod. */
  decided(pod: Pod, isSchedulable: boolean): void {
    const nowMs = this.#clock.nowMs();
    this.#note(pod, ({ schedulableMs, ...known }) => {
      if (known.decidedMs === undefined) this.#metrics.podSchedulingDecision.observe((nowMs - (known.seenMs ?? nowMs)) / 1_000);
      return { decidedMs: nowMs, ...known, ...(isSchedulable ? { schedulableMs: schedulableMs ?? nowMs } : {}) };
    });
  }

  /** A pod that is no longer Pending: its kubelet has it, and it will be ready at some point. */
  #leave(times: PodTimes): void {
    const { pod, schedulableMs, isBound } = times;
    const boundMs = trueSinceMs(pod, 'PodScheduled');
    const readyMs = trueSinceMs(pod, 'Ready');
    if (boundMs !== undefined && !isBound) {
      observeSince(this.#metrics.podBound, timeOf(pod.metadata.creationTimestamp), boundMs);
      observeSince(this.#metrics.podProvisioningBound, schedulableMs, boundMs);
    }
    if (readyMs === undefined) {
      this.#waiting.set(uidOf(pod), { ...times, isBound: isBound || boundMs !== undefined });
      return;
    }
    observeSince(this.#metrics.podStartup, timeOf(pod.metadata.creationTimestamp), readyMs);
    observeSince(this.#metrics.podProvisioningStartup, schedulableMs, readyMs);
    this.#waiting.delete(uidOf(pod));
  }

  #note(pod: Pod, change: (known: PodTimes) => PodTimes): void {
    const known = this.#waiting.get(uidOf(pod));
    if (known !== undefined) this.#waiting.set(uidOf(pod), change(known));
  }
}

function trueSinceMs(pod: Pod, type: string): number | undefined {
  const condition = conditionOf(pod, type);
  return condition?.status === 'True' ? timeOf(condition.lastTransitionTime) : undefined;
}

/** Conditions have whole seconds: something may seem to end before it began. */
function observeSince(histogram: { observe(value: number): void }, fromMs: number | undefined, toMs: number): void {
  if (fromMs !== undefined) histogram.observe(Math.max(0, toMs - fromMs) / 1_000);
}
