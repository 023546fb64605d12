import type { Operation } from '../../../model/operation.ts';
import {
  AWS_JSON_CONTENT_TYPE,
  TARGET_HEADER,
  actionOf,
  decodeInput,
  describeError,
  encodeRefusal,
} from '../../../protocols/aws-json/codec.ts';
import { JsonRefusal, unknownOperation } from '../../../protocols/aws-json/refusal.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { Random } from '../../../runtime/random.ts';
import type { Answer, AnswerNote, Backend, Caller, Refusal, WholeAnswer } from '../../../wire/backend.ts';
import { asText } from '../../../wire/wire.ts';
import type { WireRequest, WireResponse } from '../../../wire/wire.ts';
import { drawUuid } from '../ids.ts';
import { refusalOf } from './errors.ts';
import type { SqsOutcome } from './operation.ts';
import { SQS_OPERATIONS } from './operations.ts';
import type { Queues } from './queues.ts';

const SERVICE = 'AmazonSQS';
/** As IAM has it, a reception reads: what is received comes again unless it is deleted. */
const READING = /^(Get|List|ReceiveMessage)/;

/** Serves SQS by the JSON protocol, which SDKs have spoken since the end of 2023; the query protocol before it is not served. */
export class SqsBackend implements Backend {
  readonly #queues: Queues;
  readonly #clock: Clock;
  readonly #random: Random;

  constructor(parts: { queues: Queues; clock: Clock; random: Random }) {
    this.#queues = parts.queues;
    this.#clock = parts.clock;
    this.#random = parts.random;
  }

  describe({ headers, body }: WireRequest): Operation {
    const action = actionOf(headers, SERVICE);
    if (action === undefined) return { wire: 'aws', name: 'unknown', mutating: true };
    const operation = { wire: 'aws', name: `sqs:${action}`, mutating: !READING.test(action) } as const;
    try {
      return { ...operation, input: decodeInput(asText(body ?? '')) };
    } catch (error) {
      if (error instanceof JsonRefusal) return operation;
      throw error;
    }
  }

  async handle(request: WireRequest, _operation: Operation, caller: Caller): Promise<Answer> {
    const headers = this.#headers();
    try {
      const { output, effect } = await this.#run(request, caller);
      return { status: 200, headers, body: JSON.stringify(output), effect };
    } catch (error) {
      if (!(error instanceof JsonRefusal)) throw error;
      const { headers: more, body } = encodeRefusal(error);
      return { status: error.status, headers: { ...headers, ...more }, body, effect: { kind: 'rejected', code: error.queryCode } };
    }
  }

  refuse(_operation: Operation, { status, code, message, retryAfterSeconds }: Refusal): WireResponse {
    const { headers, body } = encodeRefusal(refusalOf(code, message, status));
    const retryAfter: Record<string, string> = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
    return { status, headers: { ...this.#headers(), ...headers, ...retryAfter }, body };
  }

  /** Of a reception the ids of its messages. */
  describeAnswer({ name }: Operation, { status, body }: WholeAnswer): AnswerNote {
    if (status >= 400) return describeError(asText(body));
    if (name !== 'sqs:ReceiveMessage') return {};
    try {
      const { Messages = [] } = JSON.parse(asText(body)) as { Messages?: { MessageId?: string }[] };
      return { note: `messages: ${Messages.map(({ MessageId }) => MessageId).join(', ') || 'none'}` };
    } catch {
      return {};
    }
  }

  async #run(request: WireRequest, caller: Caller): Promise<SqsOutcome> {
    const action = actionOf(request.headers, SERVICE);
    const operation = action !== undefined && Object.hasOwn(SQS_OPERATIONS, action) ? SQS_OPERATIONS[action] : undefined;
    if (operation === undefined) throw unknownOperation(request.headers[TARGET_HEADER] ?? '');
    return operation({ queues: this.#queues, caller, signal: request.signal }, decodeInput(asText(request.body ?? '')));
  }

  #headers(): Readonly<Record<string, string>> {
    return {
      'x-amzn-requestid': drawUuid(this.#random),
      'content-type': AWS_JSON_CONTENT_TYPE,
      date: new Date(this.#clock.nowMs()).toUTCString(),
    };
  }
}
