import { expect, test } from '@playwright/test';
import type { Node } from '../../model/kube.ts';
import { formatTime } from '../../model/time.ts';
import { createRandom } from '../../runtime/random.ts';
import { createVirtualTimeline } from '../../runtime/timeline.ts';
import { KARPENTER } from '../api.ts';
import type { NodeClaim } from '../api.ts';
import { REPAIR_AFTER_MS, REPAIR_POLL_MS } from '../constants.ts';
import type { Context } from '../context.ts';
import { Metrics } from '../metrics.ts';
import { ANY_POOL, asking, withEmbedded } from '../testing/embedded.ts';
import { createRepairer } from './repair.ts';

const MINUTE_MS = 60_000;
const NOW_MS = Date.parse('2026-01-01T12:00:00Z');

interface Member {
  readonly pool?: string;
  /** How long its Node has not been Ready; absent if it is. */
  readonly unreadyMs?: number;
  readonly status?: 'False' | 'Unknown';
  readonly initialized?: boolean;
  readonly deleting?: boolean;
}

/** @returns the indices of the removed members, and the requests to the server */
async function sweep(members: readonly Member[], refuse: (name: string) => boolean = () => false) {
  const timeline = createVirtualTimeline({ startMs: NOW_MS, random: createRandom(1) });
  const asked: string[] = [];
  const events: string[] = [];
  const metrics = new Metrics();
  const claims = members.map(({ pool = 'default', initialized = true, deleting = false }, index) => ({
    metadata: {
      name: `c${index}`,
      uid: `c${index}`,
      labels: { [KARPENTER.nodePool]: pool, 'karpenter.sh/capacity-type': 'spot' },
      ...(deleting ? { deletionTimestamp: formatTime(NOW_MS) } : {}),
    },
    status: { providerID: `n${index}`, imageID: 'ami-x', conditions: [{ type: 'Initialized', status: initialized ? 'True' : 'Unknown' }] },
  })) as unknown as NodeClaim[];
  const nodes = members.map(({ unreadyMs, status = 'Unknown' }, index): Node => {
    const since = formatTime(NOW_MS - (unreadyMs ?? 0));
    const ready = { type: 'Ready', status: unreadyMs === undefined ? ('True' as const) : status, lastTransitionTime: since };
    return { metadata: { name: `n${index}` }, status: { conditions: [ready] } };
  });
  const context = {
    runtime: { clock: timeline.scope('test'), random: createRandom(2), log: () => undefined, signal: new AbortController().signal },
    metrics,
    reporter: { publish: ({ reason, object }: { reason: string; object: Node }) => events.push(`${reason} ${object.metadata.name ?? ''}`) },
    state: {
      claims: { list: () => claims, get: () => undefined, remember: () => undefined, forget: () => undefined },
      nodesOf: (id: string) => nodes.filter(({ metadata }) => metadata.name === id),
    },
    kube: {
      get: () => Promise.resolve(undefined),
      patch: ({ name }: { name: string }, patch: { metadata: { annotations: Record<string, string> } }) => {
        asked.push(`patch ${name} ${patch.metadata.annotations[KARPENTER.terminationTime] ?? ''}`);
        if (refuse(name)) return Promise.reject(new Error('planted'));
        return Promise.resolve(claims.find(({ metadata }) => metadata.name === name));
      },
      delete: ({ name }: { name: string }) => {
        asked.push(`delete ${name}`);
        return Promise.resolve();
      },
    },
  } as unknown as Context;
  await timeline.run(createRepairer(context).sweep());
  const deleted = asked.filter((one) => one.startsWith('delete ')).map((one) => Number(one.slice('delete c'.length)));
  return { deleted, asked, events, metrics };
}

const HEALTHY: Member = {};
const DEAD: Member = { unreadyMs: REPAIR_AFTER_MS };

for (const [what, members, deleted] of [
  ['for half an hour', [DEAD, HEALTHY], [0]],
  ['with status False as well as Unknown', [{ ...DEAD, status: 'False' }, HEALTHY], [0]],
  ['for a little less', [{ unreadyMs: REPAIR_AFTER_MS - 1_000 }, HEALTHY], []],
  ['which was never initialized', [{ ...DEAD, initialized: false }, HEALTHY], []],
  ['which is being deleted', [{ ...DEAD, deleting: true }, HEALTHY], []],
  ['the only one of its pool: a fifth, rounded up', [DEAD], [0]],
  ['one of five', [DEAD, HEALTHY, HEALTHY, HEALTHY, HEALTHY], [0]],
  ['two of five: the nodes are not the cause', [DEAD, DEAD, HEALTHY, HEALTHY, HEALTHY], []],
  ['two of six', [DEAD, DEAD, HEALTHY, HEALTHY, HEALTHY, HEALTHY], [0, 1]],
  ['one of five, and another that has just failed', [DEAD, { unreadyMs: 1_000 }, HEALTHY, HEALTHY, HEALTHY], []],
  ['two of one pool, one of another', [DEAD, DEAD, { ...DEAD, pool: 'other' }], [2]],
] as [string, Member[], number[]][]) {
  test(`node repair, a node that is not ready: ${what}`, async () => {
    expect((await sweep(members)).deleted).toEqual(deleted);
  });
}

test('a repaired node is terminated at once, without a drain, with an Event and a metric', async () => {
  const { asked, events, metrics } = await sweep([DEAD, HEALTHY]);
  expect(asked).toEqual([`patch c0 ${formatTime(NOW_MS)}`, 'delete c0']);
  expect(events).toEqual(['NodeRepair n0']);
  const labels = { nodepool: 'default', capacity_type: 'spot' };
  expect(metrics.nodeClaimsDisrupted.value({ reason: 'unhealthy', ...labels })).toBe(1);
  expect(metrics.nodeClaimsUnhealthyDisrupted.value({ condition: 'ready', image_id: 'ami-x', ...labels })).toBe(1);
});

test("a node that can't be repaired now blocks no other", async () => {
  const members = [DEAD, DEAD, HEALTHY, HEALTHY, HEALTHY, HEALTHY];
  expect((await sweep(members, (name) => name === 'c0')).deleted).toEqual([1]);
});

test('a kubelet that died is replaced after half an hour, with its instance', async () => {
  await withEmbedded(1, [ANY_POOL], async ({ world, until, deploy, running, clock }) => {
    world.ports.nodes.arm({ selector: {}, count: 1, problem: { kind: 'dead-kubelet', afterMs: MINUTE_MS }, fired: () => undefined });
    await deploy('web', 1, asking('500m'));
    await until('the pod runs', 5 * MINUTE_MS, async () => (await running()).length === 1);
    const [first] = world.ports.instances.list();
    await clock.sleep(REPAIR_AFTER_MS - 5 * MINUTE_MS);
    expect(world.ports.instances.get(first?.id ?? '')?.state).toBe('running');
    await until('its instance is terminated', 10 * MINUTE_MS + REPAIR_POLL_MS, () =>
      Promise.resolve(world.ports.instances.get(first?.id ?? '')?.state === 'terminated'),
    );
    await until('the pod runs elsewhere', 5 * MINUTE_MS, async () => (await running()).length === 1);
  });
});
