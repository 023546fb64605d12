import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import type { Pod } from '../../model/kube.ts';
import { createRandom } from '../../runtime/random.ts';
import type { WireResponse } from '../../wire/wire.ts';
import { START_MS, PODS, pod, withServer } from './testing/api-server.ts';
import type { Bench, Json, WatchLine } from './testing/api-server.ts';
import { BOOKMARK_PERIOD_MS } from './watches.ts';

const brief = (lines: readonly WatchLine[]): string[] => lines.map(({ type, object }) => `${type} ${object.metadata.name ?? ''}`);

test('a watch without a revision starts with the present objects, then delivers each change in order', async () => {
  await withServer(async ({ call, merge, watch, clock }) => {
    await call('POST', PODS, pod('b'));
    await call('POST', PODS, pod('a'));
    const { lines, stop, done } = await watch('/api/v1/pods?watch=true');
    expect(lines).toEqual([]);
    await clock.sleep(20);
    await merge(`${PODS}/a`, { metadata: { labels: { x: 'y' } } });
    await call('POST', PODS, pod('c'));
    await call('DELETE', `${PODS}/b`);
    await clock.sleep(50);
    expect(brief(lines)).toEqual(['ADDED a', 'ADDED b', 'MODIFIED a', 'ADDED c', 'MODIFIED b', 'DELETED b']);
    const revisions = lines.slice(2).map(({ object }) => Number(object.metadata.resourceVersion));
    expect(revisions).toEqual([...revisions].sort((a, b) => a - b));
    expect(lines.at(2)?.object).toMatchObject({ kind: 'Pod', apiVersion: 'v1', metadata: { labels: { x: 'y' } } });
    stop();
    await done;
  });
});

test('a client in the same process gets what the lines say; in another format there is only a body', async () => {
  await withServer(async ({ server, call, clock }) => {
    await call('POST', PODS, pod('a'));
    const closing = new AbortController();
    const caller = { principal: 'target', incarnation: 1, span: 0 } as const;
    const open = async (accept: string): Promise<WireResponse> => {
      const path = '/api/v1/pods?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
      const request = { method: 'GET', path, headers: { accept }, signal: closing.signal };
      return server.backend.handle(request, server.backend.describe(request), caller);
    };
    const { lines } = await open('application/json');
    if (lines === undefined) throw new Error('there are no lines');
    await clock.sleep(20);
    await call('DELETE', `${PODS}/a`);
    await clock.sleep(20);
    closing.abort();
    const types: string[] = [];
    for await (const { text, decoded } of lines) {
      expect(decoded).toEqual(JSON.parse(text));
      types.push((decoded as WatchLine).type);
    }
    expect(types).toEqual(['ADDED', 'BOOKMARK', 'MODIFIED', 'DELETED']);
    expect((await open('application/vnd.kubernetes.protobuf')).lines).toBeUndefined();
  });
});

test('the old paths of watches serve a collection or one object', async () => {
  await withServer(async ({ call, watch, clock }) => {
    await call('POST', PODS, pod('a'));
    await call('POST', PODS, pod('b'));
    const all = await watch('/api/v1/watch/pods');
    const own = await watch('/api/v1/watch/namespaces/default/pods');
    const one = await watch('/api/v1/watch/namespaces/default/pods/b');
    const none = await watch('/api/v1/watch/namespaces/default/pods/b?fieldSelector=metadata.name%3Db,spec.nodeName%3Dx');
    await clock.sleep(20);
    expect([all, own, one].map(({ lines }) => brief(lines))).toEqual([['ADDED a', 'ADDED b'], ['ADDED a', 'ADDED b'], ['ADDED b']]);
    await call('DELETE', `${PODS}/a`);
    await call('DELETE', `${PODS}/b`);
    await clock.sleep(20);
    expect(brief(one.lines)).toEqual(['ADDED b', 'MODIFIED b', 'DELETED b']);
    expect(none.lines).toEqual([]);
    for (const { stop, done } of [all, own, one, none]) {
      stop();
      await done;
    }
  });
});

test('a watch resumes after the revision of a list, in any namespace or one', async () => {
  await withServer(async ({ call, watch, clock }) => {
    await call('POST', PODS, pod('before'));
    const { body } = await call('GET', '/api/v1/pods');
    await call('POST', '/api/v1/namespaces/kube-system/pods', pod('system'));
    await call('POST', PODS, pod('after'));
    const all = await watch(`/api/v1/pods?watch=1&resourceVersion=${body.metadata.resourceVersion}`);
    const one = await watch(`${PODS}?watch=1&resourceVersion=${body.metadata.resourceVersion}`);
    await clock.sleep(50);
    expect(brief(all.lines)).toEqual(['ADDED system', 'ADDED after']);
    expect(brief(one.lines)).toEqual(['ADDED after']);
    all.stop();
    one.stop();
    await Promise.all([all.done, one.done]);
  });
});

