import type { Caller } from '../../../wire/backend.ts';
import { sqsRefusal } from './errors.ts';
import type { MessageAttributes } from './message-attributes.ts';

/** A message as its queue keeps it. */
export interface Message {
  readonly id: string;
  readonly body: string;
  readonly attributes: MessageAttributes;
  /** Those of its sender. */
  readonly systemAttributes: Readonly<Record<string, string>>;
  readonly sentAtMs: number;
  /** Messages are delivered in the order of their ranks, which is almost the order of sending. */
  readonly rank: number;
  /** When it becomes receivable. */
  visibleAtMs: number;
  receiveCount: number;
  firstReceivedAtMs: number | undefined;
  readonly onReceived: ((caller: Caller) => void) | undefined;
}

/** The content of a receipt handle, which is opaque to everyone but the queue. */
interface Receipt {
  readonly messageId: string;
  /** The number of the message's reception, from 1. */
  readonly reception: number;
}

/** The handle of one reception. @param salt drawn, so that handles look as opaque as SQS's */
export function formatReceipt(queueName: string, { messageId, reception }: Receipt, salt: string): string {
  return Buffer.from([queueName, messageId, reception, salt].join(' ')).toString('base64');
}

/** @throws JsonRefusal for a handle that this queue did not issue */
export function parseReceipt(queueName: string, handle: string): Receipt {
  const [name, messageId, reception, salt] = Buffer.from(handle, 'base64').toString().split(' ');
  if (name !== queueName || messageId === undefined || salt === undefined || !/^[1-9]\d*$/.test(reception ?? '')) {
    throw sqsRefusal('ReceiptHandleIsInvalid', `The input receipt handle "${handle}" is not a valid receipt handle.`);
  }
  return { messageId, reception: Number(reception) };
}
