import { expect, test } from '@playwright/test';
import { formatOffering } from '../../model/catalogue.ts';
import { ZONES } from '../../model/instance-catalogue.ts';
import { parseProviderId } from '../../model/provider-id.ts';
import { isDeleting } from '../api.ts';
import type { NodeClaim } from '../api.ts';
import { readShared } from '../launch/attempt.ts';
import { STANDARD } from '../periods.ts';
import { createPendingPod, withBench } from '../testing/bench.ts';
import type { Bench } from '../testing/bench.ts';
import { QUEUE_SHARED_AGE_MAX_MS } from '../constants.ts';
import { scopeOf } from '../scope.ts';
import { createInterruption } from './interruption.ts';
import type { Notice, NoticeKind } from './notice.ts';

const MINUTE_MS = 60_000;

/** One claim with its instance. */
async function withInstance(seed: number, work: (bench: Bench, instanceId: string) => Promise<void>): Promise<void> {
  await withBench(seed, async (bench) => {
    bench.start();
    await createPendingPod(bench.port, 'web');
    await bench.clock.sleep(MINUTE_MS);
    await work(bench, bench.ec2.instances[0]?.id ?? '');
  });
}

function notice(bench: Bench, kind: NoticeKind, id: string, ageMs = 0): Notice {
  return { kind, instanceIds: [id], atMs: bench.clock.nowMs() - ageMs };
}

function handle(bench: Bench, kind: NoticeKind, id: string, ageMs?: number): Promise<boolean> {
  return createInterruption(bench.context()).handle(notice(bench, kind, id, ageMs));
}

async function recorded(bench: Bench): Promise<(string | undefined)[]> {
  return (await bench.claims()).filter((claim) => !isDeleting(claim)).map(({ status }) => parseProviderId(status?.providerID));
}

for (const kind of ['spot_interrupted', 'scheduled_change', 'instance_stopping', 'instance_terminated'] as const) {
  test(`${kind}: the claim is deleted and replaced`, async () => {
    await withInstance(1, async (bench, id) => {
      expect(await handle(bench, kind, id)).toBe(true);
      expect(await recorded(bench)).toEqual([]);
      await bench.clock.sleep(2 * MINUTE_MS);
      const [first, second, ...more] = bench.ec2.instances;
      expect(first?.endedAtMs).toBeDefined();
      expect(more).toEqual([]);
      expect(await recorded(bench)).toEqual([second?.id]);
      if (first === undefined || second === undefined) throw new Error('no replacement');
      const isSameOffering = formatOffering(first.offering) === formatOffering(second.offering);
      expect(isSameOffering, 'only reclaimed capacity is avoided').toBe(kind !== 'spot_interrupted');
    });
  });
}

test('a repeated notice, or one after its claim is gone, has no further effect', async () => {
  await withInstance(2, async (bench, id) => {
    await handle(bench, 'spot_interrupted', id);
    expect(await handle(bench, 'spot_interrupted', id)).toBe(true);
    await bench.clock.sleep(3 * MINUTE_MS);
    expect(await handle(bench, 'spot_interrupted', id)).toBe(true);
    expect(await handle(bench, 'instance_terminated', id)).toBe(true);
    expect(bench.ec2.live()).toHaveLength(1);
    expect(bench.ec2.instances).toHaveLength(2);
  });
});

test('a rebalance recommendation is only reported', async () => {
  await withInstance(3, async (bench, id) => {
    expect(await handle(bench, 'rebalance_recommendation', id)).toBe(true);
    expect(await recorded(bench)).toEqual([id]);
    await bench.clock.sleep(1_000);
    expect(JSON.stringify(await bench.port.list('events', { namespace: 'default' }))).toContain('RebalanceRecommendation');
  });
});

test('a notice about an unknown instance reappears until the instance would be known', async () => {
  await withInstance(4, async (bench, id) => {
    expect(await handle(bench, 'spot_interrupted', 'i-unknown')).toBe(false);
    expect(await handle(bench, 'spot_interrupted', 'i-unknown', STANDARD.visibilityMs + 1)).toBe(true);
    expect(await recorded(bench)).toEqual([id]);
  });
});

test('before the claim records its instance, the instance is found by its tags', async () => {
  await withBench(5, async (bench) => {
    // The launch never gets a response.
    bench.meddle = (request, moment) => (request === 'CreateFleet' && moment === 'after' ? 'lose' : undefined);
    bench.start();
    await createPendingPod(bench.port, 'web');
    await bench.clock.sleep(15_000);
    const id = bench.ec2.instances[0]?.id ?? '';
    expect(await recorded(bench)).toEqual([undefined]);
    expect(await handle(bench, 'spot_interrupted', id)).toBe(true);
    expect(await recorded(bench)).toEqual([]);
    bench.meddle = () => undefined;
    await bench.clock.sleep(4 * MINUTE_MS);
    expect(bench.ec2.live().map((instance) => instance.id)).toEqual(await recorded(bench));
    expect(bench.ec2.instances[0]?.endedAtMs).toBeDefined();
  });
});

