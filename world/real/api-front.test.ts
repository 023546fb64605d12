import { expect, test } from '@playwright/test';
import type { NewEvent } from '../../history/events.ts';
import { Mailbox } from '../../runtime/mailbox.ts';
import { MAX_REQUEST_BYTES } from '../../wire/http-server.ts';
import { asText, isStream, readText } from '../../wire/wire.ts';
import type { Bytes, Wire, WireRequest, WireResponse } from '../../wire/wire.ts';
import { pod } from '../kube/testing/api-server.ts';
import { withProxy, withRealTimeServer, wireOf } from './testing/served.ts';
import { untilStill } from './testing/still.ts';

const PODS = '/api/v1/namespaces/default/pods';
const JSON_BODY = { 'content-type': 'application/json' };

function answer(status: number, body: unknown, headers: Record<string, string> = JSON_BODY): WireResponse {
  return { status, headers, body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body) };
}

function post(body: unknown, path = PODS): WireRequest {
  return { method: 'POST', path, headers: JSON_BODY, body: JSON.stringify(body) };
}

function get(path: string, headers: Record<string, string> = {}): WireRequest {
  return { method: 'GET', path, headers };
}

function last<T extends NewEvent['type']>(events: readonly NewEvent[], type: T): Extract<NewEvent, { type: T }> | undefined {
  return events.filter((event): event is Extract<NewEvent, { type: T }> => event.type === type).at(-1);
}

const CONFLICT = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Conflict', message: 'it has been modified', code: 409 };

/** `runtime.Unknown` around a `metav1.Status`, as an API server writes it. Source: apimachinery `generated.proto` of both. */
function conflictInProtobuf(): Uint8Array {
  const field = (number: number, value: string | Uint8Array): Buffer => {
    const bytes = Buffer.from(value);
    return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
  };
  const status = Buffer.concat([field(2, CONFLICT.status), field(3, CONFLICT.message), field(4, CONFLICT.reason)]);
  const type = Buffer.concat([field(1, CONFLICT.apiVersion), field(2, CONFLICT.kind)]);
  return Buffer.concat([Buffer.from('k8s\0'), field(1, type), field(2, status)]);
}

for (const { what, request, upstream, effect, end } of [
  {
    what: 'a generated name is read from the answer',
    request: post(pod('', {}, { name: undefined, generateName: 'web-' })),
    upstream: answer(201, { kind: 'Pod', metadata: { name: 'web-x7k2q', namespace: 'default' } }),
    effect: { kind: 'applied', ids: ['pods/default/web-x7k2q'] },
    end: { outcome: 'ok', status: 201 },
  },
  {
    what: 'a refusal has its reason',
    request: post(pod('web')),
    upstream: answer(409, CONFLICT),
    effect: { kind: 'rejected', code: 'Conflict' },
    end: { outcome: 'fail', status: 409, code: 'Conflict', note: 'it has been modified' },
  },
  {
    what: 'a refusal in protobuf as well',
    request: post(pod('web')),
    upstream: answer(409, conflictInProtobuf(), { 'content-type': 'application/vnd.kubernetes.protobuf' }),
    effect: { kind: 'rejected', code: 'Conflict' },
    end: { outcome: 'fail', status: 409, code: 'Conflict', note: 'it has been modified' },
  },
  {
    what: 'a refusal from before the API, in plain text, has its status',
    request: post(pod('web')),
    upstream: answer(429, 'Too many requests, please try again later.\n', { 'content-type': 'text/plain', 'retry-after': '1' }),
    effect: { kind: 'rejected', code: '429' },
    end: { outcome: 'fail', status: 429 },
  },
  {
    what: 'what an error of the server did nobody knows',
    request: post(pod('web')),
    upstream: answer(504, { kind: 'Status', reason: 'Timeout', message: 'request did not complete', code: 504 }),
    effect: { kind: 'unobservable' },
    end: { outcome: 'fail', status: 504, code: 'Timeout' },
  },
  {
    what: 'a dry run does nothing',
    request: post(pod('web'), `${PODS}?dryRun=All`),
    upstream: answer(201, { kind: 'Pod', metadata: { name: 'web', namespace: 'default' } }),
    effect: { kind: 'none' },
    end: { outcome: 'ok', status: 201 },
  },
  {
    what: 'a read does nothing',
    request: get(`${PODS}/web`),
    upstream: answer(200, { kind: 'Pod', metadata: { name: 'web', namespace: 'default' } }),
    effect: { kind: 'none' },
    end: { outcome: 'ok', status: 200 },
  },
] as const) {
  test(`what a request did is read from the answer: ${what}`, async () => {
    await withProxy(
      () => Promise.resolve(upstream),
      async ({ wire, events }) => {
        const response = await wire(request);
        expect(response.status).toBe(upstream.status);
        const body = isStream(response.body) ? await bytesOf(response.body) : response.body;
        expect(Buffer.from(body)).toEqual(Buffer.from(upstream.body as Bytes));
        expect(last(events, 'request.effect')?.effect).toEqual(effect);
        expect(last(events, 'request.end')).toMatchObject(end);
      },
    );
  });
}

