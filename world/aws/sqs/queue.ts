import { setMaxListeners } from 'node:events';
import type { Clock } from '../../../runtime/clock.ts';
import type { Random } from '../../../runtime/random.ts';
import type { Caller } from '../../../wire/backend.ts';
import { drawUuid } from '../ids.ts';
import { withAttributes } from './attributes.ts';
import type { QueueAttributes, QueueSettings } from './attributes.ts';
import { invalidParameter, sqsRefusal } from './errors.ts';
import { formatReceipt, parseReceipt } from './message.ts';
import type { Message } from './message.ts';
import type { MessageAttributes } from './message-attributes.ts';

/** Messages sent within this time of each other may be received in any order. SQS guarantees no order at all. */
const REORDER_MS = 1_000;
/** The share of messages that a short poll misses: it asks only some servers. SQS gives no figure. */
const SHORT_POLL_MISSES = 0.1;
/** How often a server that was unavailable keeps its copy of a deleted message, which then comes again. SQS says "on rare occasions". */
const DELETE_MISSES = 0.001;
/** Source: "Amazon SQS message quotas". */
const MAX_IN_FLIGHT = 120_000;
/** Source: PurgeQueue in the API reference. */
const PURGE_PERIOD_MS = 60_000;

/** One reception of a message. */
export interface Reception {
  readonly message: Readonly<Message>;
  readonly receiptHandle: string;
}

/** What a message may have besides its body. */
interface SendOptions {
  /** By default the queue's. */
  readonly delayMs?: number;
  readonly attributes?: MessageAttributes;
  readonly systemAttributes?: Readonly<Record<string, string>>;
  /** Called on each reception. */
  readonly onReceived?: (caller: Caller) => void;
}

/** The parameters of a reception. */
export interface PollRequest {
  readonly max: number;
  readonly visibilityMs: number;
  /** 0: a short poll. */
  readonly waitMs: number;
  readonly caller: Caller;
  readonly signal: AbortSignal | undefined;
}

/**
 * A standard queue: delivers at least once, in nearly any order. A received message is hidden for its visibility time-out;
 * a consumer that has not deleted it by then may receive it again. Source: "Amazon SQS standard queues", "Amazon SQS visibility
 * timeout", "Amazon SQS short and long polling".
 */
