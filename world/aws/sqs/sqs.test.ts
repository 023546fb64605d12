import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListQueuesCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
} from '@aws-sdk/client-sqs';
import type { Message, ReceiveMessageCommandInput, SQSClient } from '@aws-sdk/client-sqs';
import { expect, test } from '@playwright/test';
import { readText } from '../../../wire/wire.ts';
import { START_MS, refusal, withSqs } from './testing/sqs.ts';

const QueueUrl = 'https://sqs.us-east-1.amazonaws.com/123456789012/workers';

async function receive(send: SQSClient['send'], input: Partial<ReceiveMessageCommandInput> = {}): Promise<Message[]> {
  const { Messages = [] } = await send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1, ...input }));
  return Messages;
}

const handleOf = ([message]: readonly Message[]): string => message?.ReceiptHandle ?? '';
const bodiesOf = (messages: readonly Message[]): (string | undefined)[] => messages.map(({ Body }) => Body).sort();

test('a message is hidden once received, comes again, and is gone once deleted', async () => {
  await withSqs(async ({ send, clock, answers }) => {
    const sent = await send(new SendMessageCommand({ QueueUrl, MessageBody: 'hello' }));
    const first = await receive(send, { MessageSystemAttributeNames: ['All'] });
    expect(first).toMatchObject([
      {
        MessageId: sent.MessageId,
        Body: 'hello',
        MD5OfBody: sent.MD5OfMessageBody,
        Attributes: {
          ApproximateReceiveCount: '1',
          SentTimestamp: String(START_MS),
          ApproximateFirstReceiveTimestamp: String(START_MS),
        },
      },
    ]);
    expect(answers.at(-1)?.effect).toEqual({ kind: 'none' });
    expect(await receive(send)).toEqual([]);
    await clock.sleep(30_000);
    const again = await receive(send, { MessageSystemAttributeNames: ['ApproximateReceiveCount'] });
    expect(again[0]?.Attributes).toEqual({ ApproximateReceiveCount: '2' });
    expect(handleOf(again)).not.toBe(handleOf(first));

    // The handle of an earlier reception deletes nothing, without an error.
    await send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: handleOf(first) }));
    expect(answers.at(-1)?.effect).toEqual({ kind: 'none' });
    await send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: handleOf(again) }));
    expect(answers.at(-1)?.effect).toEqual({ kind: 'applied', ids: [sent.MessageId] });
    await send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: handleOf(again) }));
    await clock.sleep(60_000);
    expect(await receive(send)).toEqual([]);
  });
});

for (const { name, sentAfterMs, waitS, endsAfterMs, received } of [
  { name: 'ends with the first message', sentAfterMs: 7_000, waitS: 20, endsAfterMs: 7_000, received: ['late'] },
  { name: 'ends empty when its time is over', sentAfterMs: 30_000, waitS: 20, endsAfterMs: 20_000, received: [] },
  { name: 'is short without a wait', sentAfterMs: 1, waitS: 0, endsAfterMs: 0, received: [] },
]) {
  test(`a poll ${name}`, async () => {
    await withSqs(async ({ send, clock, queues }) => {
      const polled = receive(send, { WaitTimeSeconds: waitS }).then((messages) => ({ messages, atMs: clock.nowMs() }));
      await clock.sleep(sentAfterMs);
      queues.byName('workers').send('late');
      const { messages, atMs } = await polled;
      expect(bodiesOf(messages)).toEqual(received);
      expect(atMs - START_MS).toBe(endsAfterMs);
    });
  });
}

test('a poll wakes for a message that becomes visible, and one message goes to one of two polls', async () => {
  await withSqs(async ({ send, clock, queues }) => {
    queues.byName('workers').send('hidden', { delayMs: 5_000 });
    const polls = [1, 2].map(() => receive(send, { WaitTimeSeconds: 10, VisibilityTimeout: 60 }));
    const received = await Promise.all(polls);
    expect(received.flat()).toHaveLength(1);
    expect(clock.nowMs() - START_MS).toBe(10_000);
  });
});

