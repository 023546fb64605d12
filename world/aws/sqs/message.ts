import type { Caller } from '../../../wire/backend.ts';
import { sqsRefusal } from './errors.ts';

/** A message as its queue keeps it. */
export interface Message {
  readonly id: string;
  readonly body: string;
  readonly sentAtMs: number;
  /** Messages are handed out in the order of their ranks, which is nearly that of their sending. */
  readonly rank: number;
  /** From then on it can be received. */
  visibleAtMs: number;
  receiveCount: number;
  firstReceivedAtMs: number | undefined;
  readonly onReceived: ((caller: Caller) => void) | undefined;
}

/** What a receipt handle says, of which only the queue can read anything. */
interface Receipt {
  readonly messageId: string;
  /** Which of the message's receptions it is of, from 1. */
  readonly reception: number;
}

/** Makes the handle of one reception. @param salt drawn, so that handles look as opaque as SQS's */
export function formatReceipt(queueName: string, { messageId, reception }: Receipt, salt: string): string {
  return Buffer.from([queueName, messageId, reception, salt].join(' ')).toString('base64');
}

/** @throws JsonRefusal for what this queue never gave out */
export function parseReceipt(queueName: string, handle: string): Receipt {
  const [name, messageId, reception, salt] = Buffer.from(handle, 'base64').toString().split(' ');
  if (name !== queueName || messageId === undefined || salt === undefined || !/^[1-9]\d*$/.test(reception ?? '')) {
    throw sqsRefusal('ReceiptHandleIsInvalid', `The input receipt handle "${handle}" is not a valid receipt handle.`);
  }
  return { messageId, reception: Number(reception) };
}