async function bytesOf(body: AsyncIterable<Bytes>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

test('headers are sent on but for those of the connection and of the caller’s credentials', async () => {
  const seen: WireRequest[] = [];
  const server: Wire = (request) => {
    seen.push(request);
    return Promise.resolve(answer(200, {}, { ...JSON_BODY, 'retry-after': '2', 'x-kubernetes-pf-flowschema-uid': 'a' }));
  };
  await withProxy(server, async ({ wire }) => {
    const headers = {
      accept: 'application/vnd.kubernetes.protobuf,application/json',
      authorization: 'Bearer of-the-caller',
      'accept-encoding': 'gzip',
      'user-agent': 'karpenter/v1.14.1',
      'content-type': 'application/merge-patch+json',
      'x-mine': 'a',
    };
    const response = await wire({ method: 'PATCH', path: `${PODS}/web?fieldManager=me`, headers, body: '{}' });
    expect(response.headers).toMatchObject({ 'retry-after': '2', 'x-kubernetes-pf-flowschema-uid': 'a' });
    await readText(response.body);
  });
  const [request] = seen;
  expect(request).toMatchObject({ method: 'PATCH', path: `${PODS}/web?fieldManager=me`, body: '{}' });
  expect(request?.headers).toMatchObject({
    accept: 'application/vnd.kubernetes.protobuf,application/json',
    'content-type': 'application/merge-patch+json',
    'x-mine': 'a',
    // Who speaks is told by the listener, and the server notes it as the manager of fields.
    'user-agent': 'scaleproof-target/1',
  });
  expect(Object.keys(request?.headers ?? {})).not.toEqual(expect.arrayContaining(['authorization']));
  expect(Object.keys(request?.headers ?? {})).not.toEqual(expect.arrayContaining(['accept-encoding']));
});

const WATCH = '/api/v1/pods?watch=true';

function change(revision: number): string {
  return `${JSON.stringify({ type: 'ADDED', object: { kind: 'Pod', metadata: { name: `p${revision}`, resourceVersion: String(revision) } } })}\n`;
}

test('a watch is requested as JSON, to count its lines, also for a client that prefers protobuf', async () => {
  const accepts: (string | undefined)[] = [];
  const server: Wire = ({ headers }) => {
    accepts.push(headers['accept']);
    return Promise.resolve(answer(200, ''));
  };
  await withProxy(server, async ({ wire }) => {
    for (const accept of [
      'application/vnd.kubernetes.protobuf;stream=watch,application/json;q=0.9',
      'application/vnd.kubernetes.protobuf',
      'application/json',
    ]) {
      await readText((await wire(get(WATCH, { accept }))).body);
    }
    await readText((await wire(get(PODS, { accept: 'application/vnd.kubernetes.protobuf' }))).body);
  });
  expect(accepts).toEqual(['application/json;q=0.9', 'application/json', 'application/json', 'application/vnd.kubernetes.protobuf']);
});

test('a get or list is requested as JSON only while a fault rewrites it, and its history says so', async () => {
  const accepts: (string | undefined)[] = [];
  const server: Wire = ({ headers }) => {
    accepts.push(headers['accept']);
    return Promise.resolve(answer(200, { kind: 'Pod', metadata: { name: 'web' } }));
  };
  const PROTOBUF = 'application/vnd.kubernetes.protobuf';
  await withProxy(server, async ({ wire, events, arm }) => {
    const ask = async (accept: string, path = `${PODS}/web`): Promise<string> => readText((await wire(get(path, { accept }))).body);
    expect(await ask(`${PROTOBUF},application/json`)).not.toContain('rewritten');
    const disarm = arm({
      match: { operations: ['get pods'] },
      rewrite: (object) => ({ ...object, rewritten: true }),
      fired: () => undefined,
    });
    expect(await ask(`${PROTOBUF},application/json`)).toContain('rewritten');
    await ask(`${PROTOBUF};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`);
    await ask('application/json');
    await ask(PROTOBUF, PODS);
    disarm();
    await ask(PROTOBUF);
    const notes = events.flatMap((event) => (event.type === 'request.end' ? [event.note] : []));
    const narrowed = 'requested as JSON instead of protobuf: a fault rewrites it';
    expect(notes).toEqual([undefined, narrowed, narrowed, undefined, undefined, undefined]);
  });
  expect(accepts).toEqual([
    `${PROTOBUF},application/json`,
    'application/json',
    'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
    'application/json',
    PROTOBUF,
    PROTOBUF,
  ]);
});

test('a watch is streamed: each event arrives before the next is made, and its end as well', async () => {
  const changes = new Mailbox<string>(10);
  await withProxy(
    () => Promise.resolve({ status: 200, headers: JSON_BODY, body: changes }),
    async ({ wire, events }) => {
      const chunks = streamOf(await wire(get(WATCH)));
      for (const revision of [1, 2, 3]) {
        changes.push(change(revision));
        expect(await nextText(chunks)).toBe(change(revision));
      }
      expect(last(events, 'watch.open')).toMatchObject({ object: 'pods' });
      changes.close();
      expect(await nextText(chunks)).toBe('<end>');
      await expect.poll(() => last(events, 'watch.close')?.reason).toBe('closed by the server');
      expect(last(events, 'watch.mark')).toMatchObject({ events: 3, revision: '3' });
    },
  );
});

test('who reads a watch slowly slows its source down: nothing is heaped up on the way', async () => {
  const line = `${JSON.stringify({ type: 'ADDED', object: { metadata: { name: 'x'.repeat(64 * 1024) } } })}\n`;
  let made = 0;
  let isOver = false;
  async function* endless(): AsyncGenerator<string, void, undefined> {
    try {
      for (;;) {
        made += 1;
        yield await Promise.resolve(line);
      }
    } finally {
      isOver = true;
    }
  }
  await withProxy(
    () => Promise.resolve({ status: 200, headers: JSON_BODY, body: endless() }),
    async ({ wire }) => {
      const chunks = streamOf(await wire(get(WATCH)));
      await chunks.next();
      // Made until the buffers of four sockets are full, which is some megabytes, and no further.
      await untilStill(() => made);
      expect(made * line.length).toBeLessThan(64 * 1024 * 1024);
      await chunks.return?.();
      await expect.poll(() => isOver).toBe(true);
    },
  );
});

test('a caller that goes away ends the watch at its server', async () => {
  const ended = Promise.withResolvers<void>();
  const server: Wire = ({ signal }) => {
    const changes = new Mailbox<string>(10, ended.resolve);
    signal?.addEventListener('abort', () => changes.close());
    changes.push(change(1));
    return Promise.resolve({ status: 200, headers: JSON_BODY, body: changes });
  };
  await withProxy(server, async ({ wire, events }) => {
    const leaving = new AbortController();
    const chunks = streamOf(await wire({ ...get(WATCH), signal: leaving.signal }));
    expect(await nextText(chunks)).toBe(change(1));
    leaving.abort();
    await ended.promise;
    await expect.poll(() => last(events, 'watch.close')?.reason).toBe('closed by the target');
  });
});

test('a caller that goes away before the answer has its request given up', async () => {
  const [asked, givenUp] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const server: Wire = ({ signal }) =>
    new Promise((_resolve, reject) => {
      asked.resolve();
      signal?.addEventListener('abort', () => {
        givenUp.resolve();
        reject(signal.reason as Error);
      });
    });
  await withProxy(server, async ({ wire, events }) => {
    const leaving = new AbortController();
    const answered = wire({ ...post(pod('web')), signal: leaving.signal });
    await asked.promise;
    leaving.abort();
    await expect(answered).rejects.toThrow();
    await givenUp.promise;
    // Whether it took effect nobody knows.
    await expect.poll(() => last(events, 'request.effect')?.effect).toEqual({ kind: 'unobservable' });
    expect(last(events, 'request.end')).toMatchObject({ outcome: 'info' });
  });
});

test('a body that an API server would refuse for its length is refused before it', async () => {
  let requests = 0;
  const server: Wire = () => {
    requests += 1;
    return Promise.resolve(answer(201, {}));
  };
  await withProxy(server, async ({ wire }) => {
    const request = { method: 'POST', path: PODS, headers: JSON_BODY };
    expect((await wire({ ...request, body: ' '.repeat(MAX_REQUEST_BYTES) })).status).toBe(201);
    expect((await wire({ ...request, body: ' '.repeat(MAX_REQUEST_BYTES + 1) })).status).toBe(413);
  });
  expect(requests).toBe(1);
});

test('a whole API server behind it: creates, refusals and a watch with what happens meanwhile', async () => {
  await withRealTimeServer(async ({ api }) => {
    await withProxy(wireOf(api), async ({ wire, events }) => {
      const chunks = streamOf(await wire(get(`${WATCH}&resourceVersion=0`)));
      expect((await wire(post(pod('web')))).status).toBe(201);
      expect((await wire(post(pod('web')))).status).toBe(409);
      expect(JSON.parse(await nextText(chunks))).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'web' } } });
      await chunks.return?.();
      const effects = events.flatMap((event) => (event.type === 'request.effect' ? [event.effect.kind] : []));
      expect(effects).toEqual(['none', 'applied', 'rejected']);
    });
  });
});

function streamOf(response: WireResponse): AsyncIterator<Bytes> {
  if (!isStream(response.body)) throw new Error('the answer is no stream');
  return response.body[Symbol.asyncIterator]();
}

async function nextText(chunks: AsyncIterator<Bytes>): Promise<string> {
  const next = await chunks.next();
  return next.done === true ? '<end>' : asText(next.value);
}
