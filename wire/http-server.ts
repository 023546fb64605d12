import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import { defined } from '../model/defined.ts';
import type { Log } from '../runtime/log.ts';
import { Roster } from '../runtime/roster.ts';
import { endWith, fromSocket, toSocket } from './http-headers.ts';
import { WireError, asText, concat, isStream } from './wire.ts';
import type { Bytes, Wire, WireRequest, WireResponse } from './wire.ts';

/** Longest request body: an API server refuses more than 3 MiB. */
export const MAX_REQUEST_BYTES = 3 * 1024 * 1024;
/** Connections at once; further ones are closed at once. */
export const MAX_CONNECTIONS = 1_000;
/** How long an idle connection is kept, as an API server does. */
export const KEEP_ALIVE_MS = 90_000;

/** Compressed bodies are sent in pieces of this size. */
const GZIP_CHUNK_BYTES = 64 * 1024;

export interface ServerOptions {
  /** One principal's wire: each listener serves one caller. */
  readonly wire: Wire;
  /** Logs errors of the wire other than WireErrors. */
  readonly log: Log;
  /** By default only loopback. */
  readonly host?: string;
  /** By default a free one. */
  readonly port?: number;
  readonly maxRequestBytes?: number;
  readonly maxConnections?: number;
  /** Whole bodies that are longer are compressed for clients that accept gzip. By default none are. */
  readonly compressFromBytes?: number;
}

/** A running server. */
export interface WireServer {
  /** e.g. `http://127.0.0.1:41234` */
  readonly url: string;
  /** Breaks every connection, ends every watch, and resolves once the socket is closed. */
  close(): Promise<void>;
}

/**
 * Serves a wire on a socket. Headers of a streamed answer are sent at once. A client that reads slowly slows the stream
 * down; one that disconnects aborts the request's signal. A WireError resets the connection without an answer, or in the
 * middle of one. @throws when it can't listen on the address
 */
export async function serveWire(options: ServerOptions): Promise<WireServer> {
  const { host = '127.0.0.1', port = 0, maxConnections = MAX_CONNECTIONS } = options;
  const inFlight = new Roster<AbortController>();
  const server = createServer((message, response) => {
    const caller = new AbortController();
    const leave = inFlight.join(caller);
    response.on('close', () => {
      leave();
      if (!response.writableFinished) caller.abort(new WireError('ECONNRESET', 'the client went away'));
    });
    void handle(options, message, response, caller.signal);
  });
  server.maxConnections = maxConnections;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(port, host);
  await once(server, 'listening');
  const { address, port: actualPort, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${actualPort}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const caller of inFlight) caller.abort(new WireError('ECONNRESET', 'the server was closed'));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** One request and its answer. Never rejects. */
async function handle(options: ServerOptions, message: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void> {
  try {
    const body = await readBody(message, options.maxRequestBytes ?? MAX_REQUEST_BYTES);
    if (body === 'too long') {
      response.writeHead(413, { 'content-type': 'text/plain', connection: 'close' }).end('the request body is too long\n');
      return;
    }
    const request: WireRequest = {
      method: message.method ?? 'GET',
      path: message.url ?? '/',
      headers: fromSocket(message.headers),
      ...defined({ body: body && (isText(message) ? asText(body) : body) }),
      signal,
    };
    const reply = await options.wire(request);
    if (isCompressed(options, request, reply)) await compress(response, reply, signal);
    else await answer(response, reply, signal);
  } catch (error) {
    // A client that died in the middle of its request is noticed here first.
    if (!(error instanceof WireError) && !signal.aborted && !message.socket.destroyed) {
      options.log('error', `${message.method} ${message.url}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    }
    message.socket.resetAndDestroy();
  }
}

/** Reads a request's body to its end; undefined if it has none. Rejects when the client disconnects in the middle of it. */
function readBody(message: IncomingMessage, maxBytes: number): Promise<Uint8Array | undefined | 'too long'> | undefined {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = message.headers;
  if (length === '0' && encoding === undefined) return undefined;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let received = 0;
    message.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > maxBytes) resolve('too long');
      else chunks.push(chunk);
    });
    message.on('error', reject);
    message.on('close', () => {
      if (!message.readableEnded) reject(new Error('the client went away'));
      else resolve(received === 0 ? undefined : concat(chunks));
    });
  });
}

/** Bodies of the two protocols are text, except protobuf and compressed ones. */
function isText(message: IncomingMessage): boolean {
  const type = message.headers['content-type'] ?? '';
  return message.headers['content-encoding'] === undefined && !/protobuf|octet-stream|cbor/.test(type);
}

async function answer(response: ServerResponse, { status, headers, body }: WireResponse, signal: AbortSignal): Promise<void> {
  const sent = toSocket(headers);
  if (!isStream(body)) {
    // Node.js writes headers and a text together as UTF-8, which would encode the bytes of these headers once more.
    const hasBytes = Object.values(sent).some((value) => /[\u{80}-\u{ff}]/u.test(value));
    sent['content-length'] = String(Buffer.byteLength(body));
    response.writeHead(status, sent);
    endWith(response, hasBytes && typeof body === 'string' ? Buffer.from(body) : body);
    return;
  }
  response.writeHead(status, sent);
  response.flushHeaders();
  for await (const chunk of body) await send(response, chunk, signal);
  response.end();
}

/** As the API server reads `Accept-Encoding`: a coding with parameters is another one. */
function isCompressed(
  { compressFromBytes = Number.POSITIVE_INFINITY }: ServerOptions,
  { headers }: WireRequest,
  reply: WireResponse,
): boolean {
  const accepted = headers['accept-encoding'] ?? '';
  if (!accepted.split(',').some((coding) => coding.trim() === 'gzip') || reply.headers['content-encoding'] !== undefined) return false;
  return !isStream(reply.body) && Buffer.byteLength(reply.body) > compressFromBytes;
}

/** Sends a whole body with gzip, in other threads and as fast as the client reads. The length is not known in advance. */
async function compress(response: ServerResponse, { status, headers, body }: WireResponse, signal: AbortSignal): Promise<void> {
  const vary = [headers['vary'], 'Accept-Encoding'].filter((name) => name !== undefined).join(', ');
  response.writeHead(status, { ...toSocket(headers), 'content-encoding': 'gzip', vary });
  const gzip = createGzip({ level: constants.Z_BEST_SPEED, chunkSize: GZIP_CHUNK_BYTES });
  gzip.end(body);
  await pipeline(gzip, response, { signal });
}

/** Resolves once the client has room for more. */
async function send(response: ServerResponse, chunk: Bytes, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (!response.write(chunk)) await once(response, 'drain', { signal });
}
