import { createHash } from 'node:crypto';
import { z } from 'zod';
import { defined } from '../../../model/defined.ts';
import { invalidParameter, missingParameter } from './errors.ts';
import { askedAttributes, md5OfAttributes } from './message-attributes.ts';
import { operation, reading } from './operation.ts';
import type { Reception } from './queue.ts';

const MAX_MESSAGES = 10;
const MAX_WAIT_S = 20;
export const MAX_VISIBILITY_S = 43_200;

/** ReceiveMessage. A reception changes nothing permanently: an undeleted message is received again. */
export const receiveMessage = operation(
  z.object({
    QueueUrl: z.string().default(''),
    AttributeNames: z.array(z.string()).default([]),
    MessageSystemAttributeNames: z.array(z.string()).default([]),
    MessageAttributeNames: z.array(z.string()).default([]),
    MaxNumberOfMessages: z.number().int().default(1),
    VisibilityTimeout: z.number().int().optional(),
    WaitTimeSeconds: z.number().int().optional(),
  }),
  async ({ queues, caller, signal }, input) => {
    const queue = queues.byUrl(input.QueueUrl);
    const { MaxNumberOfMessages: max, VisibilityTimeout: visibilityS = queue.settings.VisibilityTimeout } = input;
    const waitS = input.WaitTimeSeconds ?? queue.settings.ReceiveMessageWaitTimeSeconds;
    if (max < 1 || max > MAX_MESSAGES) throw invalidParameter('MaxNumberOfMessages', max, 'Must be between 1 and 10, if provided.');
    if (waitS < 0 || waitS > MAX_WAIT_S) throw invalidParameter('WaitTimeSeconds', waitS, 'Must be >= 0 and <= 20, if provided.');
    checkVisibility(visibilityS);
    const received = await queue.receive({ max, visibilityMs: visibilityS * 1_000, waitMs: waitS * 1_000, caller, signal });
    const names = new Set([...input.AttributeNames, ...input.MessageSystemAttributeNames]);
    return reading(
      received.length === 0 ? {} : { Messages: received.map((reception) => toSdkMessage(reception, names, input.MessageAttributeNames)) },
    );
  },
);

/** @throws JsonRefusal for a time-out that is out of range or missing */
export function checkVisibility(seconds: number | undefined): asserts seconds is number {
  if (seconds === undefined) throw missingParameter('VisibilityTimeout');
  if (seconds >= 0 && seconds <= MAX_VISIBILITY_S) return;
  throw invalidParameter('VisibilityTimeout', seconds, 'Must be between 0 and 43200, if provided.');
}

export function md5Of(text: string): string {
  return createHash('md5').update(text).digest('hex');
}

/** Messages in this world have one sender. */
const SENDER_ID = 'AIDAIENQZJOLO23YVJ4VO';

/** In the shape of the SDK's `Message`, with binary values in base64. */
function toSdkMessage({ message, receiptHandle }: Reception, names: ReadonlySet<string>, attributeNames: readonly string[]): object {
  const attributes: Readonly<Record<string, string>> = {
    SenderId: SENDER_ID,
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAtMs),
    ApproximateReceiveCount: String(message.receiveCount),
    SentTimestamp: String(message.sentAtMs),
    ...message.systemAttributes,
  };
  const asked = Object.entries(attributes).filter(([name]) => names.has('All') || names.has(name));
  const ownAttributes = askedAttributes(message.attributes, attributeNames);
  const md5 = md5OfAttributes(ownAttributes);
  return {
    MessageId: message.id,
    ReceiptHandle: receiptHandle,
    MD5OfBody: md5Of(message.body),
    Body: message.body,
    ...(asked.length === 0 ? {} : { Attributes: Object.fromEntries(asked) }),
    ...defined({ MessageAttributes: md5 === undefined ? undefined : ownAttributes, MD5OfMessageAttributes: md5 }),
  };
}
