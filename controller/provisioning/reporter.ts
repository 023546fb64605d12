import type { KubeClient } from '../../clients/kube-client.ts';
import { RESOURCES } from '../../clients/resources.ts';
import type { KubeEvent, Pod } from '../../model/kube.ts';
import { logFailure } from '../../runtime/log.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { uidOf } from '../api.ts';
import { EVENT_REPEAT_MS, REPORTED_PODS_MAX } from '../constants.ts';
import { formatTime } from '../../model/time.ts';
import { describeError } from '../core/errors.ts';
import { podName } from '../scheduling/pod-class.ts';

/** Tells users why their pods wait. */
export interface Reporter {
  /** A Warning event on the pod and a log line; the same message again only after a while. Never throws. */
  cannotSchedule(pod: Pod, reason: string): void;
}

const COMPONENT = 'karpenter';

export function createReporter(runtime: Runtime, kube: KubeClient): Reporter {
  return new EventReporter(runtime, kube);
}

class EventReporter implements Reporter {
  readonly #runtime: Runtime;
  readonly #kube: KubeClient;
  /** By pod uid: what was said last, and when. */
  readonly #said = new Map<string, { message: string; atMs: number }>();

  constructor(runtime: Runtime, kube: KubeClient) {
    this.#runtime = runtime;
    this.#kube = kube;
  }

  cannotSchedule(pod: Pod, reason: string): void {
    const nowMs = this.#runtime.clock.nowMs();
    const last = this.#said.get(uidOf(pod));
    if (last?.message === reason && nowMs - last.atMs < EVENT_REPEAT_MS) return;
    this.#said.delete(uidOf(pod));
    this.#said.set(uidOf(pod), { message: reason, atMs: nowMs });
    const [oldest] = this.#said.keys();
    if (this.#said.size > REPORTED_PODS_MAX && oldest !== undefined) this.#said.delete(oldest);
    const message = `pod ${podName(pod)} can not be scheduled: ${reason}`;
    this.#runtime.log('warn', message, { pod: podName(pod), reason: 'FailedScheduling' });
    this.#kube.create(RESOURCES.events, this.#event(pod, message, nowMs)).catch((error: unknown) => {
      // Said again at the next look, since nobody heard it.
      this.#said.delete(uidOf(pod));
      logFailure(this.#runtime.log, 'warn', `no event could be written: ${describeError(error)}`, error, { pod: podName(pod) });
    });
  }

  #event(pod: Pod, message: string, nowMs: number): KubeEvent {
    const time = formatTime(nowMs);
    const { name = '', namespace = 'default', uid = '' } = pod.metadata;
    return {
      metadata: { generateName: `${name}.`, namespace },
      involvedObject: { apiVersion: 'v1', kind: 'Pod', name, namespace, uid },
      reason: 'FailedScheduling',
      message,
      type: 'Warning',
      count: 1,
      source: { component: COMPONENT },
      reportingComponent: COMPONENT,
      firstTimestamp: time,
      lastTimestamp: time,
    };
  }
}
