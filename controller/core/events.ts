import type { KubeClient, ResourceType } from '../../clients/kube-client.ts';
import { apiVersionOf, RESOURCES } from '../../clients/resources.ts';
import { defined } from '../../model/defined.ts';
import type { KubeEvent, KubeObject } from '../../model/kube.ts';
import { formatTime } from '../../model/time.ts';
import { logFailure } from '../../runtime/log.ts';
import type { Random } from '../../runtime/random.ts';
import { Semaphore } from '../../runtime/semaphore.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { EVENTS_AT_ONCE, EVENTS_WAITING_MAX, EVENT_REPEAT_MS, REPORTED_OBJECTS_MAX } from '../constants.ts';
import { describeError } from './errors.ts';

/** A message about an object. */
export interface Notification {
  readonly type: ResourceType;
  readonly object: KubeObject;
  readonly eventType: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** Another message for the same reason is no news either. */
  readonly isAnyMessage?: boolean;
}

const COMPONENT = 'karpenter';

/** Writes Kubernetes Events: the same one about the same object is repeated only after a while. */
export class EventWriter {
  readonly #runtime: Runtime;
  readonly #kube: KubeClient;
  readonly #random: Random;
  /** The last message and its time, by object and reason. The oldest are dropped first. */
  readonly #said = new Map<string, { message: string; atMs: number }>();
  /** The pods of a large cluster may all have something to report at once. */
  readonly #writes = new Semaphore(EVENTS_AT_ONCE);
  /** Events that are being written, or wait for it. */
  #open = 0;

  constructor(runtime: Runtime, kube: KubeClient) {
    this.#runtime = runtime;
    this.#kube = kube;
    this.#random = runtime.random.fork('events');
  }

  /** @returns whether it is new. Never throws: what could not be written is written again the next time. */
  write(notification: Notification): boolean {
    const { object, reason, message, isAnyMessage = false } = notification;
    const nowMs = this.#runtime.clock.nowMs();
    const key = `${object.metadata.uid ?? ''} ${reason}`;
    const last = this.#said.get(key);
    const isSame = last !== undefined && (isAnyMessage || last.message === message);
    if (isSame && nowMs - last.atMs < EVENT_REPEAT_MS) return false;
    this.#said.delete(key);
    this.#said.set(key, { message, atMs: nowMs });
    const [oldest] = this.#said.keys();
    if (this.#said.size > REPORTED_OBJECTS_MAX && oldest !== undefined) this.#said.delete(oldest);
    const event = eventOf(notification, nowMs, this.#random.hex(8));
    if (this.#open >= EVENTS_AT_ONCE + EVENTS_WAITING_MAX) {
      this.#said.delete(key);
      return true;
    }
    this.#open += 1;
    const written = this.#writes.run(() => this.#kube.create(RESOURCES.events, event)).finally(() => (this.#open -= 1));
    written.catch((error: unknown) => {
      this.#said.delete(key);
      const fields = { object: object.metadata.name, reason };
      logFailure(this.#runtime.log, 'warn', `no event could be written: ${describeError(error)}`, error, fields);
    });
    return true;
  }
}

function eventOf(
  { type, object, eventType, reason, message }: Notification,
  nowMs: number,
  suffix: string,
): KubeEvent & { metadata: { name: string } } {
  const time = formatTime(nowMs);
  const { name = '', namespace, uid = '' } = object.metadata;
  return {
    // Named like client-go's events; those about cluster-scoped objects go into the namespace where clients look for them.
    metadata: { name: `${name}.${nowMs.toString(16)}${suffix}`, namespace: namespace ?? 'default' },
    involvedObject: { apiVersion: apiVersionOf(type), kind: type.kind, name, uid, ...defined({ namespace }) },
    reason,
    message,
    type: eventType,
    count: 1,
    source: { component: COMPONENT },
    reportingComponent: COMPONENT,
    firstTimestamp: time,
    lastTimestamp: time,
  };
}
