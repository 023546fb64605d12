import type { SqsClient, SqsMessage } from '../../clients/sqs-client.ts';
import { logFailure } from '../../runtime/log.ts';
import {
  QUEUE_BATCHES_AT_ONCE,
  QUEUE_MESSAGES_MAX,
  QUEUE_RETRY_MIN_MS,
  QUEUE_SHARED_VISIBILITY_S,
  QUEUE_VISIBILITY_S,
  QUEUE_WAIT_S,
} from '../constants.ts';
import type { Context } from '../context.ts';
import { backoffMs } from '../core/backoff.ts';
import { describeError } from '../core/errors.ts';
import type { Interruption } from './interruption.ts';
import { readNotice } from './notice.ts';

/**
 * Reads the interruption queue until the signal is aborted. Handled messages are deleted; so are unreadable ones, since they
 * would be received forever. Failed messages, and those about an instance that is not known yet, become visible again by
 * themselves; messages received together don't wait for each other.
 *
 * An autoscaler that is confined to some pools leaves messages about other pools' instances, whose autoscalers may read the same
 * queue. Each message goes to any one of them at random, and is hidden from the others for the visibility timeout, which is
 * therefore short. Consequences: a notice reaches its owner late by one timeout for each other reader that got it first, two
 * seconds on average and rarely more than twenty, plus any queue outage that begins meanwhile; and each time costs a request to
 * EC2. Separate queues, with rules that distinguish the instances, are better. A dead-letter queue's maxReceiveCount must allow
 * for this.
 */
export async function readQueue(context: Context, sqs: SqsClient, queueUrl: string, interruption: Interruption): Promise<void> {
  const { clock, signal, log, random } = context.runtime;
  const visibilitySeconds = context.scope.id === undefined ? QUEUE_VISIBILITY_S : QUEUE_SHARED_VISIBILITY_S;
  let failures = 0;
  const underWay = new Set<Promise<void>>();
  while (!signal.aborted) {
    try {
      if (underWay.size >= QUEUE_BATCHES_AT_ONCE) await Promise.race(underWay);
      const messages = await sqs.receive({
        queueUrl,
        max: QUEUE_MESSAGES_MAX,
        waitSeconds: QUEUE_WAIT_S,
        visibilitySeconds,
        signal,
      });
      failures = 0;
      // The next batch is received at once: a slow message does not block those behind it.
      if (messages.length === 0) continue;
      const settling = settle(context, sqs, queueUrl, messages, interruption).finally(() => underWay.delete(settling));
      underWay.add(settling);
    } catch (error) {
      if (signal.aborted) break;
      const waitMs = backoffMs(failures, random, QUEUE_RETRY_MIN_MS);
      failures += 1;
      logFailure(log, 'error', `interruption queue: ${describeError(error)}`, error, { queueUrl, retryInMs: Math.ceil(waitMs) });
      await clock.sleep(waitMs, signal).catch(() => undefined);
    }
  }
  await Promise.all(underWay);
}

async function settle(
  context: Context,
  sqs: SqsClient,
  queueUrl: string,
  messages: readonly SqsMessage[],
  interruption: Interruption,
): Promise<void> {
  const { runtime, metrics } = context;
  const done: string[] = [];
  await Promise.all(
    messages.map(async (message) => {
      if (await isDone(context, message, interruption)) done.push(message.receiptHandle);
    }),
  );
  if (done.length === 0 || runtime.signal.aborted) return;
  try {
    await sqs.deleteBatch(queueUrl, done);
    metrics.interruptionsDeleted.inc({}, done.length);
  } catch (error) {
    // They are received again, which has no further effect.
    logFailure(runtime.log, 'warn', `interruption queue: can't delete ${done.length} messages: ${describeError(error)}`, error);
  }
}

async function isDone({ runtime, metrics }: Context, { id, body }: SqsMessage, interruption: Interruption): Promise<boolean> {
  let notice;
  try {
    notice = readNotice(body);
  } catch (error) {
    logFailure(runtime.log, 'error', `interruption queue: can't read message ${id}: ${describeError(error)}`, error);
    return true;
  }
  metrics.interruptionsReceived.inc({ message_type: notice.kind });
  metrics.interruptionQueueDuration.observe(Math.max(0, runtime.clock.nowMs() - notice.atMs) / 1_000);
  try {
    return await interruption.handle(notice);
  } catch (error) {
    if (!runtime.signal.aborted) {
      logFailure(runtime.log, 'error', `interruption: ${notice.kind}: ${describeError(error)}`, error, { message: id });
    }
    return false;
  }
}