test('an abandoned poll takes nothing', async () => {
  await withSqs(async ({ send, clock, queues }) => {
    const giving = new AbortController();
    const polled = send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }), { abortSignal: giving.signal });
    await clock.sleep(1_000);
    giving.abort();
    expect((await polled).Messages).toBeUndefined();
    queues.byName('workers').send('kept');
    expect(queues.byName('workers').counts).toEqual({ visible: 1, notVisible: 0, delayed: 0 });
  });
});

test('visibility can be changed while a message is in flight', async () => {
  await withSqs(async ({ send, clock, queues }) => {
    queues.byName('workers').send('hello');
    const ReceiptHandle = handleOf(await receive(send));
    const change = (VisibilityTimeout: number): Promise<unknown> =>
      send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }));
    await change(100);
    await clock.sleep(50_000);
    expect(await receive(send)).toEqual([]);
    await change(0);
    expect(await refusal(change(10))).toBe('400 MessageNotInflight');
    const again = await receive(send);
    expect(bodiesOf(again)).toEqual(['hello']);
    await send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: handleOf(again) }));
    expect(await refusal(change(10))).toMatch(/^400 InvalidParameterValue/);
  });
});

test('a message is forgotten when its retention is over', async () => {
  await withSqs(async ({ send, clock, queues }) => {
    const { url } = queues.create('short', { MessageRetentionPeriod: '60' });
    queues.byName('short').send('old');
    await clock.sleep(60_000);
    expect(await receive(send, { QueueUrl: url })).toEqual([]);
  });
});

test('a batch of deletes succeeds and fails entry by entry', async () => {
  await withSqs(async ({ send, queues, answers }) => {
    for (const body of ['a', 'b']) queues.byName('workers').send(body);
    const received = await receive(send);
    const entries = [...received.map(({ ReceiptHandle }) => ReceiptHandle ?? ''), 'nonsense'];
    const Entries = entries.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle }));
    const { Successful, Failed } = await send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
    expect(Successful).toEqual([{ Id: '0' }, { Id: '1' }]);
    expect(Failed).toMatchObject([{ Id: '2', SenderFault: true, Code: 'ReceiptHandleIsInvalid' }]);
    expect(answers.at(-1)?.effect).toEqual({ kind: 'applied', ids: received.map(({ MessageId }) => MessageId) });
  });
});

test('a batch of messages succeeds and fails entry by entry', async () => {
  await withSqs(async ({ send, queues, answers }) => {
    const Entries = [
      { Id: 'good', MessageBody: 'a' },
      { Id: 'bad', MessageBody: '\u0001' },
      { Id: 'late', MessageBody: 'b', DelaySeconds: 900 },
    ];
    const { Successful = [], Failed } = await send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    expect(Successful.map(({ Id }) => Id)).toEqual(['good', 'late']);
    expect(Failed).toMatchObject([{ Id: 'bad', SenderFault: true, Code: 'InvalidMessageContents' }]);
    expect(answers.at(-1)?.effect).toEqual({ kind: 'applied', ids: Successful.map(({ MessageId }) => MessageId) });
    expect(queues.byName('workers').counts).toEqual({ visible: 1, notVisible: 0, delayed: 1 });
  });
});

test('a batch of visibilities succeeds and fails entry by entry', async () => {
  await withSqs(async ({ send, queues }) => {
    queues.byName('workers').send('hello');
    const ReceiptHandle = handleOf(await receive(send));
    const Entries = [
      { Id: 'good', ReceiptHandle, VisibilityTimeout: 0 },
      { Id: 'long', ReceiptHandle, VisibilityTimeout: 43_201 },
    ];
    const { Successful, Failed } = await send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
    expect([Successful, Failed]).toMatchObject([[{ Id: 'good' }], [{ Id: 'long', Code: 'InvalidParameterValue' }]]);
    expect(bodiesOf(await receive(send))).toEqual(['hello']);
  });
});

