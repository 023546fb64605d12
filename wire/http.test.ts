import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { once } from 'node:events';
import { gunzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { defined } from '../model/defined.ts';
import type { Log } from '../runtime/log.ts';
import { Mailbox } from '../runtime/mailbox.ts';
import { serveWire } from './http-server.ts';
import type { ServerOptions, WireServer } from './http-server.ts';
import { createHttpWire } from './http-wire.ts';
import type { HttpWire } from './http-wire.ts';
import { WireError, asText, isStream, readText, readWhole } from './wire.ts';
import type { Bytes, Wire, WireRequest, WireResponse } from './wire.ts';

const silent: Log = () => undefined;

interface Pair {
  readonly client: HttpWire;
  readonly server: WireServer;
}

/** Runs a body between a server for `wire` and a client of it; both are closed afterwards. */
async function withSockets(wire: Wire, body: (pair: Pair) => Promise<void>, options: Partial<ServerOptions> = {}): Promise<void> {
  const server = await serveWire({ wire, log: silent, ...options });
  const client = createHttpWire({ baseUrl: server.url });
  try {
    await body({ client, server });
  } finally {
    client.destroy();
    await server.close();
  }
}

function get(path: string, signal?: AbortSignal): WireRequest {
  return { method: 'GET', path, headers: {}, ...defined({ signal }) };
}

function ok(body: WireResponse['body']): WireResponse {
  return { status: 200, headers: { 'content-type': 'application/json' }, body };
}

function iterate(response: WireResponse): AsyncIterator<Bytes> {
  if (!isStream(response.body)) throw new Error('the answer is not a stream');
  return response.body[Symbol.asyncIterator]();
}

async function nextText(chunks: AsyncIterator<Bytes>): Promise<string> {
  const next = await chunks.next();
  return next.done === true ? '<end>' : asText(next.value);
}

test('carries method, path, headers, body and status both ways', async () => {
  const seen: WireRequest[] = [];
  const wire: Wire = (request) => {
    seen.push(request);
    return Promise.resolve({ status: 201, headers: { 'retry-after': '3' }, body: 'grüezi' });
  };
  await withSockets(wire, async ({ client }) => {
    const headers = { 'content-type': 'application/json', 'x-mine': 'a' };
    const response = await client.wire({ method: 'POST', path: '/api/v1/pods?limit=5&x=%2F', headers, body: '{"ü":1}' });
    expect(response.status).toBe(201);
    expect(response.headers['retry-after']).toBe('3');
    expect(await readText(response.body)).toBe('grüezi');
  });
  expect(seen).toHaveLength(1);
  expect(seen[0]).toMatchObject({ method: 'POST', path: '/api/v1/pods?limit=5&x=%2F', body: '{"ü":1}' });
  expect(seen[0]?.headers).toMatchObject({ 'content-type': 'application/json', 'x-mine': 'a' });
});

test('passes a body on as bytes if it is not text', async () => {
  const bytes = new Uint8Array([0x6b, 0x38, 0x73, 0x00, 0xff]);
  const wire: Wire = ({ body }) => Promise.resolve(ok(body ?? ''));
  await withSockets(wire, async ({ client }) => {
    const headers = { 'content-type': 'application/vnd.kubernetes.protobuf' };
    const response = await client.wire({ method: 'POST', path: '/', headers, body: bytes });
    expect(await nextText(iterate(response))).toBe(new TextDecoder().decode(bytes));
  });
});

test('prefixes every request with the path of the base URL, and adds the token to its headers', async () => {
  const seen: WireRequest[] = [];
  const wire: Wire = (request) => {
    seen.push(request);
    return Promise.resolve(ok(''));
  };
  await withSockets(wire, async ({ server }) => {
    const client = createHttpWire({ baseUrl: `${server.url}/clusters/a/`, bearerToken: 'secret' });
    await readText((await client.wire(get('/api?x=1'))).body);
    client.destroy();
  });
  expect(seen[0]?.path).toBe('/clusters/a/api?x=1');
  expect(seen[0]?.headers['authorization']).toBe('Bearer secret');
});

test('streams a watch: headers before the first event, each event as it comes', async () => {
  const events = new Mailbox<string>(10);
  await withSockets(
    () => Promise.resolve(ok(events)),
    async ({ client }) => {
      const chunks = iterate(await client.wire(get('/watch')));
      events.push('{"a":1}\n');
      expect(await nextText(chunks)).toBe('{"a":1}\n');
      events.push('{"b":2}\n');
      expect(await nextText(chunks)).toBe('{"b":2}\n');
      events.close();
      expect(await nextText(chunks)).toBe('<end>');
    },
  );
});

test('a client that stops reading or gives up ends the watch at its source', async () => {
  for (const way of ['return', 'abort'] as const) {
    const closed = Promise.withResolvers<void>();
    const wire: Wire = ({ signal }) => {
      const events = new Mailbox<string>(10, closed.resolve);
      signal?.addEventListener('abort', () => events.close());
      events.push('x\n');
      return Promise.resolve(ok(events));
    };
    await withSockets(wire, async ({ client }) => {
      const giveUp = new AbortController();
      const chunks = iterate(await client.wire(get('/watch', giveUp.signal)));
      await chunks.next();
      if (way === 'return') {
        await chunks.return?.();
      } else {
        giveUp.abort(new Error('enough'));
        await expect(chunks.next()).rejects.toBeInstanceOf(WireError);
      }
      await closed.promise;
    });
  }
});

test('a WireError resets the connection, before the answer and in the middle of it', async () => {
  const half = (): Mailbox<string> => {
    const chunks = new Mailbox<string>(2);
    chunks.push('half');
    chunks.fail(new WireError('ECONNRESET', 'broken'));
    return chunks;
  };
  const wire: Wire = ({ path }) => {
    return path === '/half' ? Promise.resolve(ok(half())) : Promise.reject(new WireError('ECONNRESET', 'broken'));
  };
  await withSockets(wire, async ({ client }) => {
    await expect(client.wire(get('/'))).rejects.toMatchObject({ name: 'WireError', code: 'ECONNRESET' });
    const response = await client.wire(get('/half'));
    await expect(readText(response.body)).rejects.toMatchObject({ name: 'WireError', code: 'ECONNRESET' });
  });
});

test('any other error is logged, and resets the connection too', async () => {
  const logged: string[] = [];
  const log: Log = (_level, message) => logged.push(message);
  const wire: Wire = () => Promise.reject(new TypeError('a bug'));
  await withSockets(
    wire,
    async ({ client }) => {
      await expect(client.wire(get('/x'))).rejects.toBeInstanceOf(WireError);
    },
    { log },
  );
  expect(logged.join()).toContain('a bug');
});

test('refuses a body over the limit with 413, and accepts one at the limit', async () => {
  const wire: Wire = ({ body }) => Promise.resolve(ok(String(body?.length)));
  const options = { maxRequestBytes: 100_000 };
  await withSockets(
    wire,
    async ({ client }) => {
      const post = (length: number): Promise<WireResponse> =>
        client.wire({ method: 'POST', path: '/', headers: { 'content-type': 'text/plain' }, body: 'x'.repeat(length) });
      expect(await readText((await post(100_000)).body)).toBe('100000');
      expect((await post(100_001)).status).toBe(413);
      expect((await post(5_000_000)).status).toBe(413);
    },
    options,
  );
});

test('carries large answers and many requests at once', async () => {
  const big = 'ä'.repeat(2_000_000);
  const wire: Wire = ({ path }) => Promise.resolve(ok(path === '/big' ? big : path));
  await withSockets(wire, async ({ client }) => {
    expect((await readText((await client.wire(get('/big'))).body)) === big).toBe(true);
    const paths = Array.from({ length: 300 }, (_, index) => `/${index}`);
    const answers = await Promise.all(paths.map(async (path) => readText((await client.wire(get(path))).body)));
    expect(answers).toEqual(paths);
  });
});

test('a slow reader slows the source down', async () => {
  let produced = 0;
  const limit = 400;
  const value = new Uint8Array(256 * 1024);
  const next = (): Promise<IteratorResult<Bytes, undefined>> => {
    produced += 1;
    return Promise.resolve(produced > limit ? { done: true, value: undefined } : { done: false, value });
  };
  const plenty: AsyncIterable<Bytes> = { [Symbol.asyncIterator]: () => ({ next }) };
  await withSockets(
    () => Promise.resolve(ok(plenty)),
    async ({ client }) => {
      const chunks = iterate(await client.wire(get('/')));
      await chunks.next();
      // After twenty chunks the source has had time to run ahead as far as the buffers allow.
      for (let index = 0; index < 20; index += 1) await chunks.next();
      expect(produced).toBeLessThan(limit);
      await chunks.return?.();
    },
  );
});

test('closing the server ends open watches and frees everything', async () => {
  const ended = Promise.withResolvers<void>();
  const wire: Wire = ({ signal }) => {
    const events = new Mailbox<string>(10, ended.resolve);
    signal?.addEventListener('abort', () => events.close());
    return Promise.resolve(ok(events));
  };
  const server = await serveWire({ wire, log: silent });
  const client = createHttpWire({ baseUrl: server.url });
  const chunks = iterate(await client.wire(get('/watch')));
  await server.close();
  await ended.promise;
  await expect(chunks.next()).rejects.toBeInstanceOf(WireError);
  await expect(client.wire(get('/'))).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  client.destroy();
});

test('destroying the client breaks requests in progress', async () => {
  const wire: Wire = ({ path }) => (path === '/watch' ? Promise.resolve(ok(new Mailbox<string>(1))) : new Promise(() => undefined));
  const server = await serveWire({ wire, log: silent });
  const client = createHttpWire({ baseUrl: server.url });
  const chunks = iterate(await client.wire(get('/watch')));
  const pending = client.wire(get('/never'));
  client.destroy();
  await expect(pending).rejects.toMatchObject({ code: 'ECONNRESET' });
  await expect(chunks.next()).rejects.toMatchObject({ code: 'ECONNRESET' });
  await server.close();
});

test('compresses long answers for clients that accept gzip', async () => {
  const bodies: Readonly<Record<string, Bytes>> = {
    '/long': 'ä'.repeat(51),
    '/bytes': new Uint8Array(101).fill(7),
    '/short': 'x'.repeat(100),
  };
  const wire: Wire = ({ path }) =>
    Promise.resolve({ status: 201, headers: { vary: 'Accept' }, body: bodies[path] ?? new Mailbox<string>(1) });
  await withSockets(
    wire,
    async ({ client }) => {
      const ask = async (path: string, accepted: string) => {
        const { status, headers, body } = await client.wire({ method: 'GET', path, headers: { 'accept-encoding': accepted } });
        return { status, encoding: headers['content-encoding'], vary: headers['vary'], bytes: Buffer.from(await readWhole(body, 1_000)) };
      };
      for (const path of ['/long', '/bytes']) {
        for (const accepted of ['gzip', 'deflate, gzip']) {
          const { bytes, ...sent } = await ask(path, accepted);
          expect(sent).toEqual({ status: 201, encoding: 'gzip', vary: 'Accept, Accept-Encoding' });
          expect(gunzipSync(bytes)).toEqual(Buffer.from(bodies[path] ?? ''));
        }
      }
      for (const [path, accepted] of [
        ['/short', 'gzip'],
        ['/long', 'deflate'],
        ['/long', 'gzip;q=0.5'],
      ] as const) {
        const plain = { status: 201, encoding: undefined, vary: 'Accept', bytes: Buffer.from(bodies[path] ?? '') };
        expect(await ask(path, accepted)).toEqual(plain);
      }
    },
    { compressFromBytes: 100 },
  );
});

test('a client that leaves in the middle of a compressed answer is no error', async () => {
  const ended = Promise.withResolvers<void>();
  const wire: Wire = ({ signal }) => {
    signal?.addEventListener('abort', () => ended.resolve());
    // It hardly gets smaller: sockets can't keep all of it.
    const values = Float64Array.from({ length: 4 * 2 ** 20 }, (_none, index) => Math.sqrt(index));
    return Promise.resolve(ok(new Uint8Array(values.buffer)));
  };
  const log: Log = (_level, message) => ended.reject(new Error(message));
  await withSockets(
    wire,
    async ({ client }) => {
      const chunks = iterate(await client.wire({ ...get('/'), headers: { 'accept-encoding': 'gzip' } }));
      await chunks.next();
      client.destroy();
      await ended.promise;
    },
    { compressFromBytes: 100, log },
  );
});

test('survives a client that does not speak HTTP or disconnects in the middle of its request', async () => {
  await withSockets(
    () => Promise.resolve(ok('fine')),
    async ({ client, server }) => {
      const { port, hostname } = new URL(server.url);
      for (const rubbish of ['rubbish\r\n\r\n', 'POST / HTTP/1.1\r\ncontent-length: 10\r\n\r\nabc']) {
        const socket = connect(Number(port), hostname);
        await once(socket, 'connect');
        socket.on('error', () => undefined);
        socket.end(rubbish);
        socket.resume();
        await once(socket, 'close');
      }
      expect(await readText((await client.wire(get('/'))).body)).toBe('fine');
    },
  );
});

/** Runs a body with a client of a server that the test writes itself, byte by byte. @param maxSockets of the client */
async function withBytes(
  onRequest: (socket: Socket, head: string) => void,
  body: (client: HttpWire) => Promise<void>,
  maxSockets = 1,
): Promise<void> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => onRequest(socket, chunk.toString('latin1')));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = createHttpWire({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, maxSockets });
  try {
    await body(client);
  } finally {
    client.destroy();
    server.close();
  }
}

