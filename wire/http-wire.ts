import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { createSecureContext } from 'node:tls';
import { urlToHttpOptions } from 'node:url';
import { defined } from '../model/defined.ts';
import { fromSocket, toSocket } from './http-headers.ts';
import { WireError, concat, tooLong } from './wire.ts';
import type { ByteStream, Wire, WireErrorCode, WireRequest, WireResponse } from './wire.ts';

/** Most connections of one wire to its server: each watch holds one. */
export const MAX_SOCKETS = 128;
/** How long an idle connection is kept: less than the servers' own limits, so that no request meets a closing socket. */
export const IDLE_SOCKET_MS = 4_000;
/** Idle time after which the kernel probes whether the other side is still there. */
export const TCP_KEEP_ALIVE_MS = 30_000;

/** How the server and the client authenticate. All PEM. */
export interface TlsOptions {
  /** The authority that signed the server's certificate; by default the system's. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** Trust any certificate. */
  readonly insecure?: boolean;
  /** The name that the server's certificate must have, if it is not the URL's host. */
  readonly serverName?: string;
}

export interface HttpWireOptions {
  /** `http://` or `https://`; its path, if any, is a prefix of every request's path. */
  readonly baseUrl: string;
  readonly tls?: TlsOptions;
  readonly bearerToken?: string;
  readonly maxSockets?: number;
}

/** A wire over sockets. `destroy` closes every connection, also those with answers in progress. */
export interface HttpWire {
  readonly wire: Wire;
  destroy(): void;
}

/**
 * Opens a wire to an HTTP server, with keep-alive connections. Answers are streamed: a slow reader slows the server down,
 * and a reader that stops closes the connection. Each body must be read or its iteration stopped, or its connection stays
 * taken. Nothing is retried and there are no time-outs: callers have clocks.
 */
export function createHttpWire(options: HttpWireOptions): HttpWire {
  const { tls = {}, bearerToken, maxSockets = MAX_SOCKETS } = options;
  const base = new URL(options.baseUrl);
  const prefix = base.pathname.replace(/\/$/, '');
  const { protocol, hostname, port, auth } = urlToHttpOptions(base);
  const server = { protocol, hostname, port, ...defined({ auth }) };
  const isSecure = protocol === 'https:';
  const agentOptions = { keepAlive: true, maxSockets, timeout: IDLE_SOCKET_MS, keepAliveMsecs: TCP_KEEP_ALIVE_MS };
  const agent = isSecure
    ? new HttpsAgent({
        ...agentOptions,
        // Made once: an agent with the PEM itself would use all of it in the key of its connection pool, for every request.
        secureContext: createSecureContext(defined({ ca: tls.ca, cert: tls.cert, key: tls.key })),
        ...defined({ servername: tls.serverName }),
        rejectUnauthorized: tls.insecure !== true,
      })
    : new HttpAgent(agentOptions);
  const send = isSecure ? httpsRequest : httpRequest;
  const open = new Set<Exchange>();
  let isClosed = false;

  const wire: Wire = (request) => {
    if (isClosed) return Promise.reject(new WireError('ECONNRESET', 'the wire was closed'));
    if (request.signal?.aborted === true) return Promise.reject(toWireError(request.signal.reason, request));
    const headers = toSocket(request.headers, 'host');
    if (request.body !== undefined) headers['content-length'] = String(Buffer.byteLength(request.body));
    if (bearerToken !== undefined) headers['authorization'] = `Bearer ${bearerToken}`;
    const path = prefix + (PLAIN_PATH.test(request.path) ? request.path : escaped(request.path, base));
    return new Exchange(request, () => send({ ...server, path, method: request.method, agent, headers }), open).answer;
  };
  return {
    wire,
    destroy: () => {
      isClosed = true;
      for (const exchange of open) exchange.giveUp(new WireError('ECONNRESET', 'the wire was closed'));
      agent.destroy();
    },
  };
}

/** A path that needs no escaping in a request line. */
const PLAIN_PATH = /^\/[\x21-\x7e]*$/;