test('attributes of a message arrive as they were sent, if they are asked for', async () => {
  await withSqs(async ({ send }) => {
    const MessageAttributes = {
      'team.name': { DataType: 'String', StringValue: 'a' },
      'team.size': { DataType: 'Number.int', StringValue: '3' },
      bytes: { DataType: 'Binary', BinaryValue: Uint8Array.of(0, 255) },
    };
    const MessageSystemAttributes = { AWSTraceHeader: { DataType: 'String', StringValue: 'Root=1' } };
    const sent = await send(new SendMessageCommand({ QueueUrl, MessageBody: 'x', MessageAttributes, MessageSystemAttributes }));
    // The digest that moto computes for these, too.
    expect(sent.MD5OfMessageAttributes).toBe('cb96602a3dd4ffa742bee982463a5201');
    expect(sent.MD5OfMessageSystemAttributes).toMatch(/^[0-9a-f]{32}$/);
    const received = async (MessageAttributeNames: string[]): Promise<Message | undefined> => {
      return (await receive(send, { MessageAttributeNames, VisibilityTimeout: 0, MessageSystemAttributeNames: ['AWSTraceHeader'] }))[0];
    };
    expect(await received(['All'])).toMatchObject({
      MessageAttributes,
      MD5OfMessageAttributes: sent.MD5OfMessageAttributes,
      Attributes: { AWSTraceHeader: 'Root=1' },
    });
    expect(Object.keys((await received(['team.*']))?.MessageAttributes ?? {})).toEqual(['team.name', 'team.size']);
    expect((await received(['none']))?.MD5OfMessageAttributes).toBeUndefined();
  });
});

test('attributes of a queue are set, and count for what follows', async () => {
  await withSqs(async ({ send, clock, queues }) => {
    const set = (Attributes: Record<string, string>): Promise<unknown> => send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
    const all = async (): Promise<Partial<Record<string, string>>> =>
      (await send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }))).Attributes ?? {};
    expect(await all()).toMatchObject({ VisibilityTimeout: '30', SqsManagedSseEnabled: 'true' });
    expect(await all()).not.toHaveProperty('Policy');
    await clock.sleep(5_000);
    await set({ VisibilityTimeout: '5', Policy: '{"Version":"2012-10-17"}' });
    const after = await all();
    expect(after).toMatchObject({ VisibilityTimeout: '5', Policy: '{"Version":"2012-10-17"}' });
    expect(Number(after['LastModifiedTimestamp']) - Number(after['CreatedTimestamp'])).toBe(5);
    queues.byName('workers').send('hello');
    expect(bodiesOf(await receive(send))).toEqual(['hello']);
    await clock.sleep(5_000);
    expect(bodiesOf(await receive(send))).toEqual(['hello']);
    await set({ Policy: '', KmsMasterKeyId: 'alias/mine' });
    expect(await all()).toMatchObject({ KmsMasterKeyId: 'alias/mine', SqsManagedSseEnabled: 'false' });
    expect(await all()).not.toHaveProperty('Policy');
  });
});

test('queues are listed page by page', async () => {
  await withSqs(async ({ send, queues }) => {
    for (const name of ['a', 'b']) queues.create(name);
    const first = await send(new ListQueuesCommand({ MaxResults: 2 }));
    const rest = await send(new ListQueuesCommand({ MaxResults: 2, NextToken: first.NextToken }));
    const names = [first, rest].map(({ QueueUrls = [] }) => QueueUrls.map((url) => url.split('/').at(-1)));
    expect([names, rest.NextToken]).toEqual([[['a', 'b'], ['workers']], undefined]);
    expect((await send(new ListQueuesCommand({}))).NextToken).toBeUndefined();
  });
});

