import type { Clock } from '../../../runtime/clock.ts';
import type { Random } from '../../../runtime/random.ts';
import { ACCOUNT_ID } from '../operation.ts';
import { DEFAULT_ATTRIBUTES, checkQueueName, withAttributes } from './attributes.ts';
import type { QueueAttributes } from './attributes.ts';
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
  create(name: string, given: Readonly<Record<string, string>> = {}): Queue {
    checkQueueName(name);
    const existing = this.#queues.get(name);
    const attributes = withAttributes(existing?.attributes ?? DEFAULT_ATTRIBUTES, given);
    if (existing === undefined) {
      const parts = { name, url: queueUrlOf(this.region, name), attributes, clock: this.#clock, random: this.#random.fork(name) };
      const queue = new Queue(parts);
      this.#queues.set(name, queue);
      return queue;
    }
    const before = valuesOf(existing.attributes);
    const other = Object.entries(valuesOf(attributes)).find(([key, value]) => before[key] !== value);
    if (other === undefined) return existing;
    throw sqsRefusal('QueueNameExists', `A queue already exists with the same name and a different value for attribute ${other[0]}`);
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

function valuesOf({ settings, texts }: QueueAttributes): Readonly<Record<string, string | number>> {
  return { ...settings, ...texts };
}

/** `arn:aws:sqs:us-east-1:123456789012:name` */
export function queueArn(region: string, { name }: Queue): string {
  return `arn:aws:sqs:${region}:${ACCOUNT_ID}:${name}`;
}
