import { connect as connectPlain } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ClusterAccess } from '../clients/kubeconfig.ts';
import { defined } from '../model/defined.ts';
import { startStopwatch } from '../runtime/stopwatch.ts';

/** One request of a benchmark. */
export interface LoadRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const HEAD_END = '\r\n\r\n';
/** The end of a chunked body. No body of the benchmark contains it. */
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n');
/** A head is at most this long, in bytes. */
const MAX_HEAD_BYTES = 64 * 1024;

/**
 * A keep-alive connection that sends one request at a time and throws answers away. It understands just enough HTTP to find
 * the end of an answer: a real client would cost more than the proxies that are measured.
 */
export class LoadConnection {
  readonly #socket: Socket;
  readonly #head: string;
  #answered: PromiseWithResolvers<void> | undefined;
  #status = 0;
  /** The start of an answer, until its head is complete; then the last bytes of it. */
  #kept: Buffer = Buffer.alloc(0);
  /** The bytes that are missing; undefined while the head is incomplete, infinite if the body is chunked. */
  #missing: number | undefined;

  private constructor(socket: Socket, head: string) {
    this.#socket = socket;
    this.#head = head;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.on('error', (error) => this.#answered?.reject(error));
    socket.on('close', () => this.#answered?.reject(new Error('the connection was closed in the middle of an answer')));
  }

  static async open({ baseUrl, tls, bearerToken }: ClusterAccess): Promise<LoadConnection> {
    const { protocol, hostname, host, port } = new URL(baseUrl);
    const isSecure = protocol === 'https:';
    const address = { host: hostname, port: Number(port === '' ? (isSecure ? 443 : 80) : port) };
    const { ca, cert, key, serverName, insecure } = tls;
    const socket = isSecure
      ? connectTls({ ...address, rejectUnauthorized: insecure !== true, ...defined({ ca, cert, key, servername: serverName }) })
      : connectPlain(address);
    const connected = Promise.withResolvers<void>();
    socket.once(isSecure ? 'secureConnect' : 'connect', connected.resolve);
    socket.once('error', connected.reject);
    await connected.promise;
    const token = bearerToken === undefined ? '' : `authorization: Bearer ${bearerToken}\r\n`;
    return new LoadConnection(socket, `host: ${host}\r\naccept: application/json\r\n${token}`);
  }

  /** Resolves with the status when the whole answer has arrived. @throws if the connection breaks, or was closed */
  async send({ method, path, headers = {}, body = '' }: LoadRequest): Promise<number> {
    if (this.#socket.destroyed) throw new Error('the connection was closed');
    this.#answered = Promise.withResolvers<void>();
    const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const length = body === '' ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
    this.#socket.write(`${method} ${path} HTTP/1.1\r\n${this.#head}${more.join('')}${length}\r\n${body}`);
    await this.#answered.promise;
    return this.#status;
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    if (this.#missing === undefined) {
      this.#kept = this.#kept.length === 0 ? chunk : Buffer.concat([this.#kept, chunk]);
      const end = this.#kept.indexOf(HEAD_END);
      if (end === -1) {
        if (this.#kept.length > MAX_HEAD_BYTES) this.#socket.destroy(new Error('the head of an answer is too long'));
        return;
      }
      const head = this.#kept.toString('latin1', 0, end);
      this.#status = Number(head.slice(9, 12));
      const [, length] = /\ncontent-length: *(\d+)/i.exec(head) ?? [];
      this.#missing = length === undefined ? Number.POSITIVE_INFINITY : Number(length);
      this.#take(this.#kept.subarray(end + HEAD_END.length - (length === undefined ? 2 : 0)));
    } else {
      this.#take(chunk);
    }
  }

  #take(body: Buffer): void {
    if (this.#missing === Number.POSITIVE_INFINITY) {
      const last = body.length >= LAST_CHUNK.length ? body : Buffer.concat([this.#kept, body]);
      this.#kept = last.subarray(-LAST_CHUNK.length);
      if (!this.#kept.equals(LAST_CHUNK)) return;
    } else {
      this.#missing = (this.#missing ?? 0) - body.length;
      if (this.#missing > 0) return;
    }
    this.#missing = undefined;
    this.#kept = Buffer.alloc(0);
    this.#answered?.resolve();
  }
}

/** What a number of requests took. */
export interface Sent {
  readonly ms: number;
  readonly latenciesMs: readonly number[];
}

/** Sends `count` requests over the connections, one at a time on each. */
export async function sendAll(connections: readonly LoadConnection[], count: number, next: () => LoadRequest): Promise<Sent> {
  const elapsed = startStopwatch();
  const latenciesMs: number[] = [];
  let left = count;
  const work = async (connection: LoadConnection): Promise<void> => {
    while ((left -= 1) >= 0) {
      const sentAtMs = elapsed();
      await sendOne(connection, next());
      latenciesMs.push(elapsed() - sentAtMs);
    }
  };
  await Promise.all(connections.map(work));
  return { ms: elapsed(), latenciesMs };
}

/** Sends one request. A conflict is fine: several write one object. @throws if it is refused */
export async function sendOne(connection: LoadConnection, request: LoadRequest): Promise<void> {
  const status = await connection.send(request);
  if (status >= 400 && status !== 409) throw new Error(`${request.method} ${request.path}: ${status}`);
}