test('queues are created, found, listed and described', async () => {
  await withSqs(async ({ send, queues, clock }) => {
    const made = await send(new CreateQueueCommand({ QueueName: 'other', Attributes: { VisibilityTimeout: '5' } }));
    expect((await send(new GetQueueUrlCommand({ QueueName: 'other' }))).QueueUrl).toBe(made.QueueUrl);
    expect((await send(new ListQueuesCommand({}))).QueueUrls).toEqual([made.QueueUrl, QueueUrl]);
    expect((await send(new ListQueuesCommand({ QueueNamePrefix: 'work' }))).QueueUrls).toEqual([QueueUrl]);
    for (const body of ['a', 'b', 'c']) queues.byName('other').send(body);
    await receive(send, { QueueUrl: made.QueueUrl, MaxNumberOfMessages: 1 });
    const { Attributes } = await send(new GetQueueAttributesCommand({ QueueUrl: made.QueueUrl, AttributeNames: ['All'] }));
    expect(Attributes).toMatchObject({
      QueueArn: 'arn:aws:sqs:us-east-1:123456789012:other',
      VisibilityTimeout: '5',
      MessageRetentionPeriod: '345600',
      ApproximateNumberOfMessages: '2',
      ApproximateNumberOfMessagesNotVisible: '1',
    });
    await send(new PurgeQueueCommand({ QueueUrl: made.QueueUrl }));
    expect(queues.byName('other').counts).toEqual({ visible: 0, notVisible: 0, delayed: 0 });
    expect(await refusal(send(new PurgeQueueCommand({ QueueUrl: made.QueueUrl })))).toBe('403 PurgeQueueInProgress');
    await clock.sleep(60_000);
    await send(new PurgeQueueCommand({ QueueUrl: made.QueueUrl }));
  });
});

const MANY = Array.from({ length: 11 }, (_, index) => ({ Id: String(index), ReceiptHandle: 'r' }));
type Send = SQSClient['send'];
const REFUSALS: readonly { name: string; ask: (send: Send) => Promise<unknown>; refused: string }[] = [
  { name: 'no such queue', ask: (send) => send(new GetQueueUrlCommand({ QueueName: 'none' })), refused: '400 QueueDoesNotExist' },
  {
    name: 'the URL of an unknown queue',
    ask: (send) => send(new ReceiveMessageCommand({ QueueUrl: 'https://x/1/workers' })),
    refused: '400 QueueDoesNotExist',
  },
  {
    name: 'too many',
    ask: (send) => send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 11 })),
    refused: '400 InvalidParameterValue',
  },
  {
    name: 'too long a wait',
    ask: (send) => send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 21 })),
    refused: '400 InvalidParameterValue',
  },
  {
    name: 'too long hidden',
    ask: (send) => send(new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout: 43_201 })),
    refused: '400 InvalidParameterValue',
  },
  {
    name: 'an unknown handle',
    ask: (send) => send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: 'r' })),
    refused: '404 ReceiptHandleIsInvalid',
  },
  {
    name: 'an empty batch',
    ask: (send) => send(new DeleteMessageBatchCommand({ QueueUrl, Entries: [] })),
    refused: '400 EmptyBatchRequest',
  },
  {
    name: 'a batch too long',
    ask: (send) => send(new DeleteMessageBatchCommand({ QueueUrl, Entries: MANY })),
    refused: '400 TooManyEntriesInBatchRequest',
  },
  {
    name: 'a duplicate entry',
    ask: (send) => send(new DeleteMessageBatchCommand({ QueueUrl, Entries: [MANY[0], MANY[0]].flatMap((entry) => entry ?? []) })),
    refused: '400 BatchEntryIdsNotDistinct',
  },
  { name: 'an empty message', ask: (send) => send(new SendMessageCommand({ QueueUrl, MessageBody: '' })), refused: '400 MissingParameter' },
  {
    name: 'a control character',
    ask: (send) => send(new SendMessageCommand({ QueueUrl, MessageBody: '\u0001' })),
    refused: '400 InvalidMessageContents',
  },
  {
    name: 'a batch of messages that is too long',
    ask: (send) =>
      send(new SendMessageBatchCommand({ QueueUrl, Entries: ['a', 'b'].map((Id) => ({ Id, MessageBody: 'x'.repeat(600_000) })) })),
    refused: '400 BatchRequestTooLong',
  },
  {
    name: 'a bad id of an entry',
    ask: (send) => send(new SendMessageBatchCommand({ QueueUrl, Entries: [{ Id: 'a b', MessageBody: 'x' }] })),
    refused: '400 InvalidBatchEntryId',
  },
  ...[
    ['an attribute of an unknown type', { DataType: 'Colour', StringValue: 'red' }],
    ['an attribute without a value', { DataType: 'String', StringValue: '' }],
    ['a number that is none', { DataType: 'Number', StringValue: 'x' }],
  ].map(([name, attribute]) => ({
    name: name as string,
    ask: (send: Send) => send(new SendMessageCommand({ QueueUrl, MessageBody: 'x', MessageAttributes: { a: attribute as never } })),
    refused: '400 InvalidParameterValue',
  })),
  {
    name: 'a dead-letter queue',
    ask: (send) => send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { RedrivePolicy: '{}' } })),
    refused: '400 UnsupportedOperation',
  },
  {
    name: 'an attribute that only SQS sets',
    ask: (send) => send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { QueueArn: 'x' } })),
    refused: '400 InvalidAttributeName',
  },
  {
    name: 'an unknown attribute name',
    ask: (send) => send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['FifoQueue'] })),
    refused: '400 InvalidAttributeName',
  },
  {
    name: 'an existing queue with other attributes',
    ask: (send) => send(new CreateQueueCommand({ QueueName: 'workers', Attributes: { DelaySeconds: '1' } })),
    refused: '400 QueueNameExists',
  },
  { name: 'a bad name', ask: (send) => send(new CreateQueueCommand({ QueueName: 'a b' })), refused: '400 InvalidParameterValue' },
  {
    name: 'an unknown attribute',
    ask: (send) => send(new CreateQueueCommand({ QueueName: 'new', Attributes: { Colour: 'red' } as never })),
    refused: '400 InvalidAttributeName',
  },
  {
    name: 'a bad attribute',
    ask: (send) => send(new CreateQueueCommand({ QueueName: 'new', Attributes: { DelaySeconds: '901' } })),
    refused: '400 InvalidAttributeValue',
  },
];

