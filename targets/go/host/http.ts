import { defined } from '../../../model/defined.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { isStream } from '../../../wire/wire.ts';
import type { Bytes, Wire, WireResponse } from '../../../wire/wire.ts';

/**
 * `fetch` as far as Go's `net/http` for js uses it (roundtrip_js.go): requests use wires instead of a network.
 */

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Go passes headers one by one; wires use lower-case names, and values of one name are joined as in RFC 9110. */
export class FetchHeaders {
  readonly #fields = new Map<string, string>();

  append(name: string, value: string): void {
    const key = name.toLowerCase();
    const before = this.#fields.get(key);
    this.#fields.set(key, before === undefined ? value : `${before}, ${value}`);
  }

  toRecord(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#fields);
  }
}

/** What Go passes to `fetch`. */
export interface FetchOptions {
  readonly method: string;
  readonly headers: FetchHeaders;
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal;
}

/** What Go reads of a response. */
interface FetchAnswer {
  readonly status: number;
  readonly headers: { readonly entries: () => Iterator<readonly [string, string]> };
  readonly body: { readonly getReader: () => BodyReader };
  readonly redirected: false;
  readonly url: string;
}

interface BodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array }>;
  cancel(): Promise<void>;
}

export type Fetch = (url: string, options: FetchOptions) => Promise<FetchAnswer>;

/** Where a program's requests go. */
export interface FetchSite {
  readonly clock: Clock;
  /** The wire to a host and port, as in URLs; undefined for an unknown host. */
  readonly wireTo: (host: string) => Wire | undefined;
}

/** An unknown host: the error that a program's resolver would give. */
class NoSuchHost extends Error {
  readonly code = 'ENOTFOUND';
}

/** Bodies of the two protocols are text, except protobuf. */
const IS_BINARY = /protobuf|octet-stream|cbor/;

/** Creates the `fetch` of one incarnation. Requests in flight when it is killed never settle. */
export function createFetch({ clock, wireTo }: FetchSite): Fetch {
  return async (address, { method, headers, body, signal }) => {
    const url = new URL(address);
    const wire = wireTo(url.host);
    if (wire === undefined) throw new NoSuchHost(`lookup ${url.hostname}: no such host`);
    const fields: Readonly<Record<string, string>> = { ...headers.toRecord(), host: url.host };
    const isBinary = IS_BINARY.test(fields['content-type'] ?? '') || fields['content-encoding'] !== undefined;
    const request = {
      method,
      path: `${url.pathname}${url.search}`,
      headers: fields,
      ...defined({ body: body && (isBinary ? body : decoder.decode(body)), signal }),
    };
    const response = await clock.call(`${method} ${url.host}${url.pathname}`, () => clock.park(untilAborted(wire(request), signal)));
    return {
      status: response.status,
      headers: { entries: () => Object.entries(response.headers)[Symbol.iterator]() },
      body: { getReader: () => createReader(clock, response.body, signal) },
      redirected: false,
      url: address,
    };
  };
}

/** An aborted request is no longer waited for, whatever happens to it. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(aborted());
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.finally(() => signal.removeEventListener('abort', onAbort)).then(resolve, reject);
  });
}

function aborted(): Error {
  return Object.assign(new Error('This operation was aborted'), { name: 'AbortError' });
}

function createReader(clock: Clock, body: WireResponse['body'], signal: AbortSignal | undefined): BodyReader {
  return isStream(body) ? new StreamReader(clock, body, signal) : new WholeReader(body);
}

/** A body that is already complete. */
class WholeReader implements BodyReader {
  #rest: Uint8Array | undefined;

  constructor(body: Bytes) {
    if (body.length > 0) this.#rest = typeof body === 'string' ? encoder.encode(body) : body;
  }

  async read(): ReturnType<BodyReader['read']> {
    const value = this.#rest;
    this.#rest = undefined;
    return value === undefined ? { done: true } : { done: false, value };
  }

  async cancel(): Promise<void> {
    this.#rest = undefined;
  }
}

/** A body that arrives over time, such as a watch's events. */
class StreamReader implements BodyReader {
  readonly #clock: Clock;
  readonly #chunks: AsyncIterator<Bytes>;
  readonly #signal: AbortSignal | undefined;
  /** Cancels a pending read. */
  #cancelRead: () => void = () => undefined;
  readonly #cancelled: Promise<{ readonly done: true }>;

  constructor(clock: Clock, body: AsyncIterable<Bytes>, signal: AbortSignal | undefined) {
    this.#clock = clock;
    this.#chunks = body[Symbol.asyncIterator]();
    this.#signal = signal;
    this.#cancelled = new Promise((resolve) => {
      this.#cancelRead = () => resolve({ done: true });
    });
  }

  read(): ReturnType<BodyReader['read']> {
    return this.#clock.call('read a body', () =>
      this.#clock.park(untilAborted(Promise.race([this.#next(), this.#cancelled]), this.#signal)),
    );
  }

  async cancel(): Promise<void> {
    this.#cancelRead();
    // A waiting generator ends only when what it waits for does, so this is not awaited.
    void this.#chunks.return?.().catch(() => undefined);
  }

  async #next(): ReturnType<BodyReader['read']> {
    const next = await this.#chunks.next();
    if (next.done === true) return { done: true };
    const { value } = next;
    return { done: false, value: typeof value === 'string' ? encoder.encode(value) : value };
  }
}
