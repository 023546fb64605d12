import type { KubeEvent } from '../model/kube.ts';
import { formatTime } from '../model/time.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Random } from '../runtime/random.ts';
import { ClusterError } from './ports.ts';
import type { ClusterPort } from './ports.ts';

/** The content of an Event. */
interface EventFields {
  readonly about: KubeEvent['involvedObject'];
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** Maximum length of an Event's message. */
const MAX_MESSAGE_LENGTH = 1024;

/** Writes Events of one component, best effort: refusals are ignored. Each is a separate object. */
export class EventRecorder {
  readonly #port: ClusterPort;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #component: string;

  constructor(options: { port: ClusterPort; clock: Clock; random: Random; component: string }) {
    this.#port = options.port;
    this.#clock = options.clock;
    this.#random = options.random;
    this.#component = options.component;
  }

  async record({ about, type, reason, message }: EventFields): Promise<void> {
    const at = formatTime(this.#clock.nowMs());
    const event: KubeEvent = {
      metadata: { name: `${about.name ?? ''}.${this.#random.hex(16)}`, namespace: about.namespace ?? 'default' },
      involvedObject: { ...about },
      type,
      reason,
      message: message.slice(0, MAX_MESSAGE_LENGTH),
      count: 1,
      source: { component: this.#component },
      reportingComponent: this.#component,
      firstTimestamp: at,
      lastTimestamp: at,
    };
    try {
      await this.#port.create('events', event);
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
    }
  }
}
