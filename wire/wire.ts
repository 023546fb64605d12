/** A body as it travels: text where the protocol is text, bytes where it is not (protobuf). */
export type Bytes = string | Uint8Array;

/** One request on a wire. Header names are lower case. */
export interface WireRequest {
  readonly method: string;
  /** Path with its query string, from the root of the endpoint. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Bytes;
  /**
   * What the body says, from a client in this process: a world in the same process need not read the body. Whoever changes the body leaves
   * this out.
   */
  readonly decoded?: object;
  /** Aborted when the caller gives up: this ends a watch; the answer to any other request is ignored. */
  readonly signal?: AbortSignal;
}

/** One answer. A body that arrives over time (a watch) is iterable; to stop iterating closes the connection. */
export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Bytes | AsyncIterable<Bytes>;
  /**
   * What the body says, from a world in this process: a client in the same process need not read the body. Parts of it may be frozen.
   * Whoever changes the body leaves this out (`withBody`).
   */
  readonly decoded?: object;
  /** The lines of a watch, from a world in this process: read instead of the body. Whoever changes the body leaves this out, too. */
  readonly lines?: AsyncIterable<Line>;
}

/** A line of a watch. */
export interface Line {
  /** With its line feed; written only if somebody reads it. */
  readonly text: string;
  /** What it says, for a client in this process. Parts of it may be frozen. */
  readonly decoded?: object;
}

/**
 * An autoscaler's connection to one service of the world. The same type covers an in-process world, a socket, and a reverse
 * proxy. Rejects with a WireError when there is no answer at all.
 */
export type Wire = (request: WireRequest) => Promise<WireResponse>;

export type WireErrorCode = 'ECONNRESET' | 'ECONNREFUSED' | 'ETIMEDOUT' | 'EPIPE';

/** The connection broke: the caller can't know whether the request took effect. `code` is what a socket would give. */
export class WireError extends Error {
  readonly code: WireErrorCode;
  /** @param options.cause the socket's own error, if there was one */
  constructor(code: WireErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'WireError';
    this.code = code;
  }
}

/** Maximum length of an answer that is read whole: a list of 10,000 pods is about 60 MB. */
export const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/** A body that arrives over time, which can also be read in one go: cheaper than chunk by chunk. */
export interface ByteStream extends AsyncIterable<Bytes> {
  /** The whole body if all of it is here already, else undefined. Once it was returned, there is nothing left to read. */
  takeArrived(): Uint8Array | undefined;
  /** @throws RangeError for a longer body */
  readWhole(maxBytes: number): Promise<Uint8Array>;
}

interface Streamed extends WireResponse {
  readonly body: AsyncIterable<Bytes>;
}

/** The same request or answer with its decoded body, and the body itself written only if anybody reads it. */
export function withDecoded<T extends object>(message: T, decoded: object, write: () => Bytes): T & Written {
  let body: Bytes | undefined;
  return {
    ...message,
    decoded,
    get body() {
      return (body ??= write());
    },
  };
}

interface Written {
  readonly body: Bytes;
  readonly decoded: object;
}

/** The same request with other headers or another signal. A body that nobody has read stays unwritten. */
export function changed(request: WireRequest, changes: Pick<WireRequest, 'signal'> & Partial<Pick<WireRequest, 'headers'>>): WireRequest {
  if (request.decoded === undefined) return { ...request, ...changes };
  const { method, path, headers, decoded } = request;
  return withDecoded({ method, path, headers, ...changes }, decoded, () => request.body ?? '');
}

/** The same answer with another body. */
export function withBody({ decoded: _former, lines: _lines, ...rest }: WireResponse, body: WireResponse['body']): WireResponse {
  return { ...rest, body };
}

/** Whether the answer's body arrives over time. */
export function isStreamed(response: WireResponse): response is Streamed {
  return response.decoded === undefined && isStream(response.body);
}

/** Whether the body arrives over time. */
export function isStream(body: WireResponse['body']): body is AsyncIterable<Bytes> {
  return typeof body !== 'string' && !(body instanceof Uint8Array);
}

/** A watch's body, for whoever doesn't read its lines. */
export async function* textsOf(lines: AsyncIterable<Line>): AsyncIterable<string> {
  for await (const { text } of lines) yield text;
}

const utf8 = new TextDecoder();
const encoder = new TextEncoder();

/** A complete body as text. */
export function asText(body: Bytes): string {
  return typeof body === 'string' ? body : utf8.decode(body);
}

/** Reads a body to its end, as text or bytes. @throws RangeError for a longer body */
export async function readWhole(body: WireResponse['body'] | ByteStream, maxBytes: number): Promise<Bytes> {
  if (!isStream(body)) return body;
  if ('readWhole' in body) return body.readWhole(maxBytes);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    const bytes = typeof chunk === 'string' ? encoder.encode(chunk) : chunk;
    length += bytes.length;
    if (length > maxBytes) throw tooLong(maxBytes);
    chunks.push(bytes);
  }
  return concat(chunks);
}

/** The body itself if all of it is here already, else the stream that it is. */
export function arrived(body: WireResponse['body'] | ByteStream): WireResponse['body'] {
  return isStream(body) && 'takeArrived' in body ? (body.takeArrived() ?? body) : body;
}

/** The chunks of a body in one piece. */
export function concat(chunks: readonly Uint8Array[]): Uint8Array {
  const [first] = chunks;
  return chunks.length === 1 && Buffer.isBuffer(first) ? first : Buffer.concat(chunks);
}

/** The error for a body that is endless or too long. */
export function tooLong(maxBytes: number): RangeError {
  return new RangeError(`the body is longer than ${maxBytes} bytes`);
}

/** Reads a response's body to its end, as text. */
export async function readText(body: WireResponse['body']): Promise<string> {
  if (!isStream(body)) return asText(body);
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}