function escaped(path: string, base: URL): string {
  const { pathname, search } = new URL(path, base);
  return pathname + search;
}

/** One request on a socket and its answer. */
class Exchange {
  readonly answer: Promise<WireResponse>;
  readonly #request: WireRequest;
  readonly #sent: ClientRequest;
  #givenUpFor: Error | undefined;

  /** @param open the exchanges in progress */
  constructor(request: WireRequest, send: () => ClientRequest, open: Set<Exchange>) {
    this.#request = request;
    this.#sent = send();
    open.add(this);
    const { signal } = request;
    // Not Node's own `signal` option: it destroys the socket with an error that has no listener after the last byte.
    const onAbort = (): void => this.giveUp(signal?.reason as Error);
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#sent.on('close', () => {
      open.delete(this);
      signal?.removeEventListener('abort', onAbort);
    });
    this.answer = new Promise((resolve, reject) => {
      this.#sent.on('error', (error) => reject(this.why(error)));
      this.#sent.on('response', (message) => {
        const body = new MessageBody(message, this);
        resolve({ status: message.statusCode ?? 0, headers: fromSocket(message.headers), body });
      });
    });
    this.#sent.end(request.body);
  }

  /** Breaks the connection, also in the middle of the answer. */
  giveUp(reason: Error): void {
    this.#givenUpFor ??= reason;
    this.#sent.destroy();
  }

  /** The error as the caller gets it. */
  why(error: unknown): WireError {
    return toWireError(this.#givenUpFor ?? error, this.#request);
  }

  /** After an abort, Node drops what was not yet read and ends the stream as if it were complete. */
  get givenUpFor(): Error | undefined {
    return this.#givenUpFor;
  }
}

/** The body of an answer from a socket. The server waits for a slow reader. */
class MessageBody implements ByteStream {
  readonly #message: IncomingMessage;
  readonly #exchange: Exchange;

  constructor(message: IncomingMessage, exchange: Exchange) {
    this.#message = message;
    this.#exchange = exchange;
    // A reader of the body gets the error; a body that nobody reads must not crash the process.
    message.on('error', () => undefined);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for await (const chunk of this.#message) yield chunk as Buffer;
      const { givenUpFor } = this.#exchange;
      if (givenUpFor !== undefined) throw givenUpFor;
    } catch (error) {
      throw this.#exchange.why(error);
    } finally {
      this.#message.destroy();
    }
  }

  readWhole(maxBytes: number): Promise<Uint8Array> {
    const message = this.#message;
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let length = 0;
      const onData = (chunk: Buffer): void => {
        chunks.push(chunk);
        length += chunk.length;
        if (length <= maxBytes) return;
        reject(tooLong(maxBytes));
        message.destroy();
      };
      const onClose = (): void => {
        const broken = message.errored ?? (message.readableEnded ? this.#exchange.givenUpFor : new Error('the answer broke off'));
        if (broken === undefined) resolve(concat(chunks));
        else reject(this.#exchange.why(broken));
      };
      if (message.destroyed) return onClose();
      message.on('data', onData).on('close', onClose);
    });
  }
}

const CODES: Readonly<Record<string, WireErrorCode>> = {
  ECONNREFUSED: 'ECONNREFUSED',
  ENOTFOUND: 'ECONNREFUSED',
  EHOSTUNREACH: 'ECONNREFUSED',
  ENETUNREACH: 'ECONNREFUSED',
  ETIMEDOUT: 'ETIMEDOUT',
  EPIPE: 'EPIPE',
};

/** All other errors, also a failed TLS handshake, are resets: all that is known is that there was no answer. */
function toWireError(error: unknown, { method, path }: WireRequest): WireError {
  if (error instanceof WireError) return error;
  const cause = error as NodeJS.ErrnoException;
  return new WireError(CODES[cause.code ?? ''] ?? 'ECONNRESET', `${method} ${path}: ${cause.message}`, { cause });
}
