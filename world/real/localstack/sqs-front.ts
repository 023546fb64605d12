import type { Effect, Operation } from '../../../model/operation.ts';
import { decodeInput, describeError } from '../../../protocols/aws-json/codec.ts';
import { JsonRefusal } from '../../../protocols/aws-json/refusal.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { Random } from '../../../runtime/random.ts';
import type { Answer, Backend, Caller } from '../../../wire/backend.ts';
import { readText } from '../../../wire/wire.ts';
import type { Wire, WireRequest } from '../../../wire/wire.ts';
import { SqsProtocol } from '../../aws/sqs/protocol.ts';
import { queueUrlOf } from './queue.ts';
import type { LocalStackQueue, ReceivedMessage } from './queue.ts';

/** Headers that belong to one connection or to the caller's credentials, or would make answers unreadable here. */
const NOT_FORWARDED: readonly string[] = ['host', 'connection', 'authorization', 'accept-encoding', 'content-length', 'transfer-encoding'];
/** Headers of an answer that are no longer valid once its body was read, and possibly rewritten. */
const NOT_RETURNED: readonly string[] = ['connection', 'content-length', 'transfer-encoding', 'keep-alive'];

type Fields = Readonly<Record<string, unknown>>;

/**
 * LocalStack's SQS as a backend: requests are forwarded as requests of the trial's account, and their effect is read from the
 * answers. Queues have AWS's own URLs, so that no target bypasses the wire. Differences from SQS: no message is delivered twice
 * or out of order by itself, a handle of an earlier reception deletes, and a poll of a client that died may still take a
 * message.
 */
export class SqsFront extends SqsProtocol implements Backend {
  readonly #server: Wire;
  readonly #queue: LocalStackQueue;
  readonly #account: string;
  readonly #region: string;

  constructor(parts: { server: Wire; queue: LocalStackQueue; account: string; region: string; clock: Clock; random: Random }) {
    super(parts);
    this.#server = parts.server;
    this.#queue = parts.queue;
    this.#account = parts.account;
    this.#region = parts.region;
  }

  async handle(request: WireRequest, operation: Operation, caller: Caller): Promise<Answer> {
    const kept = Object.entries(request.headers).filter(([name]) => !NOT_FORWARDED.includes(name));
    const headers = { ...Object.fromEntries(kept), authorization: this.#authorization() };
    const answer = await this.#server({ ...request, headers });
    const text = await readText(answer.body);
    const output = readObject(text);
    const isOk = answer.status < 400;
    if (isOk && operation.name === 'sqs:ReceiveMessage') this.#queue.receive(listOf<ReceivedMessage>(output.Messages), caller);
    const returned = Object.entries(answer.headers).filter(([name]) => !NOT_RETURNED.includes(name));
    return {
      status: answer.status,
      headers: Object.fromEntries(returned),
      body: isOk ? this.#withOwnUrls(text, output) : text,
      effect: this.#effectOf(operation, answer.status, text, output),
    };
  }

  #effectOf({ name, mutating, input }: Operation, status: number, text: string, output: Fields): Effect {
    if (!mutating) return { kind: 'none' };
    if (status >= 500) return { kind: 'unobservable' };
    if (status >= 400) return { kind: 'rejected', code: describeError(text).code ?? String(status) };
    const fields = (input ?? {}) as Fields;
    if (name === 'sqs:DeleteMessage') return this.#deleted([fields.ReceiptHandle]);
    if (name === 'sqs:DeleteMessageBatch') {
      const done = new Set(listOf<{ Id?: string }>(output.Successful).map(({ Id }) => Id));
      const entries = listOf<{ Id?: string; ReceiptHandle?: string }>(fields.Entries).filter(({ Id }) => done.has(Id));
      return this.#deleted(entries.map(({ ReceiptHandle }) => ReceiptHandle));
    }
    const id = [output.MessageId, output.QueueUrl, nameIn(fields.QueueUrl)].find((one) => typeof one === 'string');
    return { kind: 'applied', ids: typeof id === 'string' ? [id] : [] };
  }

  /** Deleting a message that is already deleted changes nothing, and SQS does not report it. */
  #deleted(handles: readonly unknown[]): Effect {
    const ids = handles.flatMap((handle) => (typeof handle === 'string' ? (this.#queue.forget(handle) ?? []) : []));
    return ids.length === 0 ? { kind: 'none' } : { kind: 'applied', ids };
  }

  #withOwnUrls(text: string, output: Fields): string {
    const own = (url: unknown): string => queueUrlOf(this.#region, this.#account, nameIn(url) ?? '');
    if (typeof output.QueueUrl === 'string') return JSON.stringify({ ...output, QueueUrl: own(output.QueueUrl) });
    if (Array.isArray(output.QueueUrls)) return JSON.stringify({ ...output, QueueUrls: output.QueueUrls.map(own) });
    return text;
  }

  /** LocalStack reads account and region from the scope of the credential, and checks no signature. */
  #authorization(): string {
    return `AWS4-HMAC-SHA256 Credential=${this.#account}/20260101/${this.#region}/sqs/aws4_request, SignedHeaders=host, Signature=none`;
  }
}

function nameIn(url: unknown): string | undefined {
  return typeof url === 'string' ? url.split('/').at(-1) : undefined;
}

function listOf<T>(value: unknown): readonly T[] {
  return Array.isArray(value) ? (value as T[]) : [];
}

/** Empty if it can't be parsed. */
function readObject(text: string): Fields {
  try {
    return decodeInput(text);
  } catch (error) {
    if (error instanceof JsonRefusal) return {};
    throw error;
  }
}
