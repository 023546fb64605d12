import { z } from 'zod';
import { JsonRefusal } from '../../../protocols/aws-json/refusal.ts';
import { missingParameter, sqsRefusal } from './errors.ts';
import { changing, operation } from './operation.ts';
import { checkVisibility } from './receiving.ts';

const MAX_BATCH = 10;

/** DeleteMessage */
export const deleteMessage = operation(
  z.object({ QueueUrl: z.string().default(''), ReceiptHandle: z.string().optional() }),
  ({ queues }, input) => {
    const queue = queues.byUrl(input.QueueUrl);
    if (input.ReceiptHandle === undefined) throw missingParameter('ReceiptHandle');
    const id = queue.delete(input.ReceiptHandle);
    return changing({}, id === undefined ? [] : [id]);
  },
);

/** DeleteMessageBatch: each entry succeeds or fails by itself. */
export const deleteMessageBatch = operation(
  z.object({
    QueueUrl: z.string().default(''),
    Entries: z.array(z.object({ Id: z.string(), ReceiptHandle: z.string() })).default([]),
  }),
  ({ queues }, input) => {
    const queue = queues.byUrl(input.QueueUrl);
    checkBatch(input.Entries.map(({ Id }) => Id));
    const deleted: string[] = [];
    const Successful: { readonly Id: string }[] = [];
    const Failed: object[] = [];
    for (const { Id, ReceiptHandle } of input.Entries) {
      try {
        const id = queue.delete(ReceiptHandle);
        if (id !== undefined) deleted.push(id);
        Successful.push({ Id });
      } catch (error) {
        if (!(error instanceof JsonRefusal)) throw error;
        Failed.push({ Id, SenderFault: true, Code: error.queryCode, Message: error.message });
      }
    }
    return changing({ Successful, ...(Failed.length === 0 ? {} : { Failed }) }, deleted);
  },
);

/** ChangeMessageVisibility */
export const changeMessageVisibility = operation(
  z.object({ QueueUrl: z.string().default(''), ReceiptHandle: z.string().optional(), VisibilityTimeout: z.number().int().optional() }),
  ({ queues }, { QueueUrl, ReceiptHandle, VisibilityTimeout }) => {
    const queue = queues.byUrl(QueueUrl);
    if (ReceiptHandle === undefined) throw missingParameter('ReceiptHandle');
    checkVisibility(VisibilityTimeout);
    queue.changeVisibility(ReceiptHandle, VisibilityTimeout * 1_000);
    return changing({}, [queue.name]);
  },
);

function checkBatch(ids: readonly string[]): void {
  if (ids.length === 0)
    throw sqsRefusal('EmptyBatchRequest', 'There should be at least one DeleteMessageBatchRequestEntry in the request.');
  if (ids.length > MAX_BATCH) {
    const message = `Maximum number of entries per request are ${MAX_BATCH}. You have sent ${ids.length}.`;
    throw sqsRefusal('TooManyEntriesInBatchRequest', message);
  }
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw sqsRefusal('BatchEntryIdsNotDistinct', `Id ${twice} repeated.`);
}
