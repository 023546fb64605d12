import type { Clock } from '../../../runtime/clock.ts';
import type { Random } from '../../../runtime/random.ts';
import { ACCOUNT_ID } from '../operation.ts';
import { checkQueueName, settingsOf } from './attributes.ts';
import type { QueueSetting } from './attributes.ts';
import { queueDoesNotExist, sqsRefusal } from './errors.ts';
import { Queue } from './queue.ts';

/** The URL of a queue of the world's account. */
export function queueUrlOf(region: string, name: string): string {
  return `https://sqs.${region}.amazonaws.com/${ACCOUNT_ID}/${name}`;
}

/** All queues of the account. */
export class Queues {
  readonly region: string;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #queues = new Map<string, Queue>();

  constructor(parts: { region: string; clock: Clock; random: Random }) {
    this.region = parts.region;
    this.#clock = parts.clock;
    this.#random = parts.random;
  }

  /** Creates a queue, or returns the existing one. @throws JsonRefusal as CreateQueue does */
  create(name: string, attributes: Readonly<Record<string, string>> = {}): Queue {
    checkQueueName(name);
    const settings = settingsOf(attributes);
    const existing = this.#queues.get(name);
    if (existing === undefined) {
      const parts = { name, url: queueUrlOf(this.region, name), settings, clock: this.#clock, random: this.#random.fork(name) };
      const queue = new Queue(parts);
      this.#queues.set(name, queue);
      return queue;
    }
    const other = Object.keys(attributes).find((key) => settings[key as QueueSetting] !== existing.settings[key as QueueSetting]);
    if (other === undefined) return existing;
    throw sqsRefusal('QueueNameExists', `A queue already exists with the same name and a different value for attribute ${other}`);
  }

  /** @throws JsonRefusal when there is none */
  byName(name: string): Queue {
    const queue = this.#queues.get(name);
    if (queue === undefined) throw queueDoesNotExist();
    return queue;
  }

  /** A queue by the account and name in its URL, whatever the host. @throws JsonRefusal when there is none */
  byUrl(url: string): Queue {
    const [name, account] = url.split('/').reverse();
    if (account !== ACCOUNT_ID) throw queueDoesNotExist();
    return this.byName(name ?? '');
  }

  /** In the order of their names. */
  list(): readonly Queue[] {
    return [...this.#queues.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

/** `arn:aws:sqs:us-east-1:123456789012:name` */
export function queueArn(region: string, { name }: Queue): string {
  return `arn:aws:sqs:${region}:${ACCOUNT_ID}:${name}`;
}