test('a watch from a future revision delivers nothing until that revision has passed', async () => {
  await withServer(async ({ call, watch, clock }) => {
    const { body } = await call('POST', PODS, pod('before'));
    const { lines, stop, done } = await watch(`${PODS}?watch=1&resourceVersion=${Number(body.metadata.resourceVersion) + 2}`);
    for (const name of ['first', 'second', 'third']) await call('POST', PODS, pod(name));
    await clock.sleep(50);
    expect(brief(lines)).toEqual(['ADDED third']);
    stop();
    await done;
  });
});

test('an object that starts to match is ADDED, one that stops matching is DELETED in its last matching state', async () => {
  await withServer(async ({ call, merge, watch, clock }) => {
    await call('POST', PODS, pod('web', {}, { labels: { app: 'db' } }));
    const { lines, stop, done } = await watch('/api/v1/pods?watch=1&labelSelector=app%3Dweb');
    await merge(`${PODS}/web`, { metadata: { labels: { app: 'web' } } });
    await merge(`${PODS}/web`, { metadata: { labels: { more: 'x' } } });
    const out = await merge(`${PODS}/web`, { metadata: { labels: { app: 'other' } } });
    await call('DELETE', `${PODS}/web`);
    await clock.sleep(50);
    expect(brief(lines)).toEqual(['ADDED web', 'MODIFIED web', 'DELETED web']);
    expect(lines.at(2)?.object.metadata).toMatchObject({
      labels: { app: 'web', more: 'x' },
      resourceVersion: out.body.metadata.resourceVersion,
    });
    stop();
    await done;
  });
});

test('a compacted revision ends the watch with 410 Expired', async () => {
  await withServer(async ({ call, watch, server }) => {
    await call('POST', PODS, pod('a'));
    const { body } = await call('GET', PODS);
    await call('POST', PODS, pod('b'));
    server.compact();
    const { lines, done } = await watch(`/api/v1/pods?watch=1&resourceVersion=${body.metadata.resourceVersion}`);
    await done;
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ type: 'ERROR', object: { kind: 'Status', status: 'Failure', reason: 'Expired', code: 410 } });
    expect(lines[0]?.object.message).toMatch(/^too old resource version: \d+ \(\d+\)$/);
  });
});

test('bookmarks are sent on request, and a watch ends after its time-out', async () => {
  await withServer(async ({ call, watch, clock }) => {
    const { body } = await call('GET', PODS);
    const revision = body.metadata.resourceVersion;
    const plain = await watch(`/api/v1/pods?watch=1&resourceVersion=${revision}&timeoutSeconds=150`);
    const marked = await watch(`/api/v1/pods?watch=1&resourceVersion=${revision}&timeoutSeconds=150&allowWatchBookmarks=true`);
    await call('POST', '/api/v1/namespaces', { metadata: { name: 'other' } });
    const began = clock.nowMs();
    await Promise.all([plain.done, marked.done]);
    expect(clock.nowMs() - began).toBe(150_000);
    expect(plain.lines).toEqual([]);
    expect(marked.lines.map(({ type }) => type)).toEqual(['BOOKMARK', 'BOOKMARK']);
    expect(marked.lines[0]?.object).toEqual({ kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: String(Number(revision) + 1) } });
    expect(BOOKMARK_PERIOD_MS).toBe(60_000);
  });
});

