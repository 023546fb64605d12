import { z } from 'zod';
import type { ClusterConfig } from '../../model/cluster.ts';
import type { Operation } from '../../model/operation.ts';
import { actionOf, decodeInput, describeError } from '../../protocols/aws-json/codec.ts';
import { JsonRefusal } from '../../protocols/aws-json/refusal.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Random } from '../../runtime/random.ts';
import type { Answer, AnswerNote, Backend, Refusal, WholeAnswer } from '../../wire/backend.ts';
import { asText } from '../../wire/wire.ts';
import type { WireRequest, WireResponse } from '../../wire/wire.ts';
import { drawUuid } from './ids.ts';
import { imageOfParameter } from './ssm-images.ts';

/** As requests name it. */
export const SSM_TARGET = 'AmazonSSM';
const CONTENT_TYPE = 'application/x-amz-json-1.1';
/** When the parameters got their value: the date of the images. */
const MODIFIED_AT_SECONDS = Date.parse('2026-01-05T00:00:00.000Z') / 1_000;

const ONE = z.object({ Name: z.string().min(1).max(2_048) });
const MANY = z.object({ Names: z.array(z.string().min(1).max(2_048)).min(1).max(10) });

/** Serves the public parameters of SSM that name images, by the AWS JSON 1.1 protocol. Reads alone. */
export class SsmBackend implements Backend {
  readonly #cluster: Pick<ClusterConfig, 'imageIds' | 'region'>;
  readonly #clock: Clock;
  readonly #random: Random;

  /** @param parts.random request ids come from it */
  constructor(parts: { readonly cluster: Pick<ClusterConfig, 'imageIds' | 'region'>; readonly clock: Clock; readonly random: Random }) {
    this.#cluster = parts.cluster;
    this.#clock = parts.clock;
    this.#random = parts.random;
  }

  describe({ headers, body }: WireRequest): Operation {
    const action = actionOf(headers, SSM_TARGET);
    if (action === undefined) return { wire: 'aws', name: 'unknown', mutating: true };
    const operation = { wire: 'aws', name: `ssm:${action}`, mutating: !/^(Describe|Get|List)/.test(action) } as const;
    try {
      return { ...operation, input: decodeInput(asText(body ?? '')) };
    } catch (error) {
      if (error instanceof JsonRefusal) return operation;
      throw error;
    }
  }

  async handle(request: WireRequest): Promise<Answer> {
    try {
      const body = JSON.stringify(this.#answer(actionOf(request.headers, SSM_TARGET), asText(request.body ?? '')));
      return await Promise.resolve({ status: 200, headers: this.#headers(), body, effect: { kind: 'none' } });
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

  #answer(action: string | undefined, body: string): object {
    switch (action) {
      case 'GetParameter': {
        const { Name: name } = parse(ONE, decodeInput(body));
        const parameter = this.#parameter(name);
        // SSM gives no message with this one.
        if (parameter === undefined) throw new JsonRefusal('ParameterNotFound', 'ParameterNotFound', '');
        return { Parameter: parameter };
      }
      case 'GetParameters': {
        const { Names: names } = parse(MANY, decodeInput(body));
        return {
          Parameters: names.flatMap((name) => this.#parameter(name) ?? []),
          InvalidParameters: names.filter((name) => this.#parameter(name) === undefined),
        };
      }
      default:
        throw new JsonRefusal('UnknownOperationException', 'UnknownOperationException', '');
    }
  }

  #parameter(name: string): object | undefined {
    const value = imageOfParameter(name, this.#cluster);
    if (value === undefined) return undefined;
    return {
      Name: name,
      Type: 'String',
      Value: value,
      Version: 1,
      LastModifiedDate: MODIFIED_AT_SECONDS,
      // Public parameters are no account's.
      ARN: `arn:aws:ssm:${this.#cluster.region}::parameter${name}`,
      DataType: 'text',
    };
  }

  #refusal(code: string, message: string, status: number): WireResponse {
    return { status, headers: this.#headers(), body: JSON.stringify({ __type: code, ...(message === '' ? {} : { message }) }) };
  }

  #headers(): Readonly<Record<string, string>> {
    return {
      'x-amzn-requestid': drawUuid(this.#random),
      'content-type': CONTENT_TYPE,
      date: new Date(this.#clock.nowMs()).toUTCString(),
    };
  }
}

/** @throws JsonRefusal ValidationException */
function parse<T>(schema: z.ZodType<T>, input: unknown): T {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const member = issue?.path[0] === 'Names' ? 'names' : 'name';
  throw new JsonRefusal(
    'ValidationException',
    'ValidationException',
    `1 validation error detected: Value at '${member}' failed to satisfy constraint: ${issue?.message ?? 'Member must not be null'}`,
  );
}
