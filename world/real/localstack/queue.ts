import { CreateQueueCommand, DeleteQueueCommand, ListQueuesCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import type { SqsCommands } from '../../../clients/aws-commands.ts';
import type { Caller } from '../../../wire/backend.ts';
import type { MessageSink } from '../../aws/event-bus.ts';
import { RETENTION_S } from '../../aws/interruptions.ts';
import { LocalStackError } from './endpoint.ts';

/** A message as received. */
export interface ReceivedMessage {
  readonly MessageId?: string;
  readonly ReceiptHandle?: string;
  readonly Body?: string;
}

/**
 * The URL of a queue of any account, as in SQS. LocalStack reads account and name from a queue's URL, whatever its host.
 */
export function queueUrlOf(region: string, account: string, name: string): string {
  return `https://sqs.${region}.amazonaws.com/${account}/${name}`;
}

/** A queue in LocalStack, with listeners for receptions of its messages. */
export class LocalStackQueue implements MessageSink {
  readonly url: string;
  readonly #name: string;
  readonly #sqs: SqsCommands;
  readonly #onFailure: (error: Error) => void;
  /**
   * By body, since a message can be received before its sender learns its id. Events have unique ids: only copies of one have
   * the same body. Bounded by the events of a trial.
   */
  readonly #listeners = new Map<string, (caller: Caller) => void>();
  /** Ids of received messages, by receipt handle. */
  readonly #received = new Map<string, string>();
  #isMade = false;

  /** @param parts.onFailure called when a message can't be sent */
  constructor(parts: { sqs: SqsCommands; region: string; account: string; name: string; onFailure: (error: Error) => void }) {
    this.#sqs = parts.sqs;
    this.#name = parts.name;
    this.#onFailure = parts.onFailure;
    this.url = queueUrlOf(parts.region, parts.account, parts.name);
  }

  /** Creates the queue. @throws LocalStackError when the account already has queues: it is not new */
  async start(): Promise<void> {
    const { QueueUrls = [] } = await this.#sqs.send(new ListQueuesCommand({}));
    if (QueueUrls.length > 0)
      throw new LocalStackError(`the account of ${this.url} is not new: it has ${QueueUrls.join(', ')}. Run again.`);
    const Attributes = { MessageRetentionPeriod: String(RETENTION_S) };
    await this.#sqs.send(new CreateQueueCommand({ QueueName: this.#name, Attributes }));
    this.#isMade = true;
  }

  async stop(): Promise<void> {
    if (!this.#isMade) return;
    this.#isMade = false;
    await this.#sqs.send(new DeleteQueueCommand({ QueueUrl: this.url }));
  }

  send(body: string, { onReceived }: Parameters<MessageSink['send']>[1] = {}): void {
    if (onReceived !== undefined) this.#listeners.set(body, onReceived);
    void this.#send(body);
  }

  /** Records what a caller has received. */
  receive(messages: readonly ReceivedMessage[], caller: Caller): void {
    for (const { MessageId = '', ReceiptHandle, Body = '' } of messages) {
      if (ReceiptHandle !== undefined) this.#received.set(ReceiptHandle, MessageId);
      this.#listeners.get(Body)?.(caller);
    }
  }

  /** Records that the message of a handle is deleted. @returns its id, if its reception was seen */
  forget(receiptHandle: string): string | undefined {
    const id = this.#received.get(receiptHandle);
    this.#received.delete(receiptHandle);
    return id;
  }

  async #send(body: string): Promise<void> {
    try {
      await this.#sqs.send(new SendMessageCommand({ QueueUrl: this.url, MessageBody: body }));
    } catch (error) {
      this.#onFailure(
        new LocalStackError(
          `LocalStack did not accept a message for ${this.url}: ${error instanceof Error ? error.message : String(error)}`,
        ),
      );
    }
  }
}