test('initial events are streamed and their end is marked', async () => {
  await withServer(async ({ call, watch, clock }) => {
    await call('POST', PODS, pod('a'));
    const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const { lines, stop, done } = await watch(`/api/v1/pods?${query}`);
    await clock.sleep(50);
    expect(brief(lines)).toEqual(['ADDED a', 'BOOKMARK ']);
    expect(lines.at(1)?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
    stop();
    await done;
    const refused = await call('GET', '/api/v1/pods?watch=1&sendInitialEvents=true&allowWatchBookmarks=true');
    expect(refused.status).toBe(422);
    expect(refused.body.message).toContain('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan');
    expect((await call('GET', '/api/v1/pods?sendInitialEvents=true')).status).toBe(422);
  });
});

test('every watch ends when the server stops', async () => {
  await withServer(async ({ watch, server }) => {
    const { done } = await watch('/api/v1/pods?watch=1');
    server.stop();
    await done;
  });
});

test('a port watches the store directly, until its signal is aborted', async () => {
  await withServer(async ({ server, clock }) => {
    const port = server.port('scheduler');
    await port.create<Pod>('pods', pod('a', {}, { namespace: 'default' }) as Pod);
    const seen: string[] = [];
    const closing = new AbortController();
    port.watch<Pod>('pods', closing.signal, ({ type, object }) => seen.push(`${type} ${object.metadata.name}`));
    await clock.sleep(20);
    await port.bind({ resource: 'pods', namespace: 'default', name: 'a' }, 'n1');
    await expect(port.bind({ resource: 'pods', namespace: 'default', name: 'a' }, 'n2')).rejects.toMatchObject({
      status: 409,
      reason: 'Conflict',
    });
    await clock.sleep(20);
    closing.abort();
    await port.delete({ resource: 'pods', namespace: 'default', name: 'a' }, { gracePeriodSeconds: 0 });
    await clock.sleep(20);
    expect(seen).toEqual(['ADDED a', 'MODIFIED a']);
    expect(await port.get({ resource: 'pods', namespace: 'default', name: 'a' })).toBeUndefined();
    await expect(port.patch({ resource: 'pods', namespace: 'default', name: 'a' }, {})).rejects.toMatchObject({ reason: 'NotFound' });
  });
});

type Step = readonly ['create' | 'label' | 'bind' | 'delete' | 'kill', number];
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.tuple(fc.constantFrom('create', 'label', 'bind', 'delete', 'kill'), fc.integer({ min: 0, max: 4 })),
  { maxLength: 30 },
);

async function act({ call, merge }: Bench, [what, number]: Step, index: number): Promise<unknown> {
  const path = `${PODS}/p${number}`;
  switch (what) {
    case 'create':
      return call('POST', PODS, pod(`p${number}`, {}, { labels: { app: number % 2 === 0 ? 'web' : 'db' } }));
    case 'label':
      return merge(path, { metadata: { labels: { app: index % 2 === 0 ? 'web' : 'db', step: String(index) } } });
    case 'bind':
      return call('POST', `${path}/binding`, { metadata: { name: `p${number}` }, target: { name: 'n1' } });
    case 'delete':
      return call('DELETE', path);
    case 'kill':
      return call('DELETE', path, { gracePeriodSeconds: 0 });
  }
}

test('a watch from any revision, replayed over the list of that revision, gives the newest list', async () => {
  const selectors = ['', '&labelSelector=app%3Dweb', '&fieldSelector=spec.nodeName%3Dn1'];
  await fc.assert(
    fc.asyncProperty(steps, fc.nat(30), fc.constantFrom(...selectors), async (script, cut, selector) => {
      await withServer(async (bench) => {
        const { call, watch, clock } = bench;
        const list = async (): Promise<Json> => (await call('GET', `/api/v1/pods?limit=0${selector}`)).body;
        let before = await list();
        for (const [index, step] of script.entries()) {
          await act(bench, step, index);
          if (index === cut) before = await list();
        }
        const { lines, stop, done } = await watch(`/api/v1/pods?watch=1&resourceVersion=${before.metadata.resourceVersion}${selector}`);
        await clock.sleep(500);
        stop();
        await done;
        const replayed = new Map((before.items ?? []).map((item) => [item.metadata.name, item.metadata]));
        for (const { type, object } of lines) {
          expect(replayed.has(object.metadata.name)).toBe(type !== 'ADDED');
          if (type === 'DELETED') replayed.delete(object.metadata.name);
          else replayed.set(object.metadata.name, object.metadata);
        }
        const after = (await list()).items ?? [];
        expect([...replayed.keys()].sort()).toEqual(after.map((item) => item.metadata.name));
        for (const { metadata } of after) expect(replayed.get(metadata.name)).toEqual(metadata);
      });
    }),
    { numRuns: 60 },
  );
});

test('the same seed gives the same bytes at the same times, another seed different ones', async () => {
  const transcript = async (seed: number): Promise<string> => {
    const script = fc.sample(steps, { numRuns: 3, seed: 7 }).flat();
    let text = '';
    await withServer(async (bench) => {
      const { watch, clock, server } = bench;
      const { lines, stop, done } = await watch('/api/v1/pods?watch=1&allowWatchBookmarks=true');
      server.port('node').watch('pods', new AbortController().signal, ({ type, object }) => {
        text += `${clock.nowMs() - START_MS} ${type} ${object.metadata.name} ${object.metadata.uid}\n`;
      });
      const pauses = createRandom(3);
      for (const [index, step] of script.entries()) {
        text += JSON.stringify(await act(bench, step, index));
        await clock.sleep(pauses.int(0, 20));
      }
      await clock.sleep(70_000);
      stop();
      await done;
      text += JSON.stringify(lines);
    }, seed);
    return text;
  };
  const first = await transcript(1);
  expect(await transcript(1)).toBe(first);
  expect(await transcript(2)).not.toBe(first);
});
