import { expect, test } from '@playwright/test';
import type { Pool } from '../model/catalogue.ts';
import { LABEL } from '../model/kube.ts';
import type { KubeEvent, KubeObject, PodSpec } from '../model/kube.ts';
import { reference } from '../targets/reference.ts';
import type { Target } from '../targets/target.ts';
import type { Instance } from '../world/ports.ts';
import { KARPENTER, isDeleting } from './api.ts';
import type { NodeClaim } from './api.ts';
import { COLLECTION_FIRST_PERIOD_MS, LEASE_DURATION_MS } from './constants.ts';
import { createController } from './controller.ts';
import { STANDARD } from './periods.ts';
import { scopeOf } from './scope.ts';
import { ANY_POOL, asking, withEmbedded } from './testing/embedded.ts';
import type { Embedded } from './testing/embedded.ts';

const MINUTE_MS = 60_000;
const CLASS = { resource: 'ec2nodeclasses', name: 'default' };

/** One pool for each of two autoscalers, spot only. */
const POOLS: readonly Pool[] = ['ours', 'theirs'].map((name) => ({
  ...ANY_POOL,
  name,
  requirements: [...ANY_POOL.requirements, { key: LABEL.capacityType, operator: 'In', values: ['spot'] }],
}));

function confinedTo(pool: string): Target {
  const target = reference.confinedTo?.([pool]);
  if (target === undefined) throw new Error('the reference can be confined');
  return target;
}

const ours = confinedTo('ours');
const theirs = confinedTo('theirs');

/** A pod that fills most of a node of one pool. */
function of(pool: string): Partial<PodSpec> {
  const labelSelector = { matchLabels: { app: pool } };
  const spread = { maxSkew: 1, topologyKey: LABEL.hostname, whenUnsatisfiable: 'DoNotSchedule' as const, labelSelector };
  return { ...asking('1'), nodeSelector: { [KARPENTER.nodePool]: pool }, topologySpreadConstraints: [spread] };
}

/** Starts another autoscaler beside the existing one. */
async function startBeside({ site }: Embedded, target: Target): Promise<void> {
  await target.start(site).ready;
}

/** Both serve this many pods each; then the other one stops, as during its roll-out. */
async function serveAndLeave(embedded: Embedded, pods: number): Promise<void> {
  const { site } = embedded;
  const stopping = new AbortController();
  const first = theirs.start({ ...site, runtime: { ...site.runtime, signal: stopping.signal } });
  await first.ready;
  await embedded.deploy('ours', pods, of('ours'));
  await embedded.deploy('theirs', pods, of('theirs'));
  await untilRunning(embedded, 2 * pods);
  stopping.abort(new Error('it is rolled out again'));
  await first.done;
}

function instancesOf({ world }: Embedded, pool: string): readonly Instance[] {
  return world.ports.instances.list().filter(({ tags }) => tags[KARPENTER.nodePool] === pool);
}

function live(instances: readonly Instance[]): number {
  return instances.filter(({ state }) => state === 'pending' || state === 'running').length;
}

async function untilRunning(embedded: Embedded, count: number): Promise<void> {
  await embedded.until(`${count} pods run`, 5 * MINUTE_MS, async () => (await embedded.running()).length === count);
}

async function claimsOf({ port }: Embedded, pool: string): Promise<NodeClaim[]> {
  return (await port.list<NodeClaim>('nodeclaims')).filter(({ metadata }) => metadata.labels?.[KARPENTER.nodePool] === pool);
}

/** Removes the claim but not its instance, which no claim records any more. */
async function loseClaim(embedded: Embedded, pool: string): Promise<void> {
  for (const { metadata } of await claimsOf(embedded, pool)) {
    const ref = { resource: 'nodeclaims', name: metadata.name ?? '' };
    await embedded.port.patch(ref, { metadata: { finalizers: [] } });
    await embedded.port.delete(ref);
  }
}

test('each serves the pods of its own pools, reports nothing about the others, and removes its own nodes', async () => {
  await withEmbedded(
    1,
    POOLS,
    async (embedded) => {
      await startBeside(embedded, theirs);
      await embedded.deploy('ours', 3, of('ours'));
      await embedded.deploy('theirs', 2, of('theirs'));
      await untilRunning(embedded, 5);
      await embedded.clock.sleep(5 * MINUTE_MS);
      expect([instancesOf(embedded, 'ours').length, instancesOf(embedded, 'theirs').length]).toEqual([3, 2]);
      const events = await embedded.port.list<KubeEvent>('events', { namespace: 'default' });
      expect(events.filter(({ reason, source }) => reason === 'FailedScheduling' && source?.component === 'karpenter')).toEqual([]);
      await embedded.scale('ours', 0);
      await embedded.until('our nodes have gone', 5 * MINUTE_MS, () => Promise.resolve(live(instancesOf(embedded, 'ours')) === 0));
      expect(live(instancesOf(embedded, 'theirs'))).toBe(2);
      expect(embedded.log.filter((line) => line.includes(' error '))).toEqual([]);
    },
    ours,
  );
});

test("without confinement they conflict: one launches for the other's pods as well", async () => {
  await withEmbedded(
    1,
    POOLS,
    async (embedded) => {
      await startBeside(embedded, reference);
      await embedded.deploy('ours', 3, of('ours'));
      await untilRunning(embedded, 3);
      expect(instancesOf(embedded, 'ours').length).toBeGreaterThan(3);
    },
    ours,
  );
});

