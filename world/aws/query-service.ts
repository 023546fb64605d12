import type { Effect, Operation } from '../../model/operation.ts';
import {
  QUERY_CONTENT_TYPE,
  QueryRefusal,
  decodeForm,
  describeQueryError,
  encodeAnswer,
  encodeQueryRefusal,
} from '../../protocols/aws-query/codec.ts';
import type { QueryValue } from '../../protocols/aws-query/codec.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import type { Answer, AnswerNote, Backend, Refusal, WholeAnswer } from '../../wire/backend.ts';
import { asText } from '../../wire/wire.ts';
import type { WireRequest, WireResponse } from '../../wire/wire.ts';
import { drawUuid } from './ids.ts';

/** What an action answers, and its effect. */
export interface QueryOutcome {
  /** Absent for actions without a result. */
  readonly output?: Readonly<Record<string, QueryValue | undefined>>;
  readonly effect: Effect;
}

/** One action. Refuses by throwing a QueryRefusal. */
export type QueryAction = (input: Readonly<Record<string, unknown>>) => QueryOutcome;

/** The parts of one service of the query protocol. */
export interface QueryServiceParts {
  /** As in IAM: `iam`. */
  readonly service: string;
  /** The version (a date) of its API. */
  readonly version: string;
  readonly namespace: string;
  readonly actions: Readonly<Record<string, QueryAction>>;
  /** Read-only actions. */
  readonly reading: RegExp;
  readonly clock: Clock;
  /** Source of request ids. */
  readonly random: Random;
}

/** Serves one service by the AWS query protocol. */
export class QueryService implements Backend {
  readonly #parts: QueryServiceParts;

  constructor(parts: QueryServiceParts) {
    this.#parts = parts;
  }

  /** The names of its operations. */
  get operations(): readonly string[] {
    return Object.keys(this.#parts.actions);
  }

  describe({ body }: WireRequest): Operation {
    const { service, reading } = this.#parts;
    const { action, input } = decodeForm(asText(body ?? ''));
    if (!/^[A-Za-z0-9]{1,100}$/.test(action)) return { wire: 'aws', name: 'unknown', mutating: true };
    return { wire: 'aws', name: `${service}:${action}`, mutating: !reading.test(action), input };
  }

  async handle(request: WireRequest): Promise<Answer> {
    const { actions, namespace, version } = this.#parts;
    const requestId = drawUuid(this.#parts.random);
    const headers = this.#headers(requestId);
    const { action, input } = decodeForm(asText(request.body ?? ''));
    try {
      const run = Object.hasOwn(actions, action) ? actions[action] : undefined;
      if (run === undefined) throw new QueryRefusal('InvalidAction', `Could not find operation ${action} for version ${version}`);
      const { output, effect } = run(input);
      return await Promise.resolve({ status: 200, headers, body: encodeAnswer(action, output, { namespace, requestId }), effect });
    } catch (error) {
      if (!(error instanceof QueryRefusal)) throw error;
      const body = encodeQueryRefusal(error, { namespace, requestId });
      return { status: error.status, headers, body, effect: { kind: 'rejected', code: error.code } };
    }
  }

  refuse(_operation: Operation, { status, code, message, retryAfterSeconds }: Refusal): WireResponse {
    const { namespace } = this.#parts;
    const requestId = drawUuid(this.#parts.random);
    const retryAfter: Record<string, string> = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
    const body = encodeQueryRefusal(new QueryRefusal(code, message, status), { namespace, requestId });
    return { status, headers: { ...this.#headers(requestId), ...retryAfter }, body };
  }

  describeAnswer(_operation: Operation, { status, body }: WholeAnswer): AnswerNote {
    return status < 400 ? {} : describeQueryError(asText(body));
  }

  #headers(requestId: string): Readonly<Record<string, string>> {
    return {
      'x-amzn-requestid': requestId,
      'content-type': QUERY_CONTENT_TYPE,
      date: new Date(this.#parts.clock.nowMs()).toUTCString(),
    };
  }
}

/** One member of a service's input, with the constraints of its model. */
export interface MemberRule {
  readonly pattern: RegExp;
  /** The pattern as written in the service's model. */
  readonly source: string;
  readonly maxLength: number;
}

/**
 * A string member of the input. @throws QueryRefusal ValidationError, in the words of the frameworks behind IAM and STS, if it is
 * missing or violates its rule
 */
export function readText(input: Readonly<Record<string, unknown>>, name: string, rule: MemberRule): string {
  const value = input[name];
  const member = name.charAt(0).toLowerCase() + name.slice(1);
  const refuse = (constraint: string): never => {
    const shown = typeof value === 'string' ? `'${value}'` : 'null';
    throw new QueryRefusal(
      'ValidationError',
      `1 validation error detected: Value ${shown} at '${member}' failed to satisfy constraint: ${constraint}`,
    );
  };
  if (typeof value !== 'string') return refuse('Member must not be null');
  if (value.length < 1) return refuse('Member must have length greater than or equal to 1');
  if (value.length > rule.maxLength) return refuse(`Member must have length less than or equal to ${rule.maxLength}`);
  if (!rule.pattern.test(value)) return refuse(`Member must satisfy regular expression pattern: ${rule.source}`);
  return value;
}
