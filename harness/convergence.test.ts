import { expect, test } from '@playwright/test';
import { createRandom } from '../runtime/random.ts';
import { createVirtualTimeline } from '../runtime/timeline.ts';
import { WORKLOAD_LABEL } from '../model/kube.ts';
import type { Pod } from '../model/kube.ts';
import type { ClusterPort, InstancePort } from '../world/ports.ts';
import { untilConverged, waitingToSettle } from './convergence.ts';
import type { Convergence } from './convergence.ts';

const IN_THE_WAY = [{ object: 'nodes/a', why: 'no pod needs it' }];

/** Waits in a world in which something is in the way during these times, in seconds. */
async function wait(
  busy: readonly (readonly [number, number])[],
  limitS = 60,
  quietS = 10,
): Promise<Convergence & { readonly tookS: number }> {
  const timeline = createVirtualTimeline({ startMs: 0, random: createRandom(1) });
  const clock = timeline.scope('harness');
  const look = () => {
    const nowS = clock.nowMs() / 1_000;
    return Promise.resolve(busy.some(([from, to]) => nowS >= from && nowS < to) ? IN_THE_WAY : []);
  };
  const convergence = await timeline.run(untilConverged({ clock, limitMs: limitS * 1_000, quietMs: quietS * 1_000, look }));
  return { ...convergence, tookS: clock.nowMs() / 1_000 };
}

test('converged is what stays so; since when is told', async () => {
  expect(await wait([])).toEqual({ waiting: [], sinceMs: 0, tookS: 10 });
  expect(await wait([[0, 20]])).toEqual({ waiting: [], sinceMs: 20_000, tookS: 30 });
});

test('what comes up in the quiet time begins it anew', async () => {
  expect(
    await wait([
      [0, 5],
      [12, 20],
    ]),
  ).toEqual({ waiting: [], sinceMs: 20_000, tookS: 30 });
});

test('what is in the way at the limit is named, at the limit exactly', async () => {
  expect(await wait([[0, 100]], 60.25)).toEqual({ waiting: IN_THE_WAY, tookS: 60.25 });
});

test('the quiet time may end after the limit, and what comes up in it is not forgiven', async () => {
  expect(await wait([[0, 59]])).toEqual({ waiting: [], sinceMs: 59_000, tookS: 69 });
  expect(
    await wait([
      [0, 59],
      [64, 65],
    ]),
  ).toEqual({ waiting: IN_THE_WAY, tookS: 64 });
});

test("a pod that is finished is in nobody's way, nor does it need its node", async () => {
  const pod = (name: string, phase: string): Pod => ({
    metadata: {
      name,
      namespace: 'default',
      labels: { [WORKLOAD_LABEL]: 'web' },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'w' }],
    },
    spec: { containers: [], nodeName: 'node-1' },
    status: { phase: phase as 'Failed' },
  });
  const node = {
    metadata: { name: 'node-1' },
    spec: { providerID: 'aws:///us-east-1a/i-0123456789abcdef0' },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  };
  const look = (pods: readonly Pod[]): ReturnType<typeof waitingToSettle> =>
    waitingToSettle({
      cluster: { list: (resource: string) => Promise.resolve(resource === 'pods' ? pods : [node]) } as unknown as ClusterPort,
      instances: { get: () => ({ state: 'running' }), list: () => [] } as unknown as InstancePort,
      truths: new Map([['web', { kind: 'schedulable' }]]),
    });
  expect(await look([pod('old', 'Failed'), pod('new', 'Running')])).toEqual([]);
  expect(await look([pod('old', 'Failed')])).toEqual([{ object: 'nodes/node-1', why: 'no pod needs it' }]);
  expect(await look([pod('new', 'Running'), pod('other', 'Pending')])).toEqual([
    { object: 'pods/default/other', why: 'it is Pending on node-1' },
  ]);
});
