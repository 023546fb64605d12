import { formatObject, isWatch } from '../../model/operation.ts';
import type { Effect, Operation } from '../../model/operation.ts';
import { decodeBody } from '../../protocols/kube/body.ts';
import { isJsonObject } from '../../protocols/kube/json.ts';
import { describeKubeRequest } from '../../protocols/kube/operation.ts';
import { describeStatus } from '../../protocols/kube/status.ts';
import type { KubeTypes } from '../../protocols/kube/types.ts';
import type { Answer, AnswerNote, Backend, Caller, ReadableRequest, Refusal, WholeAnswer } from '../../wire/backend.ts';
import { MAX_ANSWER_BYTES, arrived, readWhole } from '../../wire/wire.ts';
import type { Bytes, Wire, WireRequest, WireResponse } from '../../wire/wire.ts';
import { readable } from '../kube/readable.ts';
import { refuse } from '../kube/refusals.ts';
import { agentOf } from './agent.ts';

/** Headers that belong to one connection or to the caller's credentials, or would make answers unreadable here. */
const NOT_FORWARDED: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'authorization',
  'accept-encoding',
  'content-length',
  'transfer-encoding',
]);

/**
 * A real API server as a backend: requests are forwarded as they are, watches and the answers to reads are streamed, and a
 * request's effect is read from its answer. The listener identifies the caller, which needs no credentials: forwarded requests have those of
 * `server`.
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
    const headers: Record<string, string> = {};
    for (const name in request.headers) if (!NOT_FORWARDED.has(name)) headers[name] = request.headers[name] ?? '';
    const response = await this.#server({ ...request, headers: Object.assign(headers, agentOf(principal)) });
    if (!operation.mutating && response.status < 400) {
      // What it returns is not read here. The chain does it if a fault rewrites it.
      const body = isWatch(operation) ? response.body : arrived(response.body);
      return { ...response, body, effect: { kind: 'none' } };
    }
    const body = await readWhole(response.body, MAX_ANSWER_BYTES);
    return { ...response, body, effect: this.#effectOf(operation, { status: response.status, body }, response.headers) };
  }

  readable(request: WireRequest, operation: Operation, isRewritten: () => boolean): ReadableRequest | undefined {
    return readable(request, operation, isRewritten);
  }

  refuse(_operation: Operation, refusal: Refusal): WireResponse {
    return refuse(refusal);
  }

  describeAnswer(_operation: Operation, { status, body }: WholeAnswer): AnswerNote {
    return status < 400 ? {} : describeStatus(body, this.#types);
  }

  #effectOf({ mutating, object }: Operation, { status, body }: WholeAnswer, headers: WireResponse['headers']): Effect {
    if (!mutating) return { kind: 'none' };
    // After an error in front of the API or a time-out, it is unknown whether the store was reached.
    if (status >= 500) return { kind: 'unobservable' };
    // The answer to most writes contains no more than the request, so parsing it would be wasted.
    if (status < 400 && (object === undefined || object.name !== undefined)) {
      return { kind: 'applied', ids: object === undefined ? [] : [formatObject(object)] };
    }
    const answer = this.#read(body, headers['content-type']);
    if (status >= 400) return { kind: 'rejected', code: typeof answer.reason === 'string' ? answer.reason : String(status) };
    const { name } = isJsonObject(answer.metadata) ? answer.metadata : {};
    return {
      kind: 'applied',
      ids: object === undefined ? [] : [formatObject({ ...object, ...(typeof name === 'string' ? { name } : {}) })],
    };
  }

  /** An answer as JSON; empty if it can't be parsed. */
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

/** Every protobuf body starts with `k8s\0`. Source: apimachinery `pkg/runtime/serializer/protobuf/protobuf.go`. */
const PROTOBUF_MAGIC = 0x6b;
