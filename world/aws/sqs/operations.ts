import { z } from 'zod';
import { changeMessageVisibility, deleteMessage, deleteMessageBatch } from './deleting.ts';
import { invalidParameter, invalidParameterValue, missingParameter, sqsRefusal } from './errors.ts';
import { changing, operation, reading } from './operation.ts';
import type { SqsOperation } from './operation.ts';
import type { Queue } from './queue.ts';
import { queueArn } from './queues.ts';
import { md5Of, receiveMessage } from './receiving.ts';

const MAX_DELAY_S = 900;
/** Maximum queues in one answer. Source: ListQueues in the API reference. */
const MAX_QUEUES = 1_000;
/** Source: SendMessage in the API reference: characters that XML 1.0 does not allow. */
const INVALID_CHARACTERS = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;

const createQueue = operation(
  z.object({ QueueName: z.string().default(''), Attributes: z.record(z.string(), z.string()).default({}) }),
  ({ queues }, { QueueName, Attributes }) => {
    const before = queues.list().length;
    const { url } = queues.create(QueueName, Attributes);
    return changing({ QueueUrl: url }, queues.list().length === before ? [] : [url]);
  },
);

const getQueueUrl = operation(z.object({ QueueName: z.string().default('') }), ({ queues }, { QueueName }) => {
  if (QueueName === '') throw invalidParameterValue('Value for parameter QueueName is invalid. Reason: Must specify a queue name.');
  return reading({ QueueUrl: queues.byName(QueueName).url });
});

/** One page: no world has more queues. */
const listQueues = operation(z.object({ QueueNamePrefix: z.string().default('') }), ({ queues }, { QueueNamePrefix }) => {
  const urls = queues.list().flatMap(({ name, url }) => (name.startsWith(QueueNamePrefix) ? [url] : []));
  return reading(urls.length === 0 ? {} : { QueueUrls: urls.slice(0, MAX_QUEUES) });
});

const getQueueAttributes = operation(
  z.object({ QueueUrl: z.string().default(''), AttributeNames: z.array(z.string()).default([]) }),
  ({ queues }, { QueueUrl, AttributeNames }) => {
    const all = attributesOf(queues.region, queues.byUrl(QueueUrl));
    const unknown = AttributeNames.find((name) => name !== 'All' && !Object.hasOwn(all, name));
    if (unknown !== undefined) throw sqsRefusal('InvalidAttributeName', `Unknown Attribute ${unknown}.`);
    const asked = Object.entries(all).filter(([name]) => AttributeNames.includes('All') || AttributeNames.includes(name));
    return reading(asked.length === 0 ? {} : { Attributes: Object.fromEntries(asked) });
  },
);

function attributesOf(region: string, queue: Queue): Readonly<Record<string, string>> {
  const { visible, notVisible, delayed } = queue.counts;
  const createdAtS = String(Math.floor(queue.createdAtMs / 1_000));
  return {
    QueueArn: queueArn(region, queue),
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesNotVisible: String(notVisible),
    ApproximateNumberOfMessagesDelayed: String(delayed),
    CreatedTimestamp: createdAtS,
    LastModifiedTimestamp: createdAtS,
    ...Object.fromEntries(Object.entries(queue.settings).map(([name, value]) => [name, String(value)])),
    SqsManagedSseEnabled: 'true',
  };
}

/** Without message attributes: no message of an autoscaler has any. */
const sendMessage = operation(
  z.object({
    QueueUrl: z.string().default(''),
    MessageBody: z.string().optional(),
    DelaySeconds: z.number().int().optional(),
    MessageAttributes: z.record(z.string(), z.unknown()).default({}),
  }),
  ({ queues }, input) => {
    const queue = queues.byUrl(input.QueueUrl);
    const { MessageBody: body = '', DelaySeconds: delayS = queue.settings.DelaySeconds } = input;
    if (body === '') throw missingParameter('MessageBody');
    if (delayS < 0 || delayS > MAX_DELAY_S) throw invalidParameter('DelaySeconds', delayS, 'DelaySeconds must be >= 0 and <= 900.');
    const maxBytes = queue.settings.MaximumMessageSize;
    if (Buffer.byteLength(body) > maxBytes) {
      throw invalidParameterValue(`One or more parameters are invalid. Reason: Message must be shorter than ${maxBytes} bytes.`);
    }
    if (INVALID_CHARACTERS.test(body)) throw sqsRefusal('InvalidMessageContents', 'Invalid characters found in the message body.');
    if (Object.keys(input.MessageAttributes).length > 0) {
      throw sqsRefusal('UnsupportedOperation', 'This world emulates no message attributes.');
    }
    const id = queue.send(body, { delayMs: delayS * 1_000 });
    return changing({ MessageId: id, MD5OfMessageBody: md5Of(body) }, [id]);
  },
);

const purgeQueue = operation(z.object({ QueueUrl: z.string().default('') }), ({ queues }, { QueueUrl }) => {
  const queue = queues.byUrl(QueueUrl);
  queue.purge();
  return changing({}, [queue.name]);
});

/** By their names in requests. */
export const SQS_OPERATIONS: Readonly<Record<string, SqsOperation>> = {
  ChangeMessageVisibility: changeMessageVisibility,
  CreateQueue: createQueue,
  DeleteMessage: deleteMessage,
  DeleteMessageBatch: deleteMessageBatch,
  GetQueueAttributes: getQueueAttributes,
  GetQueueUrl: getQueueUrl,
  ListQueues: listQueues,
  PurgeQueue: purgeQueue,
  ReceiveMessage: receiveMessage,
  SendMessage: sendMessage,
};
