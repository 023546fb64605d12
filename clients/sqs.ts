import { createHash } from 'node:crypto';
import { DeleteMessageBatchCommand, GetQueueUrlCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Message, ReceiveMessageResult } from '@aws-sdk/client-sqs';
import { JsonCodec2 } from '@smithy/core/protocols';
import { defined } from '../model/defined.ts';
import { InputCopier } from '../protocols/aws-call/input-copier.ts';
import { AWS_JSON_CONTENT_TYPE, TARGET_HEADER } from '../protocols/aws-json/codec.ts';
import type { Clock } from '../runtime/clock.ts';
import { asText } from '../wire/wire.ts';
import { DirectClient } from './aws-direct.ts';
import type { DirectService } from './aws-direct.ts';
import { failureOf, toServiceError } from './aws-errors.ts';
import { UNSIGNED, sdkConfig, withoutLog } from './aws-sdk.ts';
import type { AwsClientOptions, CallOptions, SdkOptions } from './aws-sdk.ts';
import { RETRY, StandardRetry } from './retry.ts';
import { SqsError } from './sqs-client.ts';
import type { ReceiveRequest, SqsClient, SqsMessage } from './sqs-client.ts';

/** How long one attempt may take: the longest poll plus the network. */
export const SQS_REQUEST_TIMEOUT_MS = 60_000;
/** Most entries of a batch. Source: "Amazon SQS message quotas". */
const MAX_BATCH = 10;

/** An SQS client over a wire: the SDK's with credentials. Without, a world in the same process gets its requests as they are. */
export function createSqsClient(options: AwsClientOptions): SqsClient {
  const { timeoutMs = SQS_REQUEST_TIMEOUT_MS } = options;
  const sdk = createSqsSdkClient({ ...options, timeoutMs });
  return sqsClientBy(options.credentials === undefined ? createDirectSqs({ ...options, timeoutMs }, sdk) : sdk, options);
}

/** The client whose calls this sender sends. */
export function sqsClientBy(sender: SqsSender, options: CallOptions): SqsClient {
  return new CommandsSqsClient(sender, options);
}

/** The SDK's own client over a wire. It sends everything to its endpoint, whatever host a queue's URL names. */
export function createSqsSdkClient(options: SdkOptions): SQSClient {
  const { region, credentials, endpoint = `https://sqs.${region}.amazonaws.com` } = options;
  return withoutLog(
    new SQSClient({
      ...sdkConfig(options),
      endpoint,
      useQueueUrlAsEndpoint: false,
      ...(credentials === undefined ? UNSIGNED : { credentials }),
    }),
  );
}

/** What sends the SDK's commands. */
export type SqsSender = Pick<SQSClient, 'send' | 'destroy'>;

/** Shared by all clients, as what it has compiled is the same. */
const COPIER = new InputCopier('json');

/** Sends the same commands without the SDK's client, which only lends its configuration. */
export function createDirectSqs(options: Omit<SdkOptions, 'credentials'>, { config }: SQSClient): SqsSender {
  const service = {
    name: 'sqs',
    copier: COPIER,
    headersOf: (action) => ({
      'content-type': AWS_JSON_CONTENT_TYPE,
      [TARGET_HEADER]: `AmazonSQS.${action}`,
      'x-amzn-query-mode': 'true',
    }),
    write: (_action, schema, input) => {
      const serializer = CODEC.createSerializer();
      serializer.write(schema, input);
      return asText(serializer.flush());
    },
    check: (action, output) => {
      if (action === 'ReceiveMessage') checkMessages(output);
    },
  } satisfies DirectService;
  const direct = new DirectClient({ ...options, service, config });
  // It can't be given the client's overloads, but sends every command.
  return direct as SqsSender;
}

/** As the SDK's JSON protocol configures it. */
const CODEC = new JsonCodec2({ timestampFormat: { useTrait: true, default: 7 }, jsonName: false });

/** As the SDK's `receiveMessageMiddleware` does. */
function checkMessages({ Messages = [] }: ReceiveMessageResult): void {
  const damaged = Messages.filter(({ Body = '', MD5OfBody }) => createHash('md5').update(Body).digest('hex') !== MD5OfBody);
  if (damaged.length === 0) return;
  throw new Error(`Invalid MD5 checksum on messages: ${damaged.map(({ MessageId }) => MessageId).join(', ')}`);
}

/** Calls by the SDK's commands. */
class CommandsSqsClient implements SqsClient {
  readonly #clock: Clock;
  readonly #retry: StandardRetry;
  readonly #sender: SqsSender;

  constructor(sender: SqsSender, { clock, random, maxAttempts = RETRY.maxAttempts }: CallOptions) {
    this.#clock = clock;
    this.#retry = new StandardRetry(clock, random.fork('sqs retries'), maxAttempts);
    this.#sender = sender;
  }

  async queueUrl(name: string): Promise<string> {
    const { QueueUrl } = await this.#call('GetQueueUrl', () => this.#sender.send(new GetQueueUrlCommand({ QueueName: name })));
    if (QueueUrl === undefined) throw new SqsError('UnreadableAnswer', 0, 'GetQueueUrl: no URL in the answer');
    return QueueUrl;
  }

  async receive({ queueUrl, max, waitSeconds, visibilitySeconds, signal }: ReceiveRequest): Promise<SqsMessage[]> {
    const command = (): ReceiveMessageCommand =>
      new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: max,
        WaitTimeSeconds: waitSeconds,
        MessageSystemAttributeNames: ['ApproximateReceiveCount'],
        ...defined({ VisibilityTimeout: visibilitySeconds }),
      });
    const options = signal === undefined ? {} : { abortSignal: signal };
    const { Messages = [] } = await this.#call('ReceiveMessage', () => this.#sender.send(command(), options), signal);
    return Messages.map(toMessage);
  }

  async deleteBatch(queueUrl: string, receiptHandles: readonly string[]): Promise<void> {
    const failed: string[] = [];
    for (let start = 0; start < receiptHandles.length; start += MAX_BATCH) {
      const entries = receiptHandles.slice(start, start + MAX_BATCH).map((handle, index) => ({ Id: String(index), ReceiptHandle: handle }));
      const { Failed = [] } = await this.#call('DeleteMessageBatch', () => {
        return this.#sender.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries: entries }));
      });
      failed.push(...Failed.map(({ Code = 'Unknown' }) => Code));
    }
    const [code] = failed;
    if (code === undefined) return;
    throw new SqsError(
      code,
      200,
      `${failed.length} of ${receiptHandles.length} messages could not be deleted: ${[...new Set(failed)].join(', ')}`,
    );
  }

  destroy(): void {
    this.#sender.destroy();
  }

  /** Each attempt is a call of its own: the clock may advance in the pauses between them. */
  async #call<T>(operation: string, attempt: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    try {
      const result = await this.#retry.run(
        () => this.#clock.call(`sqs: ${operation}`, attempt),
        (error) => (signal?.aborted === true ? undefined : failureOf(error)),
        signal,
      );
      signal?.throwIfAborted();
      return result;
    } catch (error) {
      signal?.throwIfAborted();
      throw toServiceError(error, (code, status, message) => new SqsError(code, status, message));
    }
  }
}

function toMessage({ MessageId = '', ReceiptHandle = '', Body = '', Attributes = {} }: Message): SqsMessage {
  return { id: MessageId, receiptHandle: ReceiptHandle, body: Body, receiveCount: Number(Attributes.ApproximateReceiveCount ?? 1) };
}
