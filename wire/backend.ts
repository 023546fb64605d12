import type { NamedOffering } from '../model/catalogue.ts';
import type { Effect, Operation, Principal } from '../model/operation.ts';
import type { Bytes, WireRequest, WireResponse } from './wire.ts';

/** An answer with what the request did: the backend alone knows. */
export interface Answer extends WireResponse {
  readonly effect: Effect;
}

/** Who speaks: told apart by the wire that was opened for it, never by credentials. */
export interface Caller {
  readonly principal: Principal;
  /** Counts starts of the principal, from 1. */
  readonly incarnation: number;
  /** The request's span in the history, so that the world can say which request brought a thing about. */
  readonly span: number;
}

/** A refusal in the service's own words. */
export interface Refusal {
  /** Of HTTP. */
  readonly status: number;
  /** The code of an EC2 error, or the reason of a Kubernetes Status. */
  readonly code: string;
  readonly message: string;
  readonly retryAfterSeconds?: number;
  /** In plain text, as what stands before the API refuses. */
  readonly plain?: boolean;
}

/** An answer that has arrived whole. */
export interface WholeAnswer {
  readonly status: number;
  readonly body: Bytes;
}

/** What a history keeps of an answer. */
export interface AnswerNote {
  /** The protocol's error code or reason. */
  readonly code?: string;
  readonly note?: string;
  /** The offerings without capacity that the errors of a fleet name. */
  readonly refused?: readonly NamedOffering[];
}

/** A request as it has to be sent for its answer to be read on its way. */
export interface ReadableRequest {
  readonly headers: WireRequest['headers'];
  /** What its history says of it. */
  readonly remark: string;
}

/** One service behind a wire: reads the requests of its protocol and answers them. */
export interface Backend {
  /** Reads what a request asks for. Never throws: what can't be read is an operation named `unknown`. */
  describe(request: WireRequest): Operation;
  /**
   * Carries the request out. Resolves for refusals too; rejects with a WireError only where the connection would break.
   */
  handle(request: WireRequest, operation: Operation, caller: Caller): Promise<Answer>;
  /**
   * Whoever stands before the service may have to read an answer on its way: it counts the events of a stream, and faults rewrite
   * objects. Absent where answers can always be read.
   * @param isRewritten whether a fault rewrites the answer
   * @returns undefined if the answer can be read as it is asked for, or need not be
   */
  readable?(request: WireRequest, operation: Operation, isRewritten: () => boolean): ReadableRequest | undefined;
  /** The answer by which this service refuses an operation. */
  refuse(operation: Operation, refusal: Refusal): WireResponse;
  /** What there is to say about an answer. Never throws: what can't be read is its own note. */
  describeAnswer(operation: Operation, answer: WholeAnswer): AnswerNote;
}
