import type { Operation } from '../../../model/operation.ts';
import { TARGET_HEADER, actionOf, encodeRefusal } from '../../../protocols/aws-json/codec.ts';
import { copySqsAnswer } from '../../../protocols/aws-json/sqs-answers.ts';
import { JsonRefusal, unknownOperation } from '../../../protocols/aws-json/refusal.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { Random } from '../../../runtime/random.ts';
import type { Answer, Backend, Caller } from '../../../wire/backend.ts';
import { withDecoded } from '../../../wire/wire.ts';
import type { WireRequest } from '../../../wire/wire.ts';
import type { SqsOutcome } from './operation.ts';
import { SQS_OPERATIONS } from './operations.ts';
import { SERVICE, SqsProtocol, inputOf } from './protocol.ts';
import type { Queues } from './queues.ts';

/** Serves SQS with the JSON protocol, which SDKs have used since the end of 2023; the older query protocol is not served. */
export class SqsBackend extends SqsProtocol implements Backend {
  readonly #queues: Queues;

  constructor(parts: { queues: Queues; clock: Clock; random: Random }) {
    super(parts);
    this.#queues = parts.queues;
  }

  async handle(request: WireRequest, _operation: Operation, caller: Caller): Promise<Answer> {
    const headers = this.headers();
    const action = actionOf(request.headers, SERVICE) ?? '';
    try {
      const { output, effect } = await this.#run(action, request, caller);
      const answer = { status: 200, headers, effect };
      // Only a caller in this process sends a decoded request.
      const decoded = request.decoded === undefined ? undefined : copySqsAnswer(action, output);
      if (decoded === undefined) return { ...answer, body: JSON.stringify(output) };
      return withDecoded(answer, decoded, () => JSON.stringify(output));
    } catch (error) {
      if (!(error instanceof JsonRefusal)) throw error;
      const { headers: more, body } = encodeRefusal(error);
      return { status: error.status, headers: { ...headers, ...more }, body, effect: { kind: 'rejected', code: error.queryCode } };
    }
  }

  async #run(action: string, request: WireRequest, caller: Caller): Promise<SqsOutcome> {
    const operation = Object.hasOwn(SQS_OPERATIONS, action) ? SQS_OPERATIONS[action] : undefined;
    if (operation === undefined) throw unknownOperation(request.headers[TARGET_HEADER] ?? '');
    return operation({ queues: this.#queues, caller, signal: request.signal }, inputOf(request));
  }
}
