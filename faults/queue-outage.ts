import { z } from 'zod';
import { defineFault } from './fault.ts';

/** What SQS responds, by reason. */
const REFUSALS = {
  denied: { status: 403, code: 'AccessDenied', message: 'Access to the resource is denied.' },
  missing: { status: 400, code: 'QueueDoesNotExist', message: 'The specified queue does not exist.' },
  throttled: { status: 403, code: 'RequestThrottled', message: 'The request was denied due to request throttling.' },
  unavailable: { status: 503, code: 'ServiceUnavailable', message: 'The service is temporarily unavailable.' },
} as const;

const params = z.strictObject({
  how: z.enum(['denied', 'missing', 'throttled', 'unavailable']).describe('why SQS refuses'),
  operations: z
    .array(z.string().startsWith('sqs:'))
    .min(1)
    .default([
      'sqs:ChangeMessageVisibility',
      'sqs:DeleteMessage',
      'sqs:DeleteMessageBatch',
      'sqs:GetQueueAttributes',
      'sqs:GetQueueUrl',
      'sqs:ReceiveMessage',
    ])
    .describe('SQS operations to refuse; by default all that a queue reader sends'),
});

/** SQS refuses the target's requests. Legal: people change queues and policies, and any service can be unavailable. */
export const queueOutage = defineFault({
  name: 'queue-outage',
  summary: 'requests to the interruption queue are denied or throttled, or the queue is missing or unavailable',
  params,
  legal: true,
  capabilities: () => ['wire.aws'],
  color: '#155e75',
  describe: ({ how, operations }) => `SQS refuses ${operations.join(', ')}: ${REFUSALS[how].code}`,
  inject: ({ how, operations }, { arm, fired }) =>
    arm({
      trigger: { match: { operations }, when: { kind: 'always' }, moment: 'before' },
      effect: { kind: 'refuse', refusal: REFUSALS[how] },
      fired: (span) => fired(span),
    }),
});
