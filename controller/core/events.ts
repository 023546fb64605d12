import type { KubeClient, ResourceType } from '../../clients/kube-client.ts';
import { apiVersionOf, RESOURCES } from '../../clients/resources.ts';
import { defined } from '../../model/defined.ts';
import type { KubeEvent, KubeObject } from '../../model/kube.ts';
import { formatTime } from '../../model/time.ts';
import { logFailure } from '../../runtime/log.ts';
import type { Random } from '../../runtime/random.ts';
import { Semaphore } from '../../runtime/semaphore.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { EVENTS_AT_ONCE, EVENTS_WAITING_MAX, EVENT_REPEAT_MS, REPORTED_MESSAGES_MAX } from '../constants.ts';
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
  /** When each message was last written, by object, reason and message. The oldest are dropped first. */
  readonly #saidMs = new Map<string, number>();
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
    // Not only the last one: reasons may take turns, such as a limit and refused launches.
    const key = [object.metadata.uid ?? '', reason, isAnyMessage ? '' : message].join(' ');
    const lastMs = this.#saidMs.get(key);
    if (lastMs !== undefined && nowMs - lastMs < EVENT_REPEAT_MS) return false;
    this.#saidMs.delete(key);
    this.#saidMs.set(key, nowMs);
    const [oldest] = this.#saidMs.keys();
    if (this.#saidMs.size > REPORTED_MESSAGES_MAX && oldest !== undefined) this.#saidMs.delete(oldest);
    const event = eventOf(notification, nowMs, this.#random.hex(8));
    if (this.#open >= EVENTS_AT_ONCE + EVENTS_WAITING_MAX) {
      this.#saidMs.delete(key);
      return true;
    }
    this.#open += 1;
    const written = this.#writes.run(() => this.#kube.create(RESOURCES.events, event)).finally(() => (this.#open -= 1));
    written.catch((error: unknown) => {
      this.#saidMs.delete(key);
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