test('a notice about one of several instances that were launched together ends the claim that it is for', async () => {
  await withBench(5, async (bench) => {
    bench.meddle = (request, moment) => (request === 'CreateFleet' && moment === 'after' ? 'lose' : undefined);
    bench.start();
    for (const name of ['one', 'two', 'three']) await createPendingPod(bench.port, name, '5');
    await bench.clock.sleep(3_000);
    const before = await bench.claims();
    const [, , last] = bench.ec2.instances;
    const id = last?.id ?? '';
    expect(before).toHaveLength(3);
    expect(await handle(bench, 'spot_interrupted', id), 'EC2 does not show it yet').toBe(false);
    await bench.clock.sleep(5_000);
    expect(await handle(bench, 'spot_interrupted', id)).toBe(true);
    const ending = (await bench.claims()).filter(isDeleting);
    expect(ending.map((claim) => readShared(claim)?.shared.index)).toEqual([2]);
    bench.meddle = () => undefined;
    await bench.clock.sleep(4 * MINUTE_MS);
    expect(last?.endedAtMs).toBeDefined();
    expect((await recorded(bench)).sort()).toEqual(bench.ec2.live().map((one) => one.id));
    expect(bench.ec2.live()).toHaveLength(3);
    // A surplus instance is nobody's.
    expect(await handle(bench, 'spot_interrupted', id)).toBe(true);
    expect((await bench.claims()).filter(isDeleting)).toEqual([]);
  });
});

test('a notice counts if its claim records the instance while it is looked up', async () => {
  await withBench(8, async (bench) => {
    bench.start();
    for (const name of ['one', 'two', 'three']) await createPendingPod(bench.port, name, '5');
    await bench.clock.sleep(MINUTE_MS);
    const id = bench.ec2.instances[1]?.id ?? '';
    const context = bench.context();
    let looks = 0;
    // The first look is that of a moment before.
    const claimsOf = (providerId: string): NodeClaim[] => ((looks += 1) <= ZONES.length ? [] : context.state.claimsOf(providerId));
    const handled = await createInterruption({ ...context, state: { ...context.state, claimsOf } }).handle(
      notice(bench, 'spot_interrupted', id),
    );
    expect(handled).toBe(true);
    expect(await recorded(bench)).toHaveLength(2);
    expect(await recorded(bench)).not.toContain(id);
  });
});

test("another cluster's instance is ignored", async () => {
  await withInstance(6, async (bench, id) => {
    bench.ec2.instances.push({
      id: 'i-other',
      offering: { instanceType: 'm5.large', zone: 'us-east-1a', capacityType: 'spot' },
      tags: [{ Key: 'kubernetes.io/cluster/other', Value: 'owned' }],
      launchedAtMs: 0,
    });
    expect(await handle(bench, 'spot_interrupted', 'i-other')).toBe(true);
    expect(await recorded(bench)).toEqual([id]);
  });
});

test("a confined autoscaler leaves notices about other pools' instances, or of unknown kinds, for others to read", async () => {
  await withInstance(7, async (bench, id) => {
    const { state, ...context } = bench.context();
    const unseen = { ...state, claims: none(state.claims), claimsOf: () => [] };
    const confined = createInterruption({ ...context, state: unseen, scope: scopeOf(['mine']) });
    const about = (kind: NoticeKind, one: string, ageMs = 0): Promise<boolean> => confined.handle(notice(bench, kind, one, ageMs));
    expect(await about('spot_interrupted', id)).toBe(false);
    expect(await about('no_op', id)).toBe(false);
    expect(await confined.handle({ ...notice(bench, 'no_op', id), instanceIds: [] })).toBe(false);
    expect(await about('spot_interrupted', id, QUEUE_SHARED_AGE_MAX_MS + 1)).toBe(true);
    expect(await recorded(bench)).toEqual([id]);

    const owner = createInterruption({ ...bench.context(), scope: scopeOf(['default']) });
    const both = { ...notice(bench, 'rebalance_recommendation', id), instanceIds: [id, 'i-unknown'] };
    expect(await owner.handle(both), 'another autoscaler still has to handle its part').toBe(false);
    expect(await owner.handle(notice(bench, 'no_op', id))).toBe(true);
    expect(await owner.handle(notice(bench, 'spot_interrupted', id))).toBe(true);
    expect(await recorded(bench)).toEqual([]);
  });
});

/** The claims as seen by an autoscaler that has none. */
function none<T extends object>(claims: T): T {
  return Object.assign(Object.create(claims) as T, { list: () => [], get: () => undefined });
}
