import { expect, test } from '@playwright/test';
import { createKubeClient } from '../clients/kube.ts';
import { defined } from '../model/defined.ts';
import { createRandom } from '../runtime/random.ts';
import { createVirtualTimeline } from '../runtime/timeline.ts';
import type { Wire } from '../wire/wire.ts';
import type { Clock } from '../runtime/clock.ts';
import { createClusterState } from './state.ts';
import type { ClusterState } from './state.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** Looks at the state of a cluster whose watch of one resource expires after 30 s: it is listed again. @param lists before and after */
async function acrossGap(
  path: string,
  lists: readonly [before: readonly object[], after: readonly object[]],
  look: (state: ClusterState, clock: Clock) => Promise<void>,
): Promise<void> {
  const timeline = createVirtualTimeline({ startMs: 0, random: createRandom('time') });
  const clock = timeline.scope('test');
  const stop = new AbortController();
  let isAfter = false;
  const wire: Wire = async ({ path: requested, signal }) => {
    const isListed = requested.startsWith(path);
    if (!requested.includes('watch=true')) {
      const items = isListed ? lists[isAfter ? 1 : 0] : [];
      return { status: 200, headers: JSON_TYPE, body: JSON.stringify({ metadata: { resourceVersion: isAfter ? '7' : '5' }, items }) };
    }
    if (isListed && !isAfter) {
      await clock.sleep(30_000, signal);
      isAfter = true;
      return { status: 410, headers: JSON_TYPE, body: '{"kind":"Status","code":410,"reason":"Expired"}' };
    }
    await clock.sleep(600_000, signal);
    return { status: 200, headers: JSON_TYPE, body: '' };
  };
  const runtime = { clock, random: createRandom('state'), log: () => undefined, signal: stop.signal };
  const state = createClusterState(runtime, wire, createKubeClient({ wire, clock }));
  await timeline.run(
    (async () => {
      await state.synced;
      await look(state, clock);
      stop.abort(new Error('the test is over'));
    })(),
  );
}

test('a pod that took the name of another one during a gap in the watch is only on its own node', async () => {
  const pod = (resourceVersion: string, uid: string, nodeName: string): object => ({
    metadata: { name: 'web-0', namespace: 'default', uid, resourceVersion },
    spec: { nodeName, containers: [] },
  });
  await acrossGap('/api/v1/pods', [[pod('1', 'old', 'node-a')], [pod('6', 'new', 'node-b')]], async (state, clock) => {
    const uidsOn = (name: string): unknown[] => [...state.podsOn(name)].map(({ metadata }) => metadata.uid);
    expect(uidsOn('node-a')).toEqual(['old']);
    await clock.sleep(60_000);
    expect([uidsOn('node-a'), uidsOn('node-b'), [...state.nodesWithPods()]]).toEqual([[], ['new'], ['node-b']]);
  });
});

test("Nodes without a provider id are those that don't say it yet, also of reused names and after a gap in the watch", async () => {
  const node = (name: string, uid: string, providerID?: string): object => ({
    metadata: { name, uid, resourceVersion: uid },
    spec: defined({ providerID }),
  });
  const before = [node('gone', '1'), node('named', '2'), node('same', '3'), node('other', '4', 'aws:///a/i-4'), node('empty', '5', '')];
  const after = [
    { ...node('named', '2', 'aws:///a/i-2'), metadata: { name: 'named', uid: '2', resourceVersion: '6' } },
    node('same', '3'),
    node('other', '7'),
    node('empty', '5', ''),
  ];
  await acrossGap('/api/v1/nodes', [before, after], async (state, clock) => {
    const names = (): unknown[] =>
      state
        .nodesWithoutProviderId()
        .map(({ metadata }) => metadata.name)
        .sort();
    expect(names()).toEqual(['empty', 'gone', 'named', 'same']);
    await clock.sleep(60_000);
    expect(names()).toEqual(['empty', 'other', 'same']);
  });
});