for (const { name, target, isLeft } of [
  { name: 'a confined autoscaler keeps it', target: ours, isLeft: true },
  { name: 'an unconfined one terminates it', target: reference, isLeft: false },
]) {
  test(`an instance of another pool that no claim records: ${name}`, async () => {
    await withEmbedded(
      2,
      POOLS,
      async (embedded) => {
        const { site } = embedded;
        // At this point no autoscaler would terminate it.
        const stopping = new AbortController();
        const { done, ready } = theirs.start({ ...site, runtime: { ...site.runtime, signal: stopping.signal } });
        await ready;
        await embedded.deploy('theirs', 1, of('theirs'));
        await untilRunning(embedded, 1);
        stopping.abort(new Error('its autoscaler is gone'));
        await done;
        // With no more demand, this is the only live instance.
        await embedded.scale('theirs', 0);
        await loseClaim(embedded, 'theirs');
        await startBeside(embedded, target);
        await embedded.clock.sleep(STANDARD.collectionMinAgeMs + 2 * STANDARD.collectionPeriodMs);
        expect(live(instancesOf(embedded, 'theirs'))).toBe(isLeft ? 1 : 0);
        if (!isLeft) return;
        await startBeside(embedded, theirs);
        await embedded.until('its own autoscaler terminates it', 20 * COLLECTION_FIRST_PERIOD_MS, () =>
          Promise.resolve(live(instancesOf(embedded, 'theirs')) === 0),
        );
      },
      confinedTo('nobodys'),
    );
  });
}

test("room on another autoscaler's node is used: nothing is launched for pods that fit there", async () => {
  await withEmbedded(
    3,
    POOLS,
    async (embedded) => {
      await startBeside(embedded, theirs);
      await embedded.deploy('theirs', 1, { ...asking('100m'), nodeSelector: { [KARPENTER.nodePool]: 'theirs' } });
      await untilRunning(embedded, 1);
      await embedded.deploy('anywhere', 1, asking('100m'));
      await untilRunning(embedded, 2);
      await embedded.clock.sleep(MINUTE_MS);
      expect(instancesOf(embedded, 'ours')).toEqual([]);
    },
    ours,
  );
});

test("a shared queue: warnings reach the instance's autoscaler, even if it starts later", async () => {
  await withEmbedded(
    4,
    POOLS,
    async (embedded) => {
      const { world, until } = embedded;
      await serveAndLeave(embedded, 4);
      const warned = new Set<string>();
      const noticeMs = 10 * MINUTE_MS;
      world.ports.spot.interrupt({ selector: {}, moment: 'running', noticeMs, fired: (id) => void warned.add(id) });
      const staying = async (pool: string): Promise<number> =>
        (await claimsOf(embedded, pool)).filter(
          (claim) => !isDeleting(claim) && warned.has(claim.status?.providerID?.split('/').at(-1) ?? ''),
        ).length;
      await until('ours act on theirs', MINUTE_MS, async () => (await staying('ours')) === 0);
      await embedded.clock.sleep(MINUTE_MS);
      expect([warned.size, await staying('theirs')]).toEqual([8, 4]);
      await startBeside(embedded, theirs);
      await until('the others act on theirs', MINUTE_MS, async () => (await staying('theirs')) === 0);
    },
    ours,
  );
});

test('a shared class, with its templates, stays until the claims of both are gone', async () => {
  await withEmbedded(
    5,
    POOLS,
    async (embedded) => {
      const { port, world, until } = embedded;
      await serveAndLeave(embedded, 1);
      const templates = world.ports.templates.list().length;
      await port.delete(CLASS);
      await until('our instance has ended', 10 * MINUTE_MS, () => Promise.resolve(live(instancesOf(embedded, 'ours')) === 0));
      await embedded.clock.sleep(5 * MINUTE_MS);
      expect(await port.get(CLASS)).toBeDefined();
      expect(world.ports.templates.list()).toHaveLength(templates);
      expect(live(instancesOf(embedded, 'theirs'))).toBe(1);
      await startBeside(embedded, theirs);
      await until('the class has gone', 10 * MINUTE_MS, async () => (await port.get(CLASS)) === undefined);
      expect(world.ports.templates.list()).toEqual([]);
      expect(live(instancesOf(embedded, 'theirs'))).toBe(0);
    },
    ours,
  );
});

test('each has its own lease; two with the same pools share one', async () => {
  await withEmbedded(
    6,
    POOLS,
    async (embedded) => {
      const { port, clock, site } = embedded;
      const led: string[] = [];
      for (const [identity, names] of [
        ['a', ['ours']],
        ['b', ['theirs']],
        ['a again', ['ours']],
      ] as const) {
        const controller = createController({ ...site, identity, pools: scopeOf(names) });
        controller.ready.then(
          () => led.push(identity),
          () => undefined,
        );
      }
      await clock.sleep(2 * LEASE_DURATION_MS);
      expect(led.sort()).toEqual(['a', 'b']);
      const leases = await port.list<KubeObject & { spec: { holderIdentity: string } }>('leases', { namespace: 'kube-system' });
      const own = leases.filter(({ metadata }) => metadata.name?.startsWith('karpenter-leader-election-'));
      expect(own.map(({ spec }) => spec.holderIdentity).sort()).toEqual(['a', 'b']);
    },
    confinedTo('nobodys'),
  );
});
