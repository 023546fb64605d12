import { z } from 'zod';
import type { Effect, Operation } from '../../model/operation.ts';
import { actionOf, decodeInput, describeError } from '../../protocols/aws-json/codec.ts';
import { JsonRefusal } from '../../protocols/aws-json/refusal.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import type { Answer, AnswerNote, Backend, Refusal, WholeAnswer } from '../../wire/backend.ts';
import { asText } from '../../wire/wire.ts';
import type { WireRequest, WireResponse } from '../../wire/wire.ts';
import { drawUuid } from './ids.ts';

const CONTENT_TYPE = 'application/x-amz-json-1.1';
const NOTHING: Effect = { kind: 'none' };

/** One read-only action. Refuses by throwing a JsonRefusal. */
export type JsonAction = (input: Readonly<Record<string, unknown>>) => object;

/** The parts of one service of the AWS JSON 1.1 protocol. */
export interface JsonServiceParts {
  /** As in IAM: `ssm`. */
  readonly service: string;
  /** As in requests: `AmazonSSM`. */
  readonly target: string;
  readonly actions: Readonly<Record<string, JsonAction>>;
  readonly clock: Clock;
  /** Source of request ids. */
  readonly random: Random;
}

/** Serves a read-only service of the AWS JSON 1.1 protocol. */
export class JsonService implements Backend {
  readonly #parts: JsonServiceParts;

  constructor(parts: JsonServiceParts) {
    this.#parts = parts;
  }

  /** The names of its operations. */
  get operations(): readonly string[] {
    return Object.keys(this.#parts.actions);
  }

  describe({ headers, body }: WireRequest): Operation {
    const { service, target } = this.#parts;
    const action = actionOf(headers, target);
    if (action === undefined) return { wire: 'aws', name: 'unknown', mutating: true };
    const operation = { wire: 'aws', name: `${service}:${action}`, mutating: !/^(Describe|Get|List)/.test(action) } as const;
    try {
      return { ...operation, input: decodeInput(asText(body ?? '')) };
    } catch (error) {
      if (error instanceof JsonRefusal) return operation;
      throw error;
    }
  }

  async handle(request: WireRequest): Promise<Answer> {
    try {
      const action = actionOf(request.headers, this.#parts.target) ?? '';
      const run = Object.hasOwn(this.#parts.actions, action) ? this.#parts.actions[action] : undefined;
      if (run === undefined) throw new JsonRefusal('UnknownOperationException', 'UnknownOperationException', '');
      const body = JSON.stringify(run(decodeInput(asText(request.body ?? ''))));
      return await Promise.resolve({ status: 200, headers: this.#headers(), body, effect: NOTHING });
    } catch (error) {
      if (!(error instanceof JsonRefusal)) throw error;
      const code = error.type.slice(error.type.indexOf('#') + 1);
      return { ...this.#refusal(code, error.message, error.status), effect: { kind: 'rejected', code } };
    }
  }

  refuse(_operation: Operation, { status, code, message, retryAfterSeconds }: Refusal): WireResponse {
    const { headers, ...rest } = this.#refusal(code, message, status);
    return { ...rest, headers: retryAfterSeconds === undefined ? headers : { ...headers, 'retry-after': String(retryAfterSeconds) } };
  }

  describeAnswer(_operation: Operation, { status, body }: WholeAnswer): AnswerNote {
    return status < 400 ? {} : describeError(asText(body));
  }

  #refusal(code: string, message: string, status: number): WireResponse {
    return { status, headers: this.#headers(), body: JSON.stringify({ __type: code, ...(message === '' ? {} : { message }) }) };
  }

  #headers(): Readonly<Record<string, string>> {
    return {
      'x-amzn-requestid': drawUuid(this.#parts.random),
      'content-type': CONTENT_TYPE,
      date: new Date(this.#parts.clock.nowMs()).toUTCString(),
    };
  }
}

/** An action's input by its schema. @throws JsonRefusal ValidationException that names the first invalid member */
export function readInput<T>(schema: z.ZodType<T>, input: unknown): T {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const [first = 'input'] = issue?.path ?? [];
  const name = String(first);
  throw new JsonRefusal(
    'ValidationException',
    'ValidationException',
    `1 validation error detected: Value at '${name.charAt(0).toLowerCase()}${name.slice(1)}' failed to satisfy constraint: ${issue?.message ?? 'Member must not be null'}`,
  );
}