for (const { name, ask, refused } of REFUSALS) {
  test(`refuses ${name}: ${refused}`, async () => {
    await withSqs(async ({ send }) => {
      expect(await refusal(ask(send))).toContain(refused);
    });
  });
}

for (const { name, headers, body, type } of [
  { name: 'no JSON', headers: { 'x-amz-target': 'AmazonSQS.ListQueues' }, body: '{', type: 'SerializationException' },
  { name: 'a list', headers: { 'x-amz-target': 'AmazonSQS.ListQueues' }, body: '[]', type: 'SerializationException' },
  {
    name: 'a string instead of a number',
    headers: { 'x-amz-target': 'AmazonSQS.ReceiveMessage' },
    body: '{"MaxNumberOfMessages":"1"}',
    type: 'SerializationException',
  },
  { name: 'an unknown operation', headers: { 'x-amz-target': 'AmazonSQS.Nothing' }, body: '{}', type: 'UnknownOperationException' },
  { name: 'no operation', headers: {}, body: '{}', type: 'UnknownOperationException' },
]) {
  test(`refuses ${name}: ${type}`, async () => {
    await withSqs(async ({ raw }) => {
      const answer = await raw({ headers, body });
      expect(answer.status).toBe(400);
      expect(JSON.parse(await readText(answer.body))).toMatchObject({ __type: `com.amazon.coral.service#${type}` });
      expect(answer.headers['x-amzn-query-error']).toMatch(/;Sender$/);
    });
  });
}

test('delivers almost in the order of sending, identically for the same seed', async () => {
  const order = async (seed: number): Promise<string> => {
    const bodies: string[] = [];
    await withSqs(async ({ send, queues, clock }) => {
      for (let index = 0; index < 8; index += 1) queues.byName('workers').send(String(index));
      await clock.sleep(1_001);
      queues.byName('workers').send('last');
      bodies.push(...(await receive(send)).map(({ Body = '' }) => Body));
    }, seed);
    return bodies.join(' ');
  };
  const orders = await Promise.all([1, 2, 3].map(order));
  expect(orders.every((one) => one.endsWith(' last'))).toBe(true);
  expect(new Set(orders).size).toBe(3);
  expect(await order(1)).toBe(orders[0]);
});
