import type { Operation } from '../../../model/operation.ts';
import { AwsCall } from '../../../protocols/aws-call/call.ts';
import { AWS_JSON_CONTENT_TYPE, actionOf, decodeInput, describeError, encodeRefusal } from '../../../protocols/aws-json/codec.ts';
import { JsonRefusal } from '../../../protocols/aws-json/refusal.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { Random } from '../../../runtime/random.ts';
import type { AnswerNote, Backend, Refusal, WholeAnswer } from '../../../wire/backend.ts';
import { asText } from '../../../wire/wire.ts';
import type { WireRequest, WireResponse } from '../../../wire/wire.ts';
import { drawUuid } from '../ids.ts';
import { refusalOf } from './errors.ts';

/** As in requests. */
export const SERVICE = 'AmazonSQS';
/** As in IAM, a reception is a read: a received message comes again unless it is deleted. */
const READING = /^(Get|List|ReceiveMessage)/;

/** How SQS requests are read and answers written, wherever the queues are. */
export class SqsProtocol implements Omit<Backend, 'handle'> {
  readonly #clock: Clock;
  readonly #random: Random;

  /** @param parts.random source of request ids */
  constructor(parts: { readonly clock: Clock; readonly random: Random }) {
    this.#clock = parts.clock;
    this.#random = parts.random;
  }

  describe(request: WireRequest): Operation {
    const action = actionOf(request.headers, SERVICE);
    if (action === undefined) return { wire: 'aws', name: 'unknown', mutating: true };
    const operation = { wire: 'aws', name: `sqs:${action}`, mutating: !READING.test(action) } as const;
    try {
      return { ...operation, input: inputOf(request) };
    } catch (error) {
      if (error instanceof JsonRefusal) return operation;
      throw error;
    }
  }

  refuse(_operation: Operation, { status, code, message, retryAfterSeconds }: Refusal): WireResponse {
    const { headers, body } = encodeRefusal(refusalOf(code, message, status));
    const retryAfter: Record<string, string> = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
    return { status, headers: { ...this.headers(), ...headers, ...retryAfter }, body };
  }

  /** For a reception, the ids of its messages. */
  describeAnswer({ name }: Operation, answer: WholeAnswer): AnswerNote {
    if (answer.status >= 400) return describeError(asText(answer.body));
    if (name !== 'sqs:ReceiveMessage') return {};
    try {
      const { Messages = [] } = (answer.decoded ?? JSON.parse(asText(answer.body))) as { Messages?: { MessageId?: string }[] };
      return { note: `messages: ${Messages.map(({ MessageId }) => MessageId).join(', ') || 'none'}` };
    } catch {
      return {};
    }
  }

  /** The headers of every answer. */
  headers(): Readonly<Record<string, string>> {
    return {
      'x-amzn-requestid': drawUuid(this.#random),
      'content-type': AWS_JSON_CONTENT_TYPE,
      date: new Date(this.#clock.nowMs()).toUTCString(),
    };
  }
}

/** A request's input. @throws JsonRefusal when the body is not a JSON object */
export function inputOf(request: WireRequest): Record<string, unknown> {
  const { decoded } = request;
  return decoded instanceof AwsCall ? decoded.input : decodeInput(asText(request.body ?? ''));
}
