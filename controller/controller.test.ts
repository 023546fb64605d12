import { expect, test } from '@playwright/test';
import { launchInputOf } from '../history/launch-requests.ts';
import { LABEL } from '../model/kube.ts';
import type { Node, Pod } from '../model/kube.ts';
import { parseProviderId } from '../model/provider-id.ts';
import { createRandom } from '../runtime/random.ts';
import type { Moment, WireEffect } from '../wire/effects.ts';
import type { Heal, Instance } from '../world/ports.ts';
import { KARPENTER } from './api.ts';
import type { NodeClaim } from './api.ts';
import { ANY_POOL, asking, withEmbedded } from './testing/embedded.ts';
import type { Embedded } from './testing/embedded.ts';

const MINUTE_MS = 60_000;

function spread(topologyKey: string) {
  const labelSelector = { matchLabels: { app: 'web' } };
  return { topologySpreadConstraints: [{ maxSkew: 1, topologyKey, whenUnsatisfiable: 'DoNotSchedule' as const, labelSelector }] };
}

function live({ world }: Embedded): Instance[] {
  return world.ports.instances.list().filter(({ state }) => state === 'pending' || state === 'running');
}

async function untilRunning(embedded: Embedded, count: number, limitMs = 5 * MINUTE_MS): Promise<void> {
  await embedded.until(`${count} pods run`, limitMs, async () => (await embedded.running()).length === count);
}

async function untilGone(embedded: Embedded, limitMs = 10 * MINUTE_MS): Promise<void> {
  const { port, world, until } = embedded;
  await until('all nodes, claims and instances are gone', limitMs, async () => {
    const left = [...(await port.list('nodes')), ...(await port.list('nodeclaims'))];
    return left.length === 0 && world.ports.instances.list().every(({ state }) => state === 'terminated');
  });
}

test('ten nodes for ten pods and back', async () => {
  await withEmbedded(1, [ANY_POOL], async (embedded) => {
    await embedded.deploy('web', 10, { ...asking('1'), ...spread(LABEL.hostname) });
    await untilRunning(embedded, 10);
    expect(embedded.world.ports.instances.list()).toHaveLength(10);
    const nodes = await embedded.port.list<Node>('nodes');
    for (const node of nodes) {
      expect(node.metadata.labels).toMatchObject({ [KARPENTER.nodePool]: 'default', [KARPENTER.initialized]: 'true' });
      expect(node.metadata.finalizers).toContain(KARPENTER.finalizer);
      expect(node.spec?.taints ?? []).toEqual([]);
    }
    await embedded.scale('web', 0);
    await untilGone(embedded);
    expect(embedded.log.filter((line) => line.includes(' error '))).toEqual([]);
  });
});

test('pods that fit on a node cause no launch, and a node that is needed stays', async () => {
  await withEmbedded(2, [ANY_POOL], async (embedded) => {
    await embedded.deploy('web', 3, asking('500m'));
    await untilRunning(embedded, 3);
    await embedded.scale('web', 2);
    await embedded.clock.sleep(3 * MINUTE_MS);
    expect(live(embedded)).toHaveLength(1);
    await embedded.scale('web', 3);
    await untilRunning(embedded, 3);
    expect(embedded.world.ports.instances.list()).toHaveLength(1);
  });
});

test('a deletion that fails repeatedly is retried until it succeeds', async () => {
  await withEmbedded(4, [ANY_POOL], async (embedded) => {
    const { world, port } = embedded;
    await embedded.deploy('web', 1, asking('500m'));
    await untilRunning(embedded, 1);
    const refused = (resource: string) => ({
      trigger: { match: { operations: [`delete ${resource}`] }, when: { kind: 'first' as const, count: 2 }, moment: 'before' as const },
      effect: refusal(409, 'Conflict'),
      fired: () => undefined,
    });
    for (const resource of ['nodeclaims', 'nodes']) world.arm(refused(resource));
    await port.delete({ resource: 'nodepools', name: 'default' });
    await untilGone(embedded);
  });
});

