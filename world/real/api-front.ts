import { formatObject } from '../../model/operation.ts';
import type { Effect, Operation } from '../../model/operation.ts';
import { decodeBody } from '../../protocols/kube/body.ts';
import { isJsonObject } from '../../protocols/kube/json.ts';
import { describeKubeRequest } from '../../protocols/kube/operation.ts';
import type { KubeTypes } from '../../protocols/kube/types.ts';
import type { Answer, AnswerNote, Backend, Caller, Refusal, WholeAnswer } from '../../wire/backend.ts';
import { isStream } from '../../wire/wire.ts';
import type { Bytes, Wire, WireRequest, WireResponse } from '../../wire/wire.ts';
import { refuse } from '../kube/refusals.ts';
import { agentOf } from './agent.ts';

/** Longest answer that is not a watch: a list of 10,000 pods has some 60 MB. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
/** What belongs to one connection, to the caller's own credentials, or would make answers unreadable on their way. */
const NOT_FORWARDED: readonly string[] = ['host', 'connection', 'authorization', 'accept-encoding', 'content-length', 'transfer-encoding'];

/**
 * A real API server as a backend: requests are sent on as they came, watches are streamed as they come, and what a request
 * did is read from its answer. Callers are told apart by their listener and need no credentials: what is sent on bears those
 * of `server`.
 */
export class ApiFront implements Backend {
  readonly #server: Wire;
  readonly #types: KubeTypes;

  constructor({ server, types }: { readonly server: Wire; readonly types: KubeTypes }) {
    this.#server = server;
    this.#types = types;
  }

  describe(request: WireRequest): Operation {
    return describeKubeRequest(request, this.#types);
  }

  async handle(request: WireRequest, operation: Operation, { principal }: Caller): Promise<Answer> {
    const isWatch = operation.name.startsWith('watch ');
    const kept = Object.entries(request.headers).filter(([name]) => !NOT_FORWARDED.includes(name));
    const headers = {
      ...Object.fromEntries(kept),
      ...(isWatch ? { accept: inLines(request.headers['accept']) } : {}),
      ...agentOf(principal),
    };
    const response = await this.#server({ ...request, headers });
    if (isWatch && response.status < 400) return { ...response, effect: { kind: 'none' } };
    const body = await readWhole(response.body);
    return { ...response, body, effect: this.#effectOf(operation, { status: response.status, body }, response.headers) };
  }

  refuse(_operation: Operation, refusal: Refusal): WireResponse {
    return refuse(refusal);
  }

  describeAnswer(_operation: Operation, { status, body }: WholeAnswer): AnswerNote {
    if (status < 400) return {};
    const { reason, message } = this.#read(body, undefined);
    return { ...(typeof reason === 'string' ? { code: reason } : {}), ...(typeof message === 'string' ? { note: message } : {}) };
  }

  #effectOf({ mutating, object }: Operation, { status, body }: WholeAnswer, headers: WireResponse['headers']): Effect {
    if (!mutating) return { kind: 'none' };
    // Of an answer from before the API, or after its time was up, nobody knows whether the store was reached.
    if (status >= 500) return { kind: 'unobservable' };
    const answer = this.#read(body, headers['content-type']);
    if (status >= 400) return { kind: 'rejected', code: typeof answer.reason === 'string' ? answer.reason : String(status) };
    if (object === undefined) return { kind: 'applied', ids: [] };
    const metadata = isJsonObject(answer.metadata) ? answer.metadata : {};
    const name = object.name ?? (typeof metadata.name === 'string' ? metadata.name : undefined);
    return { kind: 'applied', ids: [formatObject({ ...object, ...(name === undefined ? {} : { name }) })] };
  }

  /** An answer as JSON; what can't be read says nothing. */
  #read(body: Bytes, contentType: string | undefined): Readonly<Record<string, unknown>> {
    try {
      const isProtobuf = typeof body !== 'string' && body[0] === PROTOBUF_MAGIC;
      const answer = decodeBody(
        body,
        isProtobuf ? 'application/vnd.kubernetes.protobuf' : (contentType ?? 'application/json'),
        this.#types,
      );
      return isJsonObject(answer) ? answer : {};
    } catch {
      return {};
    }
  }
}

/** `k8s\0` begins every body in protobuf. Source: apimachinery `pkg/runtime/serializer/protobuf/protobuf.go`. */
const PROTOBUF_MAGIC = 0x6b;

/** A watch must come in JSON, an event a line: the chain counts and rewrites its events. Clients that prefer protobuf take both. */
function inLines(accept: string | undefined): string {
  const types = (accept ?? '').split(',').filter((type) => type.includes('json'));
  return types.length === 0 ? 'application/json' : types.join(',');
}

/** A body to its end, as bytes. @throws RangeError for one that has no end */
async function readWhole(body: WireResponse['body']): Promise<Bytes> {
  if (!isStream(body)) return body;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    length += bytes.length;
    if (length > MAX_ANSWER_BYTES) throw new RangeError(`an answer of the API server is longer than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(bytes);
  }
  return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks);
}
