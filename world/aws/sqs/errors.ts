import { JsonRefusal } from '../../../protocols/aws-json/refusal.ts';

/**
 * SQS's own errors: the query code and HTTP status of each, from the traits `awsQueryError` and `httpError` of the SDK's
 * model of SQS.
 */
const SHAPES = {
  BatchEntryIdsNotDistinct: ['AWS.SimpleQueueService.BatchEntryIdsNotDistinct', 400],
  BatchRequestTooLong: ['AWS.SimpleQueueService.BatchRequestTooLong', 400],
  EmptyBatchRequest: ['AWS.SimpleQueueService.EmptyBatchRequest', 400],
  InvalidAttributeName: ['InvalidAttributeName', 400],
  InvalidAttributeValue: ['InvalidAttributeValue', 400],
  InvalidBatchEntryId: ['AWS.SimpleQueueService.InvalidBatchEntryId', 400],
  InvalidMessageContents: ['InvalidMessageContents', 400],
  MessageNotInflight: ['AWS.SimpleQueueService.MessageNotInflight', 400],
  OverLimit: ['OverLimit', 403],
  PurgeQueueInProgress: ['AWS.SimpleQueueService.PurgeQueueInProgress', 403],
  QueueDoesNotExist: ['AWS.SimpleQueueService.NonExistentQueue', 400],
  QueueNameExists: ['QueueAlreadyExists', 400],
  ReceiptHandleIsInvalid: ['ReceiptHandleIsInvalid', 404],
  RequestThrottled: ['RequestThrottled', 403],
  TooManyEntriesInBatchRequest: ['AWS.SimpleQueueService.TooManyEntriesInBatchRequest', 400],
  UnsupportedOperation: ['AWS.SimpleQueueService.UnsupportedOperation', 400],
} as const satisfies Record<string, readonly [string, number]>;

type SqsShape = keyof typeof SHAPES;

/** A refusal by one of SQS's own errors. */
export function sqsRefusal(shape: SqsShape, message: string): JsonRefusal {
  const [queryCode, status] = SHAPES[shape];
  return new JsonRefusal(`com.amazonaws.sqs#${shape}`, queryCode, message, status);
}

/** A refusal by any code: a shape of SQS, the query code of a shape, or an error common to all services (`AccessDenied`). */
export function refusalOf(code: string, message: string, status: number): JsonRefusal {
  const known = Object.entries(SHAPES).find(([shape, [queryCode]]) => code === shape || code === queryCode);
  if (known !== undefined) return new JsonRefusal(`com.amazonaws.sqs#${known[0]}`, known[1][0], message, status);
  return new JsonRefusal(`com.amazon.coral.service#${code.replace(/Exception$/, '')}Exception`, code, message, status);
}

export function queueDoesNotExist(): JsonRefusal {
  return sqsRefusal('QueueDoesNotExist', 'The specified queue does not exist.');
}

/** Source of the wording: answers of SQS quoted by its users. */
export function invalidParameter(name: string, value: string | number, reason: string): JsonRefusal {
  return invalidParameterValue(`Value ${value} for parameter ${name} is invalid. Reason: ${reason}`);
}

export function invalidParameterValue(message: string): JsonRefusal {
  return new JsonRefusal('com.amazon.coral.service#InvalidParameterValueException', 'InvalidParameterValue', message);
}

export function missingParameter(name: string): JsonRefusal {
  return new JsonRefusal(
    'com.amazon.coral.service#MissingRequiredParameterException',
    'MissingParameter',
    `The request must contain the parameter ${name}.`,
  );
}