export class Queue {
  readonly name: string;
  readonly url: string;
  readonly createdAtMs: number;
  readonly #clock: Clock;
  readonly #random: Random;
  /** In the order of sending. Bounded by the retention period. */
  readonly #messages = new Map<string, Message>();
  /** Aborted when there may be something to receive. */
  readonly #polls = new Set<AbortController>();
  #attributes: QueueAttributes;
  #modifiedAtMs: number;
  #purgedAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: { name: string; url: string; attributes: QueueAttributes; clock: Clock; random: Random }) {
    this.name = parts.name;
    this.url = parts.url;
    this.#clock = parts.clock;
    this.#random = parts.random;
    this.createdAtMs = parts.clock.nowMs();
    this.#attributes = parts.attributes;
    this.#modifiedAtMs = this.createdAtMs;
  }

  get attributes(): QueueAttributes {
    return this.#attributes;
  }

  get settings(): QueueSettings {
    return this.#attributes.settings;
  }

  get modifiedAtMs(): number {
    return this.#modifiedAtMs;
  }

  /** Changes attributes at once, where SQS takes up to a minute, and for the retention period 15. @throws JsonRefusal as `withAttributes` */
  setAttributes(given: Readonly<Record<string, string>>): void {
    this.#attributes = withAttributes(this.#attributes, given);
    this.#modifiedAtMs = this.#clock.nowMs();
  }

  /** Approximate counts, as the attributes' names say. Here they are exact. */
  get counts(): { readonly visible: number; readonly notVisible: number; readonly delayed: number } {
    const hidden = this.#retained().filter(({ visibleAtMs }) => visibleAtMs > this.#clock.nowMs());
    const delayed = hidden.filter(({ receiveCount }) => receiveCount === 0).length;
    return { visible: this.#messages.size - hidden.length, notVisible: hidden.length - delayed, delayed };
  }

  /** Enqueues a message. @returns its id */
  send(body: string, options: SendOptions = {}): string {
    const nowMs = this.#clock.nowMs();
    const id = drawUuid(this.#random);
    this.#messages.set(id, {
      id,
      body,
      attributes: options.attributes ?? {},
      systemAttributes: options.systemAttributes ?? {},
      sentAtMs: nowMs,
      rank: nowMs + this.#random.int(0, REORDER_MS),
      visibleAtMs: nowMs + (options.delayMs ?? this.settings.DelaySeconds * 1_000),
      receiveCount: 0,
      firstReceivedAtMs: undefined,
      onReceived: options.onReceived,
    });
    this.#wakePolls();
    return id;
  }

  /** Receives messages; waits for the first one for at most `waitMs`, and only while the caller waits. */
  async receive(request: PollRequest): Promise<Reception[]> {
    const endMs = this.#clock.nowMs() + request.waitMs;
    for (;;) {
      if (request.signal?.aborted === true) return [];
      const received = this.#take(request);
      if (received.length > 0 || this.#clock.nowMs() >= endMs) return received;
      await this.#untilChange(endMs, request.signal);
    }
  }

  /**
   * Deletes the message of a handle. The handle of an earlier reception deletes nothing, and SQS does not report that; nor does
   * it for a message that is already deleted.
   * @returns the id of the deleted message
   */
  delete(receiptHandle: string): string | undefined {
    const { messageId, reception } = parseReceipt(this.name, receiptHandle);
    const message = this.#messages.get(messageId);
    if (message?.receiveCount !== reception || this.#random.chance(DELETE_MISSES)) return undefined;
    this.#messages.delete(messageId);
    return messageId;
  }

  /** Hides an in-flight message for this long from now; with 0 it can be received at once. */
  changeVisibility(receiptHandle: string, visibilityMs: number): void {
    const { messageId, reception } = parseReceipt(this.name, receiptHandle);
    const message = this.#retained().find(({ id }) => id === messageId);
    if (message === undefined) {
      const reason = 'Message does not exist or is not available for visibility timeout change.';
      throw invalidParameter('ReceiptHandle', receiptHandle, reason);
    }
    const nowMs = this.#clock.nowMs();
    if (message.visibleAtMs <= nowMs || message.receiveCount !== reception) {
      throw sqsRefusal('MessageNotInflight', `The message referred to by ${receiptHandle} is not in flight.`);
    }
    message.visibleAtMs = nowMs + visibilityMs;
    this.#wakePolls();
  }

  /** Deletes all messages at once, where SQS takes up to a minute. */
  purge(): void {
    const nowMs = this.#clock.nowMs();
    if (nowMs - this.#purgedAtMs < PURGE_PERIOD_MS) {
      throw sqsRefusal('PurgeQueueInProgress', `Only one PurgeQueue operation on ${this.name} is allowed every 60 seconds.`);
    }
    this.#purgedAtMs = nowMs;
    this.#messages.clear();
  }

  #take({ max, visibilityMs, waitMs, caller }: PollRequest): Reception[] {
    const nowMs = this.#clock.nowMs();
    const all = this.#retained();
    const visible = all.filter(({ visibleAtMs }) => visibleAtMs <= nowMs);
    if (all.length - visible.length >= MAX_IN_FLIGHT) throw sqsRefusal('OverLimit', 'Too many messages are in flight.');
    const met = waitMs === 0 ? visible.filter(() => !this.#random.chance(SHORT_POLL_MISSES)) : visible;
    return met
      .sort((a, b) => a.rank - b.rank)
      .slice(0, max)
      .map((message) => {
        message.receiveCount += 1;
        message.visibleAtMs = nowMs + visibilityMs;
        message.firstReceivedAtMs ??= nowMs;
        message.onReceived?.(caller);
        const receipt = { messageId: message.id, reception: message.receiveCount };
        return { message: { ...message }, receiptHandle: formatReceipt(this.name, receipt, this.#random.hex(64)) };
      });
  }

  /** Drops messages whose retention period is over. */
  #retained(): Message[] {
    const oldestMs = this.#clock.nowMs() - this.settings.MessageRetentionPeriod * 1_000;
    for (const { id, sentAtMs } of this.#messages.values()) {
      if (sentAtMs > oldestMs) break;
      this.#messages.delete(id);
    }
    return [...this.#messages.values()];
  }

  /** Waits until a message arrives or becomes visible again, the poll ends, or the caller stops waiting. */
  async #untilChange(endMs: number, signal: AbortSignal | undefined): Promise<void> {
    const nextMs = this.#retained().reduce((next, { visibleAtMs }) => Math.min(next, visibleAtMs), endMs);
    const poll = new AbortController();
    this.#polls.add(poll);
    const ends = signal === undefined ? poll.signal : AbortSignal.any([poll.signal, signal]);
    setMaxListeners(0, ends);
    try {
      await this.#clock.sleep(nextMs - this.#clock.nowMs(), ends);
    } catch (error) {
      if (!ends.aborted) throw error;
    } finally {
      this.#polls.delete(poll);
    }
  }

  #wakePolls(): void {
    for (const poll of [...this.#polls]) poll.abort(this);
  }
}
