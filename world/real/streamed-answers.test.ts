import { createHash } from 'node:crypto';
import { expect, test } from '@playwright/test';
import type { NewEvent } from '../../history/events.ts';
import { Mailbox } from '../../runtime/mailbox.ts';
import { WireError, asText, isStream, readText } from '../../wire/wire.ts';
import type { Bytes, Wire, WireRequest, WireResponse } from '../../wire/wire.ts';
import { withProxy } from './testing/served.ts';
import { untilStill } from './testing/still.ts';

const PODS: WireRequest = { method: 'GET', path: '/api/v1/namespaces/default/pods', headers: { accept: 'application/json' } };
const [START, REST] = ['{"kind":"PodList","items":[{"metadata":{"name":"a"}},', '{"metadata":{"name":"b"}}]}'];
const TRIGGER = { match: { operations: ['list pods'] }, when: { kind: 'always' }, moment: 'after' } as const;

/** A server whose one answer the test sends part by part. */
function inParts(): { readonly parts: Mailbox<string>; readonly server: Wire } {
  const parts = new Mailbox<string>(10);
  const server: Wire = ({ signal }) => {
    signal?.addEventListener('abort', () => parts.close());
    return Promise.resolve({ status: 200, headers: { 'content-type': 'application/json' }, body: parts });
  };
  return { parts, server };
}

function chunksOf({ body }: WireResponse): AsyncIterator<Bytes, undefined> {
  if (!isStream(body)) throw new Error('the answer is no stream');
  return body[Symbol.asyncIterator]() as AsyncIterator<Bytes, undefined>;
}

function typesOf(events: readonly NewEvent[]): string[] {
  return events.map(({ type }) => type);
}

const WHOLE = ['request.start', 'request.effect', 'request.end'];

test('the answer to a read is passed on part by part, and its request ends with the last one', async () => {
  const { parts, server } = inParts();
  await withProxy(server, async ({ wire, events }) => {
    const chunks = chunksOf(await wire(PODS));
    parts.push(START);
    expect(asText((await chunks.next()).value ?? '')).toBe(START);
    expect(typesOf(events)).toEqual(['request.start', 'request.effect']);
    parts.push(REST);
    expect(asText((await chunks.next()).value ?? '')).toBe(REST);
    parts.close();
    expect((await chunks.next()).done).toBe(true);
    expect(typesOf(events)).toEqual(WHOLE);
    expect(events.at(-2)).toMatchObject({ effect: { kind: 'none' } });
    expect(events.at(-1)).toMatchObject({ outcome: 'ok', status: 200 });
  });
});

test('an answer that breaks off at the server breaks off for the target, and its request ends without a result', async () => {
  const { parts, server } = inParts();
  await withProxy(server, async ({ wire, events }) => {
    const { body } = await wire(PODS);
    parts.push(START);
    parts.fail(new WireError('ECONNRESET', 'the server died'));
    await expect(readText(body)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(typesOf(events)).toEqual(WHOLE);
    expect(events.at(-1)).toMatchObject({ outcome: 'info', code: 'ECONNRESET' });
  });
});

test('a target that leaves in the middle of an answer ends it at the server', async () => {
  const { parts, server } = inParts();
  await withProxy(server, async ({ wire, events }) => {
    const chunks = chunksOf(await wire(PODS));
    parts.push(START);
    await chunks.next();
    await chunks.return?.();
    await expect.poll(() => parts.closed).toBe(true);
    await expect.poll(() => events.at(-1)).toMatchObject({ type: 'request.end', outcome: 'info', note: 'the target had given up waiting' });
  });
});

test('a target that does not read on slows the server down, and one that does gets all of it', async () => {
  const count = 100;
  let made = 0;
  const [sent, received] = [createHash('sha256'), createHash('sha256')];
  async function* large(): AsyncGenerator<string, void, undefined> {
    for (; made < count; made += 1) {
      const part = String(made % 10).repeat(1024 * 1024);
      sent.update(part);
      yield await Promise.resolve(part);
    }
  }
  const server: Wire = () => Promise.resolve({ status: 200, headers: { 'content-type': 'application/json' }, body: large() });
  await withProxy(server, async ({ wire }) => {
    const chunks = chunksOf(await wire(PODS));
    received.update((await chunks.next()).value ?? '');
    await untilStill(() => made);
    expect(made).toBeLessThan(count);
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) received.update(next.value);
    expect(made).toBe(count);
    expect(received.digest('hex')).toBe(sent.digest('hex'));
  });
});

test('an answer that a fault holds back is read to its end meanwhile: the server does not wait for the target', async () => {
  const { parts, server } = inParts();
  await withProxy(server, async ({ wire, arm }) => {
    const struck = Promise.withResolvers<void>();
    const effect = { kind: 'delay', delayMs: 600_000 } as const;
    const heal = arm({ trigger: TRIGGER, effect, fired: () => struck.resolve() });
    const answered = wire(PODS);
    parts.push(START);
    parts.push(REST);
    parts.close();
    // It strikes when the whole answer is there.
    await struck.promise;
    heal();
    expect(await readText((await answered).body)).toBe(START + REST);
  });
});

for (const { effect, outcome } of [
  { effect: { kind: 'break', code: 'ECONNRESET' }, outcome: 'info' },
  { effect: { kind: 'refuse', refusal: { status: 503, code: 'ServiceUnavailable', message: 'later' } }, outcome: 'fail' },
] as const) {
  test(`an answer that is lost to ${effect.kind} in the middle ends at the server`, async () => {
    const { parts, server } = inParts();
    await withProxy(server, async ({ wire, events, arm }) => {
      arm({ trigger: TRIGGER, effect, fired: () => undefined });
      parts.push(START);
      const answered = await wire(PODS).then(
        ({ status }) => status,
        ({ code }: WireError) => code,
      );
      expect(answered).toBe(effect.kind === 'break' ? 'ECONNRESET' : 503);
      await expect.poll(() => parts.closed).toBe(true);
      expect(typesOf(events)).toEqual(WHOLE);
      expect(events.at(-1)).toMatchObject({ outcome });
    });
  });
}

test('an answer that a fault rewrites is read first', async () => {
  const { parts, server } = inParts();
  await withProxy(server, async ({ wire, arm }) => {
    let fired = 0;
    arm({
      match: { operations: ['list pods'] },
      rewrite: (object) => ({ ...object, rewritten: true }),
      fired: () => (fired += 1),
    });
    parts.push(START);
    parts.push(REST);
    parts.close();
    const list = JSON.parse(await readText((await wire(PODS)).body)) as { items: { rewritten?: boolean }[] };
    expect(list.items.map(({ rewritten }) => rewritten)).toEqual([true, true]);
    expect(fired).toBe(2);
  });
});

test('a compressed answer arrives as it is', async () => {
  const bytes = new Uint8Array([0x1f, 0x8b, 0x08, 0x00, 0xff, 0x00]);
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  await withProxy(
    () => Promise.resolve({ status: 200, headers, body: bytes }),
    async ({ wire }) => {
      const response = await wire(PODS);
      expect(response.headers['content-encoding']).toBe('gzip');
      const { value } = await chunksOf(response).next();
      expect([...Buffer.from(value ?? '')]).toEqual([...bytes]);
    },
  );
});
