import { z } from 'zod';
import { defined } from '../../../model/defined.ts';
import { runBatch } from './batches.ts';
import { invalidParameter, invalidParameterValue, missingParameter, sqsRefusal } from './errors.ts';
import { checkAttributes, checkSystemAttributes, md5OfAttributes, messageAttributeSchema, sizeOf } from './message-attributes.ts';
import type { MessageAttributes } from './message-attributes.ts';
import { changing, operation } from './operation.ts';
import type { Queue } from './queue.ts';
import { md5Of } from './receiving.ts';

const MAX_DELAY_S = 900;
/** Source: SendMessageBatch in the API reference: of all messages together. */
const BATCH_BYTES_MAX = 1_048_576;
/** Source: SendMessage in the API reference: characters that XML 1.0 does not allow. */
const INVALID_CHARACTERS = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;

const entrySchema = z.object({
  MessageBody: z.string().optional(),
  DelaySeconds: z.number().int().optional(),
  MessageAttributes: z.record(z.string(), messageAttributeSchema).default({}),
  MessageSystemAttributes: z.record(z.string(), messageAttributeSchema).default({}),
});
type Entry = z.infer<typeof entrySchema>;

/** SendMessage */
export const sendMessage = operation(entrySchema.extend({ QueueUrl: z.string().default('') }), ({ queues }, input) => {
  const { output, changed } = send(queues.byUrl(input.QueueUrl), input);
  return changing(output, changed);
});

/** SendMessageBatch */
export const sendMessageBatch = operation(
  z.object({ QueueUrl: z.string().default(''), Entries: z.array(entrySchema.extend({ Id: z.string() })).default([]) }),
  ({ queues }, { QueueUrl, Entries }) => {
    const queue = queues.byUrl(QueueUrl);
    const bytes = Entries.reduce((sum, entry) => sum + bytesOf(entry), 0);
    if (bytes > BATCH_BYTES_MAX) {
      const message = `Batch requests cannot be longer than ${BATCH_BYTES_MAX} bytes. You have sent ${bytes} bytes.`;
      throw sqsRefusal('BatchRequestTooLong', message);
    }
    return runBatch('SendMessageBatchRequestEntry', Entries, (entry) => send(queue, entry));
  },
);

function send(queue: Queue, entry: Entry): { readonly output: object; readonly changed: readonly string[] } {
  const { MessageBody: body = '', DelaySeconds: delayS = queue.settings.DelaySeconds } = entry;
  const { MessageAttributes: attributes, MessageSystemAttributes: systemAttributes } = entry;
  if (body === '') throw missingParameter('MessageBody');
  if (delayS < 0 || delayS > MAX_DELAY_S) throw invalidParameter('DelaySeconds', delayS, 'DelaySeconds must be >= 0 and <= 900.');
  checkAttributes(attributes);
  checkSystemAttributes(systemAttributes);
  const maxBytes = queue.settings.MaximumMessageSize;
  if (bytesOf(entry) > maxBytes) {
    throw invalidParameterValue(`One or more parameters are invalid. Reason: Message must be shorter than ${maxBytes} bytes.`);
  }
  if (INVALID_CHARACTERS.test(body)) throw sqsRefusal('InvalidMessageContents', 'Invalid characters found in the message body.');
  const id = queue.send(body, { delayMs: delayS * 1_000, attributes, systemAttributes: textsOf(systemAttributes) });
  const output = {
    MessageId: id,
    MD5OfMessageBody: md5Of(body),
    ...defined({
      MD5OfMessageAttributes: md5OfAttributes(attributes),
      MD5OfMessageSystemAttributes: md5OfAttributes(systemAttributes),
    }),
  };
  return { output, changed: [id] };
}

/** System attributes do not count. */
function bytesOf({ MessageBody: body = '', MessageAttributes: attributes }: Entry): number {
  return Buffer.byteLength(body) + sizeOf(attributes);
}

function textsOf(attributes: MessageAttributes): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(attributes).map(([name, { StringValue: text = '' }]) => [name, text]));
}