test('a removed pool removes its nodes, gracefully', async () => {
  await withEmbedded(3, [ANY_POOL], async (embedded) => {
    await embedded.deploy('web', 3, asking('500m'));
    await untilRunning(embedded, 3);
    await embedded.port.delete({ resource: 'nodepools', name: 'default' });
    await untilGone(embedded);
    const pods = await embedded.port.list<Pod>('pods', { namespace: 'default' });
    expect(pods.every(({ status }) => status?.phase === 'Pending')).toBe(true);
    expect(JSON.stringify(await embedded.port.list('events', { namespace: 'default' }))).toContain('there is no NodePool');
  });
});

test('a deleted Node has its pods evicted before its instance is terminated', async () => {
  await withEmbedded(4, [ANY_POOL], async (embedded) => {
    await embedded.deploy('web', 3, asking('500m'));
    await untilRunning(embedded, 3);
    const [node] = await embedded.port.list<Node>('nodes');
    await embedded.port.delete({ resource: 'nodes', name: node?.metadata.name ?? '' });
    await embedded.until(
      'the first instance is terminated',
      5 * MINUTE_MS,
      async () => live(embedded).length === 1 && embedded.world.ports.instances.list().length === 2,
    );
    await untilRunning(embedded, 3);
    const operations = embedded.events.flatMap((event) => (event.type === 'request.start' ? [event.operation] : []));
    expect(operations.filter((name) => name === 'create pods/eviction')).toHaveLength(3);
    expect(operations.lastIndexOf('create pods/eviction')).toBeLessThan(operations.indexOf('ec2:TerminateInstances'));
  });
});

test('an eviction that a budget blocks is retried, and nothing is terminated meanwhile', async () => {
  await withEmbedded(5, [ANY_POOL], async (embedded) => {
    await embedded.deploy('web', 1, asking('500m'));
    await untilRunning(embedded, 1);
    const forbid = embedded.world.arm({
      trigger: { match: { operations: ['create pods/eviction'] }, when: { kind: 'always' }, moment: 'before' },
      effect: refusal(429, 'TooManyRequests'),
      fired: () => undefined,
    });
    const [claim] = await embedded.port.list<NodeClaim>('nodeclaims');
    await embedded.port.delete({ resource: 'nodeclaims', name: claim?.metadata.name ?? '' });
    await embedded.clock.sleep(5 * MINUTE_MS);
    expect(await embedded.running()).toHaveLength(1);
    // The replacement exists long before the pod may leave.
    expect(live(embedded)).toHaveLength(2);
    forbid();
    await embedded.until(
      'the instance is terminated',
      3 * MINUTE_MS,
      async () => embedded.world.ports.instances.list()[0]?.state === 'terminated',
    );
  });
});

test("an empty node stays while its pods can't be read from the server", async () => {
  await withEmbedded(6, [ANY_POOL], async (embedded) => {
    await embedded.deploy('web', 1, asking('500m'));
    await untilRunning(embedded, 1);
    const forbid = embedded.world.arm({
      trigger: { match: { operations: ['list pods'] }, when: { kind: 'always' }, moment: 'before' },
      effect: refusal(500, 'InternalError'),
      fired: () => undefined,
    });
    await embedded.scale('web', 0);
    await embedded.clock.sleep(5 * MINUTE_MS);
    expect(live(embedded)).toHaveLength(1);
    forbid();
    await untilGone(embedded);
  });
});

function refusal(status: number, code: string): WireEffect {
  return { kind: 'refuse', refusal: { status, code, message: 'planted' } };
}

