import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { createRandom } from '../../runtime/random.ts';
import { PODS, pod, withServer } from './testing/api-server.ts';
import type { Json, WatchLine } from './testing/api-server.ts';

const LAG_MS = 30_000;
/** Longer than the delay of any event that is not held back. */
const SOON_MS = 50;

const names = ({ items = [] }: Json): (string | undefined)[] => items.map(({ metadata }) => metadata.name);
const brief = (lines: readonly WatchLine[]): string[] => lines.map(({ type, object }) => `${type} ${object.metadata.name ?? ''}`);

test('a lagging cache delivers each change late; after the heal it catches up at once', async () => {
  await withServer(async ({ server, call, watch, clock }) => {
    const fired: number[] = [];
    const { lines, stop, done } = await watch('/api/v1/pods?watch=1');
    const heal = server.perturb.lag({ resources: ['pods'], lagMs: LAG_MS, fired: (span) => fired.push(span) });
    await call('POST', PODS, pod('a'));
    await clock.sleep(LAG_MS - SOON_MS);
    expect(lines).toEqual([]);
    await call('POST', PODS, pod('b'));
    await clock.sleep(2 * SOON_MS);
    expect(brief(lines)).toEqual(['ADDED a']);
    await heal();
    await clock.sleep(SOON_MS);
    expect(brief(lines)).toEqual(['ADDED a', 'ADDED b']);
    expect(fired).toEqual([0, 0]);
    stop();
    await done;
  });
});

test('lists from the cache are stale, consistent ones are not, and revisions that the cache has not seen are refused', async () => {
  await withServer(async ({ server, call, clock }) => {
    await call('POST', PODS, pod('a'));
    await clock.sleep(2 * LAG_MS);
    const { body: newer } = await call('POST', PODS, pod('b'));
    const fired: number[] = [];
    const heal = server.perturb.lag({ resources: ['*'], lagMs: LAG_MS, fired: (span) => fired.push(span) });
    const cached = await call('GET', `${PODS}?resourceVersion=0`);
    expect(names(cached.body)).toEqual(['a']);
    expect(Number(cached.body.metadata.resourceVersion)).toBeLessThan(Number(newer.metadata.resourceVersion));
    expect(fired).toEqual([0]);
    expect(names((await call('GET', PODS)).body)).toEqual(['a', 'b']);
    const notOlder = `${PODS}?resourceVersion=${newer.metadata.resourceVersion ?? ''}`;
    expect(await call('GET', notOlder)).toMatchObject({ status: 504, body: { reason: 'Timeout' } });
    expect(names((await call('GET', `${PODS}?resourceVersion=0`, undefined, { principal: 'scenario' })).body)).toEqual(['a', 'b']);
    await heal();
    expect(names((await call('GET', `${PODS}?resourceVersion=0`)).body)).toEqual(['a', 'b']);
    expect((await call('GET', notOlder)).status).toBe(200);
    expect(fired).toEqual([0]);
  });
});

test('a watch that starts from a stale cache continues from there', async () => {
  await withServer(async ({ server, call, watch, clock }) => {
    await call('POST', PODS, pod('a'));
    await clock.sleep(2 * LAG_MS);
    await call('POST', PODS, pod('b'));
    const heal = server.perturb.lag({ resources: ['pods'], lagMs: LAG_MS, fired: () => undefined });
    const fresh = await watch(`${PODS}?watch=1&resourceVersion=0`);
    const resumed = await watch(
      `${PODS}?watch=1&resourceVersion=${(await call('GET', `${PODS}?resourceVersion=0`)).body.metadata.resourceVersion}`,
    );
    await clock.sleep(SOON_MS);
    expect([brief(fresh.lines), brief(resumed.lines)]).toEqual([['ADDED a'], []]);
    await clock.sleep(LAG_MS);
    expect([brief(fresh.lines), brief(resumed.lines)]).toEqual([['ADDED a', 'ADDED b'], ['ADDED b']]);
    await heal();
    fresh.stop();
    resumed.stop();
    await Promise.all([fresh.done, resumed.done]);
  });
});

const INITIAL = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';

test('initial events without a revision are consistent: they wait three seconds for the cache, and are then refused', async () => {
  await withServer(async ({ server, call, watch, clock }) => {
    await call('POST', PODS, pod('a'));
    await clock.sleep(2 * LAG_MS);
    await call('POST', PODS, pod('b'));
    const fired: number[] = [];
    const heal = server.perturb.lag({ resources: ['pods'], lagMs: LAG_MS, fired: (span) => fired.push(span) });
    const refused = await watch(`${PODS}?${INITIAL}`);
    await clock.sleep(3_000 - SOON_MS);
    expect(refused.lines).toEqual([]);
    await refused.done;
    expect(refused.lines).toMatchObject([{ type: 'ERROR', object: { code: 504, reason: 'Timeout' } }]);
    expect(fired).toEqual([0]);
    // Any age will do for this one.
    const old = await watch(`${PODS}?${INITIAL}&resourceVersion=0`);
    await clock.sleep(SOON_MS);
    expect(brief(old.lines)).toEqual(['ADDED a', 'BOOKMARK ']);
    // Once the cache has seen all, nothing keeps it waiting.
    await clock.sleep(LAG_MS);
    const late = await watch(`${PODS}?${INITIAL}`);
    await clock.sleep(SOON_MS);
    expect(brief(late.lines)).toEqual(['ADDED a', 'ADDED b', 'BOOKMARK ']);
    await heal();
    for (const one of [old, late]) one.stop();
    await Promise.all([old.done, late.done]);
  });
});

