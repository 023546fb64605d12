import { expect, test } from '@playwright/test';
import { createKubeClient } from '../clients/kube.ts';
import { defined } from '../model/defined.ts';
import { createRandom } from '../runtime/random.ts';
import { createVirtualTimeline } from '../runtime/timeline.ts';
import type { Wire } from '../wire/wire.ts';
import { createClusterState } from './state.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

function podList(revision: string, uid: string, nodeName: string): string {
  const metadata = { name: 'web-0', namespace: 'default', uid, resourceVersion: revision };
  return JSON.stringify({ metadata: { resourceVersion: revision }, items: [{ metadata, spec: { nodeName, containers: [] } }] });
}

test('a pod that took the name of another one during a gap in the watch is only on its own node', async () => {
  const timeline = createVirtualTimeline({ startMs: 0, random: createRandom('time') });
  const clock = timeline.scope('test');
  const stop = new AbortController();
  const lists = [podList('1', 'old', 'node-a'), podList('2', 'new', 'node-b')];
  let watches = 0;
  const wire: Wire = async ({ path, signal }) => {
    const isOfPods = path.startsWith('/api/v1/pods');
    if (!path.includes('watch=true')) {
      const body = (isOfPods ? lists.shift() : undefined) ?? JSON.stringify({ metadata: { resourceVersion: '1' }, items: [] });
      return { status: 200, headers: JSON_TYPE, body };
    }
    watches += isOfPods ? 1 : 0;
    if (isOfPods && watches === 1) return { status: 410, headers: JSON_TYPE, body: '{"kind":"Status","code":410,"reason":"Expired"}' };
    await clock.sleep(600_000, signal);
    return { status: 200, headers: JSON_TYPE, body: '' };
  };
  const runtime = { clock, random: createRandom('state'), log: () => undefined, signal: stop.signal };
  const state = createClusterState(runtime, wire, createKubeClient({ wire, clock }));
  await timeline.run(
    (async () => {
      await state.synced;
      await clock.sleep(60_000);
      const uidsOn = (name: string): unknown[] => [...state.podsOn(name)].map(({ metadata }) => metadata.uid);
      expect([uidsOn('node-a'), uidsOn('node-b'), [...state.nodesWithPods()]]).toEqual([[], ['new'], ['node-b']]);
      stop.abort(new Error('the test is over'));
    })(),
  );
});

test("Nodes without a provider id are those that don't say it yet, also of reused names and after a gap in the watch", async () => {
  const timeline = createVirtualTimeline({ startMs: 0, random: createRandom('time') });
  const clock = timeline.scope('test');
  const stop = new AbortController();
  const node = (name: string, uid: string, providerID?: string): object => ({
    metadata: { name, uid, resourceVersion: uid },
    spec: defined({ providerID }),
  });
  const lists = [
    [node('gone', '1'), node('named', '2'), node('same', '3'), node('other', '4', 'aws:///a/i-4'), node('empty', '5', '')],
    [
      { ...node('named', '2', 'aws:///a/i-2'), metadata: { name: 'named', uid: '2', resourceVersion: '6' } },
      node('same', '3'),
      node('other', '7'),
      node('empty', '5', ''),
    ],
  ];
  let watches = 0;
  const wire: Wire = async ({ path, signal }) => {
    const isOfNodes = path.startsWith('/api/v1/nodes');
    if (!path.includes('watch=true')) {
      const items = (isOfNodes ? lists[Math.min(watches, 1)] : undefined) ?? [];
      return { status: 200, headers: JSON_TYPE, body: JSON.stringify({ metadata: { resourceVersion: watches === 0 ? '5' : '7' }, items }) };
    }
    if (isOfNodes && watches === 0) {
      await clock.sleep(30_000, signal);
      watches = 1;
      return { status: 410, headers: JSON_TYPE, body: '{"kind":"Status","code":410,"reason":"Expired"}' };
    }
    await clock.sleep(600_000, signal);
    return { status: 200, headers: JSON_TYPE, body: '' };
  };
  const runtime = { clock, random: createRandom('state'), log: () => undefined, signal: stop.signal };
  const state = createClusterState(runtime, wire, createKubeClient({ wire, clock }));
  await timeline.run(
    (async () => {
      const names = (): unknown[] =>
        state
          .nodesWithoutProviderId()
          .map(({ metadata }) => metadata.name)
          .sort();
      await state.synced;
      expect(names()).toEqual(['empty', 'gone', 'named', 'same']);
      await clock.sleep(60_000);
      expect(names()).toEqual(['empty', 'other', 'same']);
      stop.abort(new Error('the test is over'));
    })(),
  );
});