test('a request that waits for a connection is never sent once its caller gave up', async () => {
  const seen: string[] = [];
  let first: Socket | undefined;
  const onRequest = (socket: Socket, head: string): void => {
    seen.push(head.split(' ')[1] ?? '');
    if (head.includes('/first')) first = socket;
    else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
  };
  await withBytes(onRequest, async (client) => {
    const answered = client.wire(get('/first'));
    const leaving = new AbortController();
    const abandoned = client.wire(get('/second', leaving.signal));
    const third = client.wire(get('/third'));
    leaving.abort(new WireError('ETIMEDOUT', 'enough'));
    await expect(abandoned).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    await expect.poll(() => first !== undefined).toBe(true);
    first?.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    expect(await readText((await answered).body)).toBe('ok');
    await readText((await third).body);
  });
  expect(seen).toEqual(['/first', '/third']);
});

test('what a server announces before its answer is not taken for it', async () => {
  const early = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
  const onRequest = (socket: Socket): void => void socket.write(`${early}HTTP/1.1 201 Created\r\ncontent-length: 4\r\n\r\nmade`);
  await withBytes(onRequest, async (client) => {
    const { status, body } = await client.wire(get('/'));
    expect({ status, text: await readText(body) }).toEqual({ status: 201, text: 'made' });
  });
});

