import { z } from 'zod';
import { runBatch } from './batches.ts';
import { missingParameter } from './errors.ts';
import { changing, operation } from './operation.ts';
import { checkVisibility } from './receiving.ts';

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

/** DeleteMessageBatch */
export const deleteMessageBatch = operation(
  z.object({
    QueueUrl: z.string().default(''),
    Entries: z.array(z.object({ Id: z.string(), ReceiptHandle: z.string() })).default([]),
  }),
  ({ queues }, input) => {
    const queue = queues.byUrl(input.QueueUrl);
    return runBatch('DeleteMessageBatchRequestEntry', input.Entries, ({ ReceiptHandle }) => {
      const id = queue.delete(ReceiptHandle);
      return { output: {}, changed: id === undefined ? [] : [id] };
    });
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

/** ChangeMessageVisibilityBatch */
export const changeMessageVisibilityBatch = operation(
  z.object({
    QueueUrl: z.string().default(''),
    Entries: z.array(z.object({ Id: z.string(), ReceiptHandle: z.string(), VisibilityTimeout: z.number().int().optional() })).default([]),
  }),
  ({ queues }, input) => {
    const queue = queues.byUrl(input.QueueUrl);
    return runBatch('ChangeMessageVisibilityBatchRequestEntry', input.Entries, ({ ReceiptHandle, VisibilityTimeout }) => {
      checkVisibility(VisibilityTimeout);
      queue.changeVisibility(ReceiptHandle, VisibilityTimeout * 1_000);
      return { output: {}, changed: [queue.name] };
    });
  },
);