test('initial events wait no longer than the cache needs, or until it is healed', async () => {
  await withServer(async ({ server, call, watch, clock }) => {
    await call('POST', PODS, pod('a'));
    const healShort = server.perturb.lag({ resources: ['pods'], lagMs: 1_000, fired: () => undefined });
    const short = await watch(`${PODS}?${INITIAL}`);
    await clock.sleep(1_000 - SOON_MS);
    expect(short.lines).toEqual([]);
    await clock.sleep(2 * SOON_MS);
    expect(brief(short.lines)).toEqual(['ADDED a', 'BOOKMARK ']);
    await healShort();
    const heal = server.perturb.lag({ resources: ['pods'], lagMs: LAG_MS, fired: () => undefined });
    const healed = await watch(`${PODS}?${INITIAL}`);
    await clock.sleep(1_000);
    await heal();
    await clock.sleep(SOON_MS);
    expect(brief(healed.lines)).toEqual(['ADDED a', 'BOOKMARK ']);
    for (const one of [short, healed]) one.stop();
    await Promise.all([short.done, healed.done]);
  });
});

test('watches are closed periodically; an expired one ends with 410, and so does one that resumes from before', async () => {
  await withServer(async ({ server, call, watch, clock }) => {
    const { body } = await call('POST', PODS, pod('a'));
    const from = `&resourceVersion=${body.metadata.resourceVersion ?? ''}`;
    const pods = await watch(`${PODS}?watch=1${from}`);
    const nodes = await watch('/api/v1/nodes?watch=1');
    const fired: number[] = [];
    const heal = server.perturb.close({ resources: ['pods'], expired: false, periodMs: 1_000, fired: (span) => fired.push(span) });
    await pods.done;
    const again = await watch(`${PODS}?watch=1${from}`);
    await again.done;
    await heal();
    expect(fired).toEqual([0, 0]);

    await call('POST', PODS, pod('b'));
    const last = await watch(`${PODS}?watch=1${from}`);
    await clock.sleep(SOON_MS);
    const healExpired = server.perturb.close({ resources: ['*'], expired: true, fired: (span) => fired.push(span) });
    await Promise.all([last.done, nodes.done]);
    expect(brief(last.lines)).toEqual(['ADDED b', 'ERROR ']);
    expect(last.lines.at(-1)?.object).toMatchObject({ kind: 'Status', code: 410, reason: 'Expired' });
    expect(fired).toHaveLength(4);
    const tooOld = await watch(`${PODS}?watch=1${from}`);
    await tooOld.done;
    expect(tooOld.lines.at(0)?.object).toMatchObject({ code: 410 });
    await healExpired();
  });
});

/** A step that may affect a watch or its objects. */
const anyStep = fc.oneof(
  fc.record({ do: fc.constant('write' as const), name: fc.constantFrom('a', 'b', 'c') }),
  fc.record({ do: fc.constant('lag' as const), ms: fc.integer({ min: 1, max: 2_000 }) }),
  fc.record({ do: fc.constant('heal' as const) }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.nat(1_500) }),
);

test('with any lags and heals, an open watch delivers each event once, in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 30 }), fc.nat(), async (steps, seed) => {
      await withServer(async ({ server, call, merge, watch, clock }) => {
        for (const name of ['a', 'b', 'c']) await call('POST', PODS, pod(name));
        const { body } = await call('GET', PODS);
        const { lines, stop, done } = await watch(`${PODS}?watch=1&resourceVersion=${body.metadata.resourceVersion}`);
        const written: string[] = [];
        const heals: (() => unknown)[] = [];
        for (const step of steps) {
          if (step.do === 'write') {
            const { body: one } = await merge(`${PODS}/${step.name}`, { metadata: { annotations: { write: String(written.length) } } });
            written.push(one.metadata.resourceVersion ?? '');
          } else if (step.do === 'lag') {
            heals.push(server.perturb.lag({ resources: ['pods'], lagMs: step.ms, fired: () => undefined }));
          } else if (step.do === 'heal') {
            await heals.pop()?.();
          } else {
            await clock.sleep(step.ms);
          }
        }
        for (const heal of heals) await heal();
        await clock.sleep(SOON_MS);
        expect(lines.map(({ object }) => object.metadata.resourceVersion)).toEqual(written);
        stop();
        await done;
      }, createRandom(seed).next());
    }),
    { numRuns: 40 },
  );
});
