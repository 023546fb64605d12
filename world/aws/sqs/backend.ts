import type { Operation } from '../../../model/operation.ts';
import { TARGET_HEADER, actionOf, decodeInput, encodeRefusal } from '../../../protocols/aws-json/codec.ts';
import { JsonRefusal, unknownOperation } from '../../../protocols/aws-json/refusal.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { Random } from '../../../runtime/random.ts';
import type { Answer, Backend, Caller } from '../../../wire/backend.ts';
import { asText } from '../../../wire/wire.ts';
import type { WireRequest } from '../../../wire/wire.ts';
import type { SqsOutcome } from './operation.ts';
import { SQS_OPERATIONS } from './operations.ts';
import { SERVICE, SqsProtocol } from './protocol.ts';
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
    try {
      const { output, effect } = await this.#run(request, caller);
      return { status: 200, headers, body: JSON.stringify(output), effect };
    } catch (error) {
      if (!(error instanceof JsonRefusal)) throw error;
      const { headers: more, body } = encodeRefusal(error);
      return { status: error.status, headers: { ...headers, ...more }, body, effect: { kind: 'rejected', code: error.queryCode } };
    }
  }

  async #run(request: WireRequest, caller: Caller): Promise<SqsOutcome> {
    const action = actionOf(request.headers, SERVICE);
    const operation = action !== undefined && Object.hasOwn(SQS_OPERATIONS, action) ? SQS_OPERATIONS[action] : undefined;
    if (operation === undefined) throw unknownOperation(request.headers[TARGET_HEADER] ?? '');
    return operation({ queues: this.#queues, caller, signal: request.signal }, decodeInput(asText(request.body ?? '')));
  }
}
