import type { IncomingHttpHeaders } from 'node:http';
import { createRequire } from 'node:module';
import { createSecureContext } from 'node:tls';
import type { Dispatcher } from 'undici';
import { defined } from '../model/defined.ts';
import { Roster } from '../runtime/roster.ts';
import { fromSocket, toSocket } from './http-headers.ts';
import { WireError, concat, tooLong } from './wire.ts';
import type { ByteStream, Bytes, Wire, WireErrorCode, WireRequest, WireResponse } from './wire.ts';

const require = createRequire(import.meta.url);

/** Read when the first wire is opened: it takes 90 ms and 28 MB, and most commands never open one. */
const undici = (): typeof import('undici') => require('undici') as typeof import('undici');

/** Most connections of one wire to its server: each watch holds one. */
export const MAX_SOCKETS = 128;
/** How long an idle connection is kept: less than the servers' own limits, so that no request meets a closing socket. */
export const IDLE_SOCKET_MS = 4_000;
/** Idle time after which the kernel probes whether the other side is still there. */
export const TCP_KEEP_ALIVE_MS = 30_000;

/** An answer of which more than this is waiting for its reader is not read on from its socket. */
const MAX_WAITING_BYTES = 64 * 1024;

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
  const isSecure = base.protocol === 'https:';
  // Node's own client takes twice the processor time for a request.
  const pool = new (undici().Pool)(base.origin, {
    connections: maxSockets,
    pipelining: 1,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: IDLE_SOCKET_MS,
    keepAliveMaxTimeout: IDLE_SOCKET_MS,
    connect: {
      timeout: 0,
      keepAliveInitialDelay: TCP_KEEP_ALIVE_MS,
      ...(isSecure
        ? {
            // Made once: reading the PEM costs more than the connection.
            secureContext: createSecureContext(defined({ ca: tls.ca, cert: tls.cert, key: tls.key })),
            ...defined({ servername: tls.serverName }),
            rejectUnauthorized: tls.insecure !== true,
          }
        : {}),
    },
  });
  const authorization = bearerToken === undefined ? basicAuthorization(base) : `Bearer ${bearerToken}`;
  const open = new Roster<Exchange>();
  let isClosed = false;

  const wire: Wire = (request) => {
    if (isClosed) return Promise.reject(new WireError('ECONNRESET', 'the wire was closed'));
    if (request.signal?.aborted === true) return Promise.reject(toWireError(request.signal.reason, request));
    const headers = toSocket(request.headers, 'host');
    if (authorization !== undefined) headers['authorization'] = authorization;
    const path = prefix + (PLAIN_PATH.test(request.path) ? request.path : escaped(request.path, base));
    const exchange = new Exchange(request, open);
    pool.dispatch({ path, method: request.method, headers, body: request.body ?? null }, exchange);
    return exchange.answer;
  };
  return {
    wire,
    destroy: () => {
      isClosed = true;
      for (const exchange of open) exchange.giveUp(new WireError('ECONNRESET', 'the wire was closed'));
      void pool.destroy();
    },
  };
}

/** The header for the name and password in a URL, if it has them. */
function basicAuthorization({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  return `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`;
}

/** A path that needs no escaping in a request line. */
const PLAIN_PATH = /^\/[\x21-\x7e]*$/;

function escaped(path: string, base: URL): string {
  const { pathname, search } = new URL(path, base);
  return pathname + search;
}

/** One request on a socket and its answer, whose body it is. The server waits for a slow reader. */
class Exchange implements Dispatcher.DispatchHandler, ByteStream {
  readonly answer: Promise<WireResponse>;
  readonly #request: WireRequest;
  /** Leaves the exchanges in progress. */
  readonly #leave: () => void;
  #resolve: (response: WireResponse) => void = () => undefined;
  #reject: (error: WireError) => void = () => undefined;
  /** Undefined while the request waits for a connection. */
  #controller: Dispatcher.DispatchController | undefined;
  /** What has arrived and was not read yet. */
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #isComplete = false;
  /** Whether the reader takes all of the body at once. */
  #isReadWhole = false;
  #error: WireError | undefined;
  /** Wakes the reader. */
  #wake: () => void = () => undefined;
  readonly #onAbort = (): void => this.giveUp(this.#request.signal?.reason);

  /** @param open the exchanges in progress */
  constructor(request: WireRequest, open: Roster<Exchange>) {
    this.#request = request;
    this.#leave = open.join(this);
    request.signal?.addEventListener('abort', this.#onAbort);
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#error !== undefined) controller.abort(this.#error);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // Others announce the answer: 100, 103.
    if (status >= 200) this.#resolve({ status, headers: fromSocket(headers), body: this });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // After a pause there may be nothing in it.
    if (chunk.length === 0) return;
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    if (this.#waitingBytes > MAX_WAITING_BYTES && !this.#isReadWhole) controller.pause();
    this.#wake();
  }

  onResponseEnd(): void {
    this.#isComplete = true;
    this.#close();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#error ??= toWireError(error, this.#request);
    this.#close();
    this.#reject(this.#error);
  }

  /** Breaks the connection, also in the middle of the answer. What was not read yet is lost. */
  giveUp(reason: unknown): void {
    if (this.#isComplete || this.#error !== undefined) return;
    this.#error = toWireError(reason, this.#request);
    this.#waiting = [];
    this.#controller?.abort(this.#error);
    this.#close();
    this.#reject(this.#error);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Bytes, void, undefined> {
    try {
      for (;;) {
        while (this.#waiting.length > 0) yield this.#take();
        if (this.#error !== undefined) throw this.#error;
        if (this.#isComplete) return;
        await this.#change();
      }
    } finally {
      this.giveUp(new WireError('ECONNRESET', 'the reader of the answer stopped'));
    }
  }

  takeArrived(): Uint8Array | undefined {
    return this.#isComplete ? this.#take() : undefined;
  }

  async readWhole(maxBytes: number): Promise<Uint8Array> {
    this.#isReadWhole = true;
    this.#controller?.resume();
    while (!this.#isComplete && this.#error === undefined && this.#waitingBytes <= maxBytes) await this.#change();
    if (this.#error !== undefined) throw this.#error;
    if (this.#waitingBytes <= maxBytes) {
      // The pool frees the connection in the next turn: whoever asks again at once shall have it.
      // eslint-disable-next-line scaleproof/time-and-chance -- a socket is in real time: no seed reproduces its turns
      await new Promise((resolve) => setImmediate(resolve));
      return this.#take();
    }
    this.giveUp(new WireError('ECONNRESET', 'the answer is too long'));
    throw tooLong(maxBytes);
  }

  /** All that has arrived and was not read yet. */
  #take(): Uint8Array {
    const chunks = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#controller?.resume();
    return concat(chunks);
  }

  /** Resolves when more has arrived, or the exchange has ended. */
  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #close(): void {
    this.#leave();
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
    this.#wake();
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
