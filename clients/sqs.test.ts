import { expect, test } from '@playwright/test';
import type { Clock } from '../runtime/clock.ts';
import { createRandom } from '../runtime/random.ts';
import { createVirtualTimeline } from '../runtime/timeline.ts';
import { WireError } from '../wire/wire.ts';
import type { Wire, WireRequest, WireResponse } from '../wire/wire.ts';
import { SqsError } from './sqs-client.ts';
import type { SqsClient } from './sqs-client.ts';
import { createSqsClient } from './sqs.ts';
import type { AwsClientOptions } from './aws-sdk.ts';

const QUEUE = 'https://sqs.us-west-2.amazonaws.com/123456789012/workers';

interface Site {
  readonly client: SqsClient;
  readonly clock: Clock;
  readonly seen: { readonly atMs: number; readonly request: WireRequest; readonly input: Readonly<Record<string, unknown>> }[];
}

/** Runs a body with a client whose requests are all answered by `answer`, 10 ms later. */
async function simulate(
  answer: (request: WireRequest, nth: number) => WireResponse | Promise<WireResponse>,
  body: (site: Site) => Promise<void>,
  options: Partial<AwsClientOptions> = {},
): Promise<void> {
  const random = createRandom(1);
  const timeline = createVirtualTimeline({ startMs: 0, random: random.fork('timers') });
  const clock = timeline.scope('target');
  const world = timeline.scope('world');
  const seen: Site['seen'] = [];
  const wire: Wire = async (request) => {
    seen.push({ atMs: clock.nowMs(), request, input: JSON.parse(String(request.body)) as Record<string, unknown> });
    const nth = seen.length;
    await world.sleep(10);
    return answer(request, nth);
  };
  const client = createSqsClient({ wire, clock, random, region: 'us-west-2', ...options });
  await timeline.run(body({ client, clock, seen }));
  client.destroy();
}

function json(body: object, status = 200, headers: Record<string, string> = {}): WireResponse {
  return { status, headers: { 'content-type': 'application/x-amz-json-1.0', ...headers }, body: JSON.stringify(body) };
}

function refusal(type: string, queryCode: string, status: number): WireResponse {
  return json({ __type: type, message: `no: ${queryCode}` }, status, { 'x-amzn-query-error': `${queryCode};Sender` });
}

const MESSAGE = { MessageId: 'm-1', ReceiptHandle: 'r-1', Body: 'hello', MD5OfBody: '5d41402abc4b2a76b9719d911017c592' };

test('receives by the JSON protocol', async () => {
  await simulate(
    () => json({ Messages: [{ ...MESSAGE, Attributes: { ApproximateReceiveCount: '2' } }] }),
    async ({ client, seen }) => {
      const messages = await client.receive({ queueUrl: QUEUE, max: 10, waitSeconds: 20, visibilitySeconds: 30 });
      expect(messages).toEqual([{ id: 'm-1', receiptHandle: 'r-1', body: 'hello', receiveCount: 2 }]);
      expect(seen[0]?.request).toMatchObject({
        method: 'POST',
        path: '/',
        headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'AmazonSQS.ReceiveMessage' },
      });
      expect(seen[0]?.request.headers['authorization']).toBeUndefined();
      expect(seen[0]?.input).toEqual({
        QueueUrl: QUEUE,
        MaxNumberOfMessages: 10,
        WaitTimeSeconds: 20,
        VisibilityTimeout: 30,
        MessageSystemAttributeNames: ['ApproximateReceiveCount'],
      });
    },
  );
});

test('deletes in batches of ten, and reports what could not be deleted', async () => {
  await simulate(
    (_request, nth) => json(nth < 3 ? { Successful: [] } : { Failed: [{ Id: '0', SenderFault: true, Code: 'ReceiptHandleIsInvalid' }] }),
    async ({ client, seen }) => {
      const handles = Array.from({ length: 21 }, (_, index) => `r-${index}`);
      await expect(client.deleteBatch(QUEUE, handles)).rejects.toMatchObject({ code: 'ReceiptHandleIsInvalid' });
      expect(seen.map(({ input }) => (input['Entries'] as unknown[]).length)).toEqual([10, 10, 1]);
      await client.deleteBatch(QUEUE, []);
      expect(seen).toHaveLength(3);
    },
  );
});

const CASES: readonly { name: string; answer: () => WireResponse; attempts: number; error: Partial<SqsError> }[] = [
  {
    name: 'a queue that does not exist',
    answer: () => refusal('com.amazonaws.sqs#QueueDoesNotExist', 'AWS.SimpleQueueService.NonExistentQueue', 400),
    attempts: 1,
    error: { code: 'QueueDoesNotExist', status: 400 },
  },
  {
    name: 'access denied',
    answer: () => refusal('com.amazon.coral.service#AccessDeniedException', 'AccessDenied', 403),
    attempts: 1,
    error: { code: 'AccessDenied', status: 403 },
  },
  {
    name: 'throttling',
    answer: () => refusal('com.amazonaws.sqs#RequestThrottled', 'RequestThrottled', 403),
    attempts: 3,
    error: { code: 'RequestThrottled', status: 403 },
  },
  {
    name: 'an unavailable service',
    answer: () => refusal('com.amazon.coral.service#ServiceUnavailableException', 'ServiceUnavailable', 503),
    attempts: 3,
    error: { code: 'ServiceUnavailable', status: 503 },
  },
  {
    name: 'a broken connection',
    answer: () => {
      throw new WireError('ECONNRESET', 'broken');
    },
    attempts: 3,
    error: { code: 'ECONNRESET', status: 0 },
  },
];

for (const { name, answer, attempts, error } of CASES) {
  test(`${name}: ${attempts} attempts`, async () => {
    await simulate(answer, async ({ client, seen }) => {
      const received = client.receive({ queueUrl: QUEUE, max: 1, waitSeconds: 0 });
      await expect(received).rejects.toMatchObject(error);
      await expect(received).rejects.toBeInstanceOf(SqsError);
      expect(seen).toHaveLength(attempts);
    });
  });
}

test('an aborted poll rejects with the reason and is not retried', async () => {
  const reason = new Error('stop');
  await simulate(
    () => {
      throw new WireError('ECONNRESET', 'broken');
    },
    async ({ client, clock, seen }) => {
      const giving = new AbortController();
      const received = client.receive({ queueUrl: QUEUE, max: 1, waitSeconds: 20, signal: giving.signal });
      const rejected = expect(received).rejects.toBe(reason);
      await clock.sleep(5);
      giving.abort(reason);
      await rejected;
      expect(seen).toHaveLength(1);
      await expect(client.receive({ queueUrl: QUEUE, max: 1, waitSeconds: 20, signal: giving.signal })).rejects.toBe(reason);
      expect(seen).toHaveLength(1);
    },
  );
});

test('signs with the SDK’s own signer when it has credentials', async () => {
  await simulate(
    () => json({ QueueUrl: QUEUE }),
    async ({ client, seen }) => {
      expect(await client.queueUrl('workers')).toBe(QUEUE);
      expect(seen[0]?.request.headers['authorization']).toMatch(/^AWS4-HMAC-SHA256 Credential=id\/\d{8}\/us-west-2\/sqs\/aws4_request/);
    },
    { credentials: { accessKeyId: 'id', secretAccessKey: 'key' } },
  );
});
