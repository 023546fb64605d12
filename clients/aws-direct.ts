import { constructStack } from '@smithy/core/client';
import type { Command } from '@smithy/core/client';
import { NormalizedSchema, getSchemaSerdePlugin } from '@smithy/core/schema';
import { getSmithyContext } from '@smithy/core/transport';
import { defined } from '../model/defined.ts';
import { AwsCall } from '../protocols/aws-call/call.ts';
import type { InputCopier } from '../protocols/aws-call/input-copier.ts';
import type { Clock } from '../runtime/clock.ts';
import { withDecoded } from '../wire/wire.ts';
import type { Wire, WireRequest } from '../wire/wire.ts';
import { exchange } from './exchange.ts';
import type { WholeResponse } from './exchange.ts';

/** One service's requests. */
export interface DirectService {
  readonly name: AwsCall['service'];
  readonly copier: InputCopier;
  /** A request's headers. */
  headersOf(action: string): Readonly<Record<string, string>>;
  /** The body that the SDK would send. */
  write(action: string, schema: NormalizedSchema, input: object): string;
  /** What the SDK checks in an answer that was written and read. @throws Error if it was damaged */
  check?(action: string, output: object): void;
}

interface DirectOptions {
  readonly wire: Wire;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly service: DirectService;
  /** The configuration of the SDK's client for this service, which reads answers that are not decoded. */
  readonly config: Parameters<typeof getSchemaSerdePlugin>[0];
}

/** A command of the SDK. */
type AnyCommand = Pick<Command<object, object, object>, 'input' | 'schema'>;
type OperationSchema = Extract<AnyCommand['schema'], readonly unknown[]>;

/**
 * Sends the SDK's commands without the SDK, and unsigned. A world in this process gets a request that is a copy of the command's input,
 * and gives an answer that is a copy of its output. Everybody else writes and reads what the SDK does: a body is written if somebody reads
 * it (until the call settles, so that inputs must not change before), and answers that are only text, errors above all, are read by the
 * SDK's own middleware. Outputs and errors are those of the SDK's client.
 */
export class DirectClient {
  readonly #options: DirectOptions;
  readonly #read: (schema: OperationSchema, answer: WholeResponse) => Promise<object>;

  constructor(options: DirectOptions) {
    this.#options = options;
    this.#read = readerOf(options.config);
  }

  async send({ schema, input }: AnyCommand, { abortSignal }: { readonly abortSignal?: AbortSignal } = {}): Promise<object> {
    if (!Array.isArray(schema)) throw new TypeError('a command without a schema');
    const { wire, clock, timeoutMs, service } = this.#options;
    const answer = await exchange(wire, clock, this.#request(schema, input, abortSignal), timeoutMs);
    const { status, headers, decoded } = answer;
    if (decoded !== undefined) return { ...decoded, $metadata: { httpStatusCode: status, requestId: headers['x-amzn-requestid'] } };
    const output = await this.#read(schema, answer);
    service.check?.(schema[2], output);
    return output;
  }

  destroy(): void {
    // It has no sockets of its own.
  }

  #request([, , action, , inputSchema]: OperationSchema, input: object, signal: AbortSignal | undefined): WireRequest {
    const { service } = this.#options;
    const request = { method: 'POST', path: '/', headers: service.headersOf(action), ...defined({ signal }) };
    const write = (): string => service.write(action, NormalizedSchema.of(inputSchema), input);
    const copied = service.copier.copy(inputSchema, input);
    return copied === undefined ? { ...request, body: write() } : withDecoded(request, new AwsCall(service.name, action, copied), write);
  }
}

const utf8 = new TextEncoder();

/** Reads answers with the SDK's middleware for that and no other. Rejects with the SDK's errors. */
function readerOf(config: DirectOptions['config']): (schema: OperationSchema, answer: WholeResponse) => Promise<object> {
  const stack = constructStack<object, { readonly $metadata: object }>();
  stack.use(getSchemaSerdePlugin(config));
  // Its other half writes requests.
  stack.remove('serializerMiddleware');
  return async (operationSchema, { status, headers, text }) => {
    const context = {};
    getSmithyContext(context)['operationSchema'] = operationSchema;
    const response = { statusCode: status, headers: { ...headers }, body: utf8.encode(text) };
    // The middleware makes the output of the response.
    const handler = stack.resolve(() => Promise.resolve({ response, output: { $metadata: {} } }), context);
    return (await handler({ input: {} })).output;
  };
}
