import { expect, test } from '@playwright/test';
import type { SqsClient, SqsMessage } from '../../clients/sqs-client.ts';
import { SqsError } from '../../clients/sqs-client.ts';
import { createRandom } from '../../runtime/random.ts';
import { createVirtualTimeline } from '../../runtime/timeline.ts';
import type { Context } from '../context.ts';
import { Counter, Histogram } from '../core/metrics.ts';
import { EVERY_POOL } from '../scope.ts';
import { readQueue } from './queue-reader.ts';

function warning(id: string): string {
  const detail = { 'instance-id': id, 'instance-action': 'terminate' };
  return JSON.stringify({
    source: 'aws.ec2',
    'detail-type': 'EC2 Spot Instance Interruption Warning',
    time: '2026-01-01T00:00:00Z',
    detail,
  });
}

/** Reads batches of message bodies; the test defines how they are handled. @returns ids that were deleted, and the log */
async function read(
  batches: (string[] | SqsError)[],
  handle: (id: string) => Promise<boolean>,
): Promise<{ deleted: string[]; log: string[]; handled: string[] }> {
  const timeline = createVirtualTimeline({ startMs: 0, random: createRandom(1) });
  const clock = timeline.scope('test');
  const stopping = new AbortController();
  const deleted: string[] = [];
  const handled: string[] = [];
  const log: string[] = [];
  let received = 0;
  const sqs: Pick<SqsClient, 'receive' | 'deleteBatch'> = {
    receive: async ({ signal }) => {
      await clock.sleep(1_000, signal);
      const batch = batches[received];
      received += 1;
      if (batch instanceof SqsError) throw batch;
      return (batch ?? []).map((body): SqsMessage => ({ id: body, receiptHandle: body, body, receiveCount: 1 }));
    },
    deleteBatch: (_queueUrl, handles) => {
      deleted.push(...handles);
      return Promise.resolve();
    },
  };
  const context = {
    scope: EVERY_POOL,
    runtime: {
      clock,
      random: createRandom(2),
      signal: stopping.signal,
      log: (level: string, message: string) => log.push(`${level} ${message}`),
    },
    metrics: {
      interruptionsReceived: new Counter('r', ''),
      interruptionsDeleted: new Counter('d', ''),
      interruptionQueueDuration: new Histogram('q', '', []),
    },
  } as unknown as Context;
  const interruption = {
    handle: ({ instanceIds: [id = ''] }: { readonly instanceIds: readonly string[] }) => {
      handled.push(id);
      return handle(id);
    },
  };
  const main = async (): Promise<void> => {
    const done = readQueue(context, sqs as SqsClient, 'https://queue', interruption);
    await clock.sleep(60_000);
    stopping.abort(new Error('over'));
    await done;
  };
  await timeline.run(main());
  return { deleted, log, handled };
}

test('handled messages are deleted, others are received again', async () => {
  const { deleted } = await read([[warning('i-1'), warning('i-2')]], (id) => Promise.resolve(id === 'i-1'));
  expect(deleted).toEqual([warning('i-1')]);
});

test('an unreadable body is logged and deleted, and blocks nothing', async () => {
  const { deleted, log, handled } = await read([['{broken', warning('i-1')]], () => Promise.resolve(true));
  expect(deleted.sort()).toEqual([warning('i-1'), '{broken'].sort());
  expect(handled).toEqual(['i-1']);
  expect(log.join()).toContain("error interruption queue: can't read message {broken");
});

test('a failed message stays, and one that never finishes does not block those behind it', async () => {
  const endless = new Promise<boolean>(() => undefined);
  const outcomes: Readonly<Record<string, () => Promise<boolean>>> = {
    'i-fails': () => Promise.reject(new Error('no')),
    'i-1': () => Promise.resolve(true),
  };
  const { deleted, log } = await read([[warning('i-fails')], [warning('i-1')]], (id) => outcomes[id]?.() ?? endless);
  expect(deleted).toEqual([warning('i-1')]);
  expect(log.join()).toContain('interruption: spot_interrupted: no');
});

test('a missing queue is polled with increasing delays', async () => {
  const gone = new SqsError('QueueDoesNotExist', 400, 'The specified queue does not exist.');
  const { deleted, log } = await read([gone, gone, gone, [warning('i-1')]], () => Promise.resolve(true));
  expect(deleted).toEqual([warning('i-1')]);
  expect(log.filter((line) => line.startsWith('error interruption queue'))).toHaveLength(3);
});
