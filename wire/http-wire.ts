import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { fromSocket, toSocket } from './http-headers.ts';
import { WireError } from './wire.ts';
import type { Wire, WireErrorCode, WireRequest, WireResponse } from './wire.ts';

/** Connections that one wire keeps to its server: watches hold one each. */
export const MAX_SOCKETS = 128;
/** How long an idle connection is kept: less than the servers' own limits, so that no request meets a closing socket. */
export const IDLE_SOCKET_MS = 4_000;
/** Silence after which the kernel asks whether the other side is still there. */
export const TCP_KEEP_ALIVE_MS = 30_000;

/** How a server proves who it is, and the client who it is. All PEM. */
export interface TlsOptions {
  /** The authority that signed the server's certificate; by default the system's. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** Trust any certificate. */
  readonly insecure?: boolean;
  /** The name that the server's certificate must bear, if it is not the URL's host. */
  readonly serverName?: string;
}

export interface HttpWireOptions {
  /** `http://` or `https://`; a path in it is put before every request's. */
  readonly baseUrl: string;
  readonly tls?: TlsOptions;
  readonly bearerToken?: string;
  readonly maxSockets?: number;
}

/** A wire over sockets. `destroy` closes every connection, also those with answers under way. */
export interface HttpWire {
  readonly wire: Wire;
  destroy(): void;
}

/**
 * Opens a wire to an HTTP server, with connections that are kept and used again. Answers are streamed: who reads slowly
 * slows the server down, who stops reading closes the connection. The body must be read or left, or its connection is
 * not free for others. Nothing is retried and there are no time-outs: callers have clocks.
 */
export function createHttpWire(options: HttpWireOptions): HttpWire {
  const { tls = {}, bearerToken, maxSockets = MAX_SOCKETS } = options;
  const base = new URL(options.baseUrl);
  const isSecure = base.protocol === 'https:';
  const agentOptions = { keepAlive: true, maxSockets, timeout: IDLE_SOCKET_MS, keepAliveMsecs: TCP_KEEP_ALIVE_MS };
  const agent = isSecure
    ? new HttpsAgent({
        ...agentOptions,
        ...(tls.ca === undefined ? {} : { ca: tls.ca }),
        ...(tls.cert === undefined ? {} : { cert: tls.cert }),
        ...(tls.key === undefined ? {} : { key: tls.key }),
        ...(tls.serverName === undefined ? {} : { servername: tls.serverName }),
        rejectUnauthorized: tls.insecure !== true,
      })
    : new HttpAgent(agentOptions);
  const send = isSecure ? httpsRequest : httpRequest;
  const authorization = bearerToken === undefined ? {} : { authorization: `Bearer ${bearerToken}` };
  const closing = new AbortController();

  const wire: Wire = (request) => {
    const url = new URL(base.pathname.replace(/\/$/, '') + request.path, base);
    const signal = request.signal === undefined ? closing.signal : AbortSignal.any([request.signal, closing.signal]);
    const length = request.body === undefined ? {} : { 'content-length': Buffer.byteLength(request.body) };
    const headers = { ...toSocket(request.headers, 'host'), ...length, ...authorization };
    return roundTrip(() => send(url, { method: request.method, agent, headers }), request, signal);
  };
  return {
    wire,
    destroy: () => {
      closing.abort(new WireError('ECONNRESET', 'the wire was closed'));
      agent.destroy();
    },
  };
}

function roundTrip(send: () => ClientRequest, request: WireRequest, signal: AbortSignal): Promise<WireResponse> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) throw toWireError(signal.reason, request);
    const sent = send();
    // Not Node's own `signal` option: it destroys a socket with an error that, after the last byte, nobody listens to.
    const giveUp = (): void => void sent.destroy();
    signal.addEventListener('abort', giveUp, { once: true });
    sent.on('close', () => signal.removeEventListener('abort', giveUp));
    sent.on('error', (error) => reject(toWireError(signal.aborted ? signal.reason : error, request)));
    sent.on('response', (message) => {
      // Whoever reads the body hears of a break; a body that nobody reads must not crash the process.
      message.on('error', () => undefined);
      resolve({
        status: message.statusCode ?? 0,
        headers: fromSocket(message.headers),
        body: chunksOf(message, request, signal),
      });
    });
    sent.end(request.body);
  });
}

async function* chunksOf(message: IncomingMessage, request: WireRequest, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for await (const chunk of message) yield chunk as Buffer;
    // Node drops what an aborted request had not yet read, and calls that an end.
    signal.throwIfAborted();
  } catch (error) {
    throw toWireError(signal.aborted ? signal.reason : error, request);
  } finally {
    message.destroy();
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

/** Every other break, a failed TLS handshake too, is a reset: all that is known is that there was no answer. */
function toWireError(error: unknown, { method, path }: WireRequest): WireError {
  if (error instanceof WireError) return error;
  const cause = error as NodeJS.ErrnoException;
  return new WireError(CODES[cause.code ?? ''] ?? 'ECONNRESET', `${method} ${path}: ${cause.message}`);
}