test('an answer without a length ends with its connection; one that is shorter than its length is broken', async () => {
  const onRequest = (socket: Socket, head: string): void =>
    void socket.end(`HTTP/1.1 200 OK\r\n${head.includes('/short') ? 'content-length: 10\r\n' : ''}\r\nhalf`);
  await withBytes(onRequest, async (client) => {
    expect(await readText((await client.wire(get('/'))).body)).toBe('half');
    const { body } = await client.wire(get('/short'));
    await expect(readText(body)).rejects.toMatchObject({ name: 'WireError', code: 'ECONNRESET' });
  });
});

test('headers are carried byte by byte, whatever their encoding', async () => {
  const value = Buffer.from('grüezi – 你好').toString('latin1');
  const wire: Wire = ({ headers }) =>
    Promise.resolve({ status: 200, headers: { 'x-back': headers['x-mine'] ?? '' }, body: new Uint8Array([1]) });
  await withSockets(wire, async ({ client }) => {
    const { headers, body } = await client.wire({ ...get('/'), headers: { 'x-mine': value } });
    expect(headers['x-back']).toBe(value);
    await readText(body);
  });
});

test('a client that waits to be told to send its body is told so, and the wire does not carry the expectation', async () => {
  const seen: WireRequest[] = [];
  const wire: Wire = (request) => {
    seen.push(request);
    return Promise.resolve(ok('fine'));
  };
  await withSockets(wire, async ({ server }) => {
    const { port, hostname } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString('latin1')));
    socket.write('PUT / HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 4\r\n\r\n');
    await expect.poll(() => received).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    expect(seen).toEqual([]);
    socket.end('body');
    await once(socket, 'close');
    expect(received).toContain('fine');
  });
  expect(seen).toMatchObject([{ method: 'PUT', body: 'body' }]);
  expect(seen[0]?.headers).not.toHaveProperty('expect');
});

for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
  test(`carries a body with ${method}`, async () => {
    const wire: Wire = (request) => Promise.resolve(ok(`${request.method} ${asText(request.body ?? '')}`));
    await withSockets(wire, async ({ client }) => {
      const body = '{"propagationPolicy":"Foreground"}';
      const response = await client.wire({ ...get('/'), method, headers: { 'content-type': 'application/json' }, body });
      expect(await readText(response.body)).toBe(`${method} ${body}`);
      expect(await readText((await client.wire(get('/next'))).body)).toBe('GET ');
    });
  });
}
