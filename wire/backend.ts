import type { NamedOffering } from '../model/catalogue.ts';
import type { Effect, Operation, Principal } from '../model/operation.ts';
import type { Bytes, WireRequest, WireResponse } from './wire.ts';

/** An answer, with the effect of the request: only the backend knows it. */
export interface Answer extends WireResponse {
  readonly effect: Effect;
}

/** Who sent the request: known from the wire, which belongs to one caller, never from credentials. */
export interface Caller {
  readonly principal: Principal;
  /** Counts starts of the principal, from 1. */
  readonly incarnation: number;
  /** The request's span in the history, so that the world can record which request caused a change. */
  readonly span: number;
  /** The user that it is to the API server, where roles say what it may do. */
  readonly user?: string;
}

/** A refusal in the service's own words. */
export interface Refusal {
  /** The HTTP status. */
  readonly status: number;
  /** The code of an EC2 error, or the reason of a Kubernetes Status. */
  readonly code: string;
  readonly message: string;
  readonly retryAfterSeconds?: number;
  /** What a Kubernetes Status says that it is about: `details`. */
  readonly about?: { readonly name?: string; readonly group?: string; readonly kind?: string };
  /** Sent as plain text, as a proxy in front of the API would. */
  readonly plain?: boolean;
}

/** An answer with its whole body. */
export interface WholeAnswer {
  readonly status: number;
  readonly body: Bytes;
  readonly decoded?: object;
}

/** The parts of an answer that go into a history. */
export interface AnswerNote {
  /** The protocol's error code or reason. */
  readonly code?: string;
  readonly note?: string;
  /** The offerings without capacity, as named in the errors of a fleet. */
  readonly refused?: readonly NamedOffering[];
}

/** Changes to a request that make its answer readable for Scaleproof. */
export interface ReadableRequest {
  readonly headers: WireRequest['headers'];
  /** A note on the change, for the history. */
  readonly remark: string;
}

/** One service behind a wire: reads the requests of its protocol and answers them. */
export interface Backend {
  /** Parses a request. Never throws: one that can't be parsed is an operation named `unknown`. */
  describe(request: WireRequest): Operation;
  /**
   * Carries the request out. Resolves for refusals too; rejects with a WireError only where the connection would break.
   */
  handle(request: WireRequest, operation: Operation, caller: Caller): Promise<Answer>;
  /**
   * The wire has to read some answers: it counts the events of a stream, and faults rewrite objects. Absent where all answers are
   * readable.
   * @param isRewritten whether a fault rewrites the answer
   * @returns undefined if the answer is readable as requested, or need not be read
   */
  readable?(request: WireRequest, operation: Operation, isRewritten: () => boolean): ReadableRequest | undefined;
  /** The answer with which this service refuses an operation. */
  refuse(operation: Operation, refusal: Refusal): WireResponse;
  /** What the history records about an answer. Never throws: the note of an unreadable answer is its text. */
  describeAnswer(operation: Operation, answer: WholeAnswer): AnswerNote;
}
