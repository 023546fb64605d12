/** SQS's refusal, or no answer at all. */
export class SqsError extends Error {
  /** The SDK's error name, e.g. `QueueDoesNotExist`, `AccessDenied`; a socket's code when there was no answer. */
  readonly code: string;
  /** HTTP status; 0 when there was no answer: whether the request took effect is unknown. */
  readonly status: number;

  constructor(code: string, status: number, message: string) {
    super(message);
    this.name = 'SqsError';
    this.code = code;
    this.status = status;
  }
}

/** One reception of a message. */
export interface SqsMessage {
  readonly id: string;
  /** Belongs to this reception: deletes the message, until a later reception replaces it. */
  readonly receiptHandle: string;
  readonly body: string;
  /** How often it has been received, this reception included. */
  readonly receiveCount: number;
}

/** What to receive. */
export interface ReceiveRequest {
  readonly queueUrl: string;
  /** 1 to 10. */
  readonly max: number;
  /** How long to wait for a first message, in seconds, 0 to 20: a long poll, unless 0. */
  readonly waitSeconds: number;
  /** How long the messages stay invisible to other receivers, in seconds; by default as the queue says. */
  readonly visibilitySeconds?: number;
  /** Aborts the poll. */
  readonly signal?: AbortSignal;
}

/**
 * SQS as an autoscaler uses it, by the SDK's commands. Throttled and transient failures are retried as the SDK's
 * standard mode does, on the clock. Rejects with an SqsError.
 */
export interface SqsClient {
  /** The URL of a queue of this account. */
  queueUrl(name: string): Promise<string>;
  /** Some of the queue's messages, in no particular order; empty when none arrived in time. Rejects with the signal's reason. */
  receive(request: ReceiveRequest): Promise<SqsMessage[]>;
  /** Deletes messages, ten per request. Tries all, then rejects if any could not be deleted. */
  deleteBatch(queueUrl: string, receiptHandles: readonly string[]): Promise<void>;
  /** Frees sockets. */
  destroy(): void;
}
