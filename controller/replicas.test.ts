import { expect, test } from '@playwright/test';
import { resolveBounds } from '../harness/bounds.ts';
import type { KubeObject, Pod, ReplicaSet } from '../model/kube.ts';
import { reference } from '../targets/reference.ts';
import type { Sockets } from '../world/sockets.ts';
import type { World } from '../world/world.ts';
import { LEASE_DURATION_MS, LEASE_RENEW_DEADLINE_MS, LEASE_RETRY_MS, SHUTDOWN_LIMIT_MS } from './constants.ts';
import { asking } from './testing/embedded.ts';
import { EXIT_LIMIT_MS, START_LIMIT_MS, stop, watchWorld, within, withProcess, withWorld } from './testing/process.ts';

/** Processes run at their own pace: these tests only check what has happened, and nothing that could be too early. */
const LEASE = { resource: 'leases', namespace: 'kube-system', name: 'karpenter-leader-election' };
/** Longer than any process of a test runs: a response that never comes. */
const NEVER_MS = 10 * 60_000;

function electing({ environment }: Sockets): Record<string, string> {
  return { ...environment, DISABLE_LEADER_ELECTION: 'false' };
}

async function holder(world: World): Promise<string> {
  const lease = await world.port('observer').get<KubeObject & { spec?: { holderIdentity?: string } }>(LEASE);
  return lease?.spec?.holderIdentity ?? '';
}

async function deploy(world: World): Promise<void> {
  const labels = { app: 'web' };
  await world.port('scenario').create<ReplicaSet>('replicasets', {
    metadata: { name: 'web', namespace: 'default' },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: asking('1') } },
  });
}

async function isRunning(world: World): Promise<boolean> {
  const pods = await world.port('observer').list<Pod>('pods', { namespace: 'default' });
  return pods.some(({ status }) => status?.phase === 'Running');
}

/** Resolves when the first fleet was launched, whose response is delayed by this time. */
function delayFirstFleet(world: World, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    world.arm({
      trigger: { match: { operations: ['ec2:CreateFleet'], applied: true }, when: { kind: 'first', count: 1 }, moment: 'after' },
      effect: { kind: 'delay', delayMs },
      fired: () => resolve(),
    });
  });
}

test('two processes: the leader is killed in the middle of a launch, the other takes over, and nothing is launched twice', async ({}, info) => {
  await withWorld(info.outputPath('kubeconfig'), async (world, sockets, over) => {
    const { provision } = resolveBounds({ constants: reference.constants, allowances: world.allowances, nodes: 1, offerings: 9 });
    const leads = { value: START_LIMIT_MS + LEASE_DURATION_MS + 2 * LEASE_RETRY_MS };
    test.setTimeout(2 * leads.value + provision.value + EXIT_LIMIT_MS);
    const until = watchWorld(world, over.signal, ['leases']);
    await withProcess(electing(sockets), async (first) => {
      await until('the first leads', leads, async () => (await holder(world)).endsWith(`_${first.child.pid}`));
      await withProcess(electing(sockets), async (second) => {
        const launched = delayFirstFleet(world, NEVER_MS);
        await deploy(world);
        await within(provision.value, 'the fleet was launched', launched);
        expect(first.said()).toContain('"ready"');
        expect(second.said()).not.toContain('"ready"');
        first.child.kill('SIGKILL');
        expect(await within(EXIT_LIMIT_MS, 'the first was killed', first.ended)).toEqual([null, 'SIGKILL']);
        await until('the second leads', leads, async () => (await holder(world)).endsWith(`_${second.child.pid}`));
        await until('the pod runs', provision, () => isRunning(world));
        expect(world.ports.instances.list()).toHaveLength(1);
        expect(await world.port('observer').list('nodeclaims')).toHaveLength(1);
        // A stopping replica releases the lease.
        expect(await stop(second)).toEqual([0, null]);
        expect(await holder(world)).toBe('');
      });
    });
  });
});

for (const { when, delayMs, code } of [
  { when: 'its response arrives in time', delayMs: 2_000, code: 0 },
  { when: 'its response never arrives', delayMs: NEVER_MS, code: 1 },
]) {
  test(
    `SIGTERM in the middle of a launch, and ${when}: exit code ${code}, and the next process continues with that instance`,
    { tag: '@long' },
    async ({}, info) => {
      await withWorld(info.outputPath('kubeconfig'), async (world, sockets, over) => {
        const { provision } = resolveBounds({ constants: reference.constants, allowances: world.allowances, nodes: 1, offerings: 9 });
        const exitMs = SHUTDOWN_LIMIT_MS + EXIT_LIMIT_MS;
        test.setTimeout(2 * (START_LIMIT_MS + provision.value + exitMs));
        const until = watchWorld(world, over.signal);
        const launched = delayFirstFleet(world, delayMs);
        await deploy(world);
        await withProcess(sockets.environment, async (first) => {
          await within(START_LIMIT_MS + provision.value, 'the fleet was launched', launched);
          first.child.kill('SIGTERM');
          expect(await within(exitMs, 'it ended', first.ended)).toEqual([code, null]);
        });
        await withProcess(sockets.environment, async () => {
          await until('the pod runs', { value: START_LIMIT_MS + provision.value }, () => isRunning(world));
          expect(world.ports.instances.list()).toHaveLength(1);
        });
      });
    },
  );
}

test('a replica that loses its lease exits at once, with exit code 1', { tag: '@long' }, async ({}, info) => {
  await withWorld(info.outputPath('kubeconfig'), async (world, sockets, over) => {
    const leads = { value: START_LIMIT_MS };
    test.setTimeout(leads.value + LEASE_DURATION_MS + EXIT_LIMIT_MS);
    const until = watchWorld(world, over.signal, ['leases']);
    await withProcess(electing(sockets), async (only) => {
      await until('it leads', leads, async () => (await holder(world)).endsWith(`_${only.child.pid}`));
      await world.port('scenario').patch(LEASE, { spec: { holderIdentity: 'somebody-else' } });
      const ended = await within(LEASE_RENEW_DEADLINE_MS + 2 * LEASE_RETRY_MS + EXIT_LIMIT_MS, 'it ended', only.ended);
      expect(ended).toEqual([1, null]);
      expect(only.said()).toContain('the leader election was lost');
      expect(await holder(world)).toBe('somebody-else');
    });
  });
});