/** Everything at once: broken connections, lost responses, errors, delays and kills, on both wires. */
function plague({ world }: Embedded, probability: number): () => void {
  const undo: (() => void)[] = [];
  const arm = (wire: 'kube' | 'aws', moment: Moment, effect: WireEffect, chance = probability): void => {
    const match = { operations: ['*'], where: (operation: { wire: string }) => operation.wire === wire };
    const trigger = { match, when: { kind: 'probability' as const, probability: chance }, moment };
    undo.push(world.arm({ trigger, effect, fired: () => undefined }));
  };
  for (const moment of ['before', 'after'] as const) {
    for (const wire of ['kube', 'aws'] as const) {
      arm(wire, moment, { kind: 'break', code: 'ECONNRESET' });
      arm(wire, moment, { kind: 'delay', delayMs: 10_000 });
      arm(wire, moment, { kind: 'kill' }, probability / 20);
    }
    for (const [status, reason] of [
      [500, 'InternalError'],
      [429, 'TooManyRequests'],
      [409, 'Conflict'],
    ] as const)
      arm('kube', moment, refusal(status, reason));
    arm('aws', moment, refusal(503, 'RequestLimitExceeded'));
    arm('aws', moment, refusal(500, 'InternalError'));
  }
  return () => {
    for (const heal of undo) heal();
  };
}

/** How many instances each launch asked for, by its client token. */
function askedByToken({ events }: Embedded): ReadonlyMap<string, number> {
  return new Map(
    events.flatMap((event) => {
      if (event.type !== 'request.start' || event.operation !== 'ec2:CreateFleet') return [];
      return [
        [String(launchInputOf(event).ClientToken), Number(launchInputOf(event).TargetCapacitySpecification?.TotalTargetCapacity)] as const,
      ];
    }),
  );
}

for (const seed of [11, 12, 13, 14]) {
  test(`chaos of every kind, then a correct state: seed ${seed}`, { tag: seed === 11 ? [] : ['@long'] }, async () => {
    await withEmbedded(seed, [ANY_POOL], async (embedded) => {
      const { world, clock, port } = embedded;
      const random = createRandom(seed).fork('chaos');
      const heal = plague(embedded, 0.03);
      await embedded.deploy('web', 20, { ...asking('900m'), ...spread(random.pick([LABEL.hostname, LABEL.zone])) });
      const limits: Heal[] = [];
      for (let step = 0; step < 6; step += 1) {
        await clock.sleep(random.int(5_000, 60_000));
        await embedded.scale('web', random.int(0, 20));
        const running = live(embedded);
        if (running.length > 0) world.ports.instances.end(random.pick(running).id, 'Server.SpotInstanceTermination');
        const selector = random.pick([{ zones: ['us-east-1a'] }, { capacityTypes: ['spot' as const] }, {}]);
        const naming = random.pick(['one', 'tried', 'all', 'unfulfillable'] as const);
        limits.push(await world.ports.capacity.limit({ selector, naming, remaining: random.int(0, 2), fired: () => undefined }));
      }
      await embedded.scale('web', 20);
      heal();
      for (const undo of limits) await undo();

      await untilRunning(embedded, 20, 25 * MINUTE_MS);
      await clock.sleep(4 * MINUTE_MS);
      const recorded = (await port.list<NodeClaim>('nodeclaims')).map((claim) => parseProviderId(claim.status?.providerID));
      expect(recorded.sort()).toEqual(
        live(embedded)
          .map(({ id }) => id)
          .sort(),
      );
      // Those that were launched together name no claim, so they are counted: by request, and all of them.
      const asked = askedByToken(embedded);
      const instances = world.ports.instances.list();
      const shared = [...Map.groupBy(instances, ({ tags }) => tags[KARPENTER.launch])];
      const tooMany = shared.filter(([token, { length }]) => token !== undefined && length > (asked.get(token) ?? 0));
      expect(tooMany, 'more instances than a request asked for').toEqual([]);
      const single = instances.flatMap(({ tags }) => tags[KARPENTER.nodeClaim] ?? []);
      expect(single.length, 'two instances for one claim').toBe(new Set(single).size);
      const claims = new Set(embedded.events.flatMap((event) => (event.type === 'claim' && event.to === 'created' ? [event.uid] : [])));
      expect(instances.length, 'more instances than claims').toBeLessThanOrEqual(claims.size);

      await embedded.scale('web', 0);
      await untilGone(embedded, 25 * MINUTE_MS);
    });
  });
}
