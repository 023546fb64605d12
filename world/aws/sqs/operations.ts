import { z } from 'zod';
import { checkAttributeNames } from './attributes.ts';
import { changeMessageVisibility, changeMessageVisibilityBatch, deleteMessage, deleteMessageBatch } from './deleting.ts';
import { invalidParameter, invalidParameterValue, missingParameter } from './errors.ts';
import { changing, operation, reading } from './operation.ts';
import type { SqsOperation } from './operation.ts';
import type { Queue } from './queue.ts';
import { queueArn } from './queues.ts';
import { receiveMessage } from './receiving.ts';
import { sendMessage, sendMessageBatch } from './sending.ts';

/** Maximum queues in one answer. Source: ListQueues in the API reference. */
const MAX_QUEUES = 1_000;

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

const listQueues = operation(
  z.object({
    QueueNamePrefix: z.string().default(''),
    MaxResults: z.number().int().optional(),
    NextToken: z.string().optional(),
  }),
  ({ queues }, { QueueNamePrefix: prefix, MaxResults: max, NextToken: token }) => {
    if (max !== undefined && (max < 1 || max > MAX_QUEUES)) {
      throw invalidParameter('MaxResults', max, `MaxResults must be an integer between 1 and ${MAX_QUEUES}.`);
    }
    if (token !== undefined && max === undefined) throw missingParameter('MaxResults');
    const after = token === undefined ? '' : readToken(token);
    const found = queues.list().filter(({ name }) => name.startsWith(prefix) && name > after);
    const page = found.slice(0, max ?? MAX_QUEUES);
    const last = page.at(-1);
    return reading({
      ...(page.length === 0 ? {} : { QueueUrls: page.map(({ url }) => url) }),
      // Without MaxResults there is only one page. Source: ListQueues in the API reference.
      ...(max === undefined || last === undefined || page.length === found.length ? {} : { NextToken: writeToken(last.name) }),
    });
  },
);

const TOKEN_PREFIX = 'after:';

function writeToken(name: string): string {
  return Buffer.from(`${TOKEN_PREFIX}${name}`).toString('base64');
}

/** The name of the last queue on the page before. @throws JsonRefusal for a token that is none */
function readToken(token: string): string {
  const text = Buffer.from(token, 'base64').toString();
  if (!text.startsWith(TOKEN_PREFIX)) throw invalidParameter('NextToken', token, 'Invalid pagination token.');
  return text.slice(TOKEN_PREFIX.length);
}

const getQueueAttributes = operation(
  z.object({ QueueUrl: z.string().default(''), AttributeNames: z.array(z.string()).default([]) }),
  ({ queues }, { QueueUrl, AttributeNames }) => {
    const all = attributesOf(queues.region, queues.byUrl(QueueUrl));
    checkAttributeNames(AttributeNames);
    const asked = Object.entries(all).filter(([name]) => AttributeNames.includes('All') || AttributeNames.includes(name));
    return reading(asked.length === 0 ? {} : { Attributes: Object.fromEntries(asked) });
  },
);

function attributesOf(region: string, queue: Queue): Readonly<Record<string, string>> {
  const { visible, notVisible, delayed } = queue.counts;
  return {
    QueueArn: queueArn(region, queue),
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesNotVisible: String(notVisible),
    ApproximateNumberOfMessagesDelayed: String(delayed),
    CreatedTimestamp: secondsOf(queue.createdAtMs),
    LastModifiedTimestamp: secondsOf(queue.modifiedAtMs),
    ...Object.fromEntries(Object.entries(queue.settings).map(([name, value]) => [name, String(value)])),
    ...Object.fromEntries(Object.entries(queue.attributes.texts).filter(([, value]) => value !== '')),
  };
}

function secondsOf(ms: number): string {
  return String(Math.floor(ms / 1_000));
}

const setQueueAttributes = operation(
  z.object({ QueueUrl: z.string().default(''), Attributes: z.record(z.string(), z.string()).default({}) }),
  ({ queues }, { QueueUrl, Attributes }) => {
    const queue = queues.byUrl(QueueUrl);
    if (Object.keys(Attributes).length === 0) throw missingParameter('Attribute.Name');
    queue.setAttributes(Attributes);
    return changing({}, [queue.name]);
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
  ChangeMessageVisibilityBatch: changeMessageVisibilityBatch,
  CreateQueue: createQueue,
  DeleteMessage: deleteMessage,
  DeleteMessageBatch: deleteMessageBatch,
  GetQueueAttributes: getQueueAttributes,
  GetQueueUrl: getQueueUrl,
  ListQueues: listQueues,
  PurgeQueue: purgeQueue,
  ReceiveMessage: receiveMessage,
  SendMessage: sendMessage,
  SendMessageBatch: sendMessageBatch,
  SetQueueAttributes: setQueueAttributes,
};
