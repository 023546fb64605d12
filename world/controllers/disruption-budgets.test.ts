import { expect, test } from '@playwright/test';
import { conditionOf } from '../../model/conditions.ts';
import type { PodDisruptionBudget, ReplicaSet } from '../../model/kube.ts';
import { addPod, makePod, withParts } from '../testing/world-parts.ts';
import type { Bench, PartSite } from '../testing/world-parts.ts';
import type { WorldPart } from '../tasks.ts';
import { DisruptionBudgets } from './disruption-budgets.ts';
import { ReplicaSets } from './replica-sets.ts';

const AT = { resource: 'poddisruptionbudgets', namespace: 'default', name: 'web' };
const SELECTOR = { matchLabels: { app: 'web' } };

function parts({ port, clock, random }: PartSite): readonly WorldPart[] {
  const options = { port: port('workloads'), clock };
  return [
    new DisruptionBudgets({ ...options, random: random.fork('budgets') }),
    new ReplicaSets({ ...options, random: random.fork('replica-sets') }),
  ];
}

/** A ReplicaSet with `replicas` pods, of which `ready` are ready. */
async function deploy(bench: Bench, replicas: number, ready: number): Promise<void> {
  const labels = { app: 'web' };
  await bench.port.create<ReplicaSet>('replicasets', {
    metadata: { name: 'web', namespace: 'default' },
    spec: { replicas, selector: SELECTOR, template: { metadata: { labels }, spec: makePod('x').spec } },
  });
  await bench.until('pods', async () => (await bench.pods()).length === replicas, 5_000);
  for (const { metadata } of (await bench.pods()).slice(0, ready)) await setReady(bench, metadata.name ?? '', 'True');
}

async function setReady(bench: Bench, name: string, status: string): Promise<void> {
  const at = { resource: 'pods', namespace: 'default', name };
  await bench.port.patch(at, { status: { phase: 'Running', conditions: [{ type: 'Ready', status }] } }, 'status');
}

async function budget(bench: Bench, spec: Omit<PodDisruptionBudget['spec'], 'selector'>): Promise<void> {
  await bench.port.create<PodDisruptionBudget>('poddisruptionbudgets', {
    metadata: { name: 'web', namespace: 'default' },
    spec: { selector: SELECTOR, ...spec },
  });
  await bench.clock.sleep(1_000);
}

async function statusOf(bench: Bench): Promise<NonNullable<PodDisruptionBudget['status']>> {
  const status = (await bench.port.get<PodDisruptionBudget>(AT))?.status;
  if (status === undefined) throw new Error('the budget has no status');
  return status;
}

const CASES = [
  { spec: { minAvailable: 2 }, replicas: 5, ready: 4, expected: 5, desired: 2, allowed: 2 },
  { spec: { minAvailable: '50%' }, replicas: 5, ready: 5, expected: 5, desired: 3, allowed: 2 },
  { spec: { maxUnavailable: 1 }, replicas: 5, ready: 5, expected: 5, desired: 4, allowed: 1 },
  { spec: { maxUnavailable: '30%' }, replicas: 5, ready: 4, expected: 5, desired: 3, allowed: 1 },
  { spec: { maxUnavailable: 0 }, replicas: 3, ready: 3, expected: 3, desired: 3, allowed: 0 },
  { spec: { maxUnavailable: 9 }, replicas: 3, ready: 1, expected: 3, desired: 0, allowed: 1 },
  { spec: { minAvailable: 0 }, replicas: 0, ready: 0, expected: 0, desired: 0, allowed: 0 },
];
for (const { spec, replicas, ready, expected, desired, allowed } of CASES) {
  test(`${JSON.stringify(spec)} with ${ready} of ${replicas} ready`, async () => {
    await withParts(parts, async (bench) => {
      await deploy(bench, replicas, ready);
      await budget(bench, spec);
      expect(await statusOf(bench)).toMatchObject({
        expectedPods: expected,
        currentHealthy: ready,
        desiredHealthy: desired,
        disruptionsAllowed: allowed,
        observedGeneration: 1,
      });
      const condition = conditionOf({ status: { conditions: (await statusOf(bench)).conditions ?? [] } }, 'DisruptionAllowed');
      expect(condition).toMatchObject(
        allowed > 0 ? { status: 'True', reason: 'SufficientPods' } : { status: 'False', reason: 'InsufficientPods' },
      );
    });
  });
}

test('the budget follows readiness and its own spec', async () => {
  await withParts(parts, async (bench) => {
    await deploy(bench, 3, 3);
    await budget(bench, { maxUnavailable: 1 });
    await setReady(bench, (await bench.pods())[0]?.metadata.name ?? '', 'False');
    await bench.until('none allowed', async () => (await statusOf(bench)).disruptionsAllowed === 0, 1_000);
    await bench.port.patch(AT, { spec: { maxUnavailable: 2 } });
    await bench.until('one allowed', async () => (await statusOf(bench)).disruptionsAllowed === 1, 1_000);
    expect((await statusOf(bench)).observedGeneration).toBe(2);
  });
});

test('a granted eviction that does not happen counts again after two minutes', async () => {
  await withParts(parts, async (bench) => {
    await deploy(bench, 3, 3);
    await budget(bench, { maxUnavailable: 1 });
    const name = (await bench.pods())[0]?.metadata.name ?? '';
    const disruptedPods = { [name]: '2026-01-01T00:00:01Z', gone: '2026-01-01T00:00:01Z' };
    await bench.port.patch(AT, { status: { disruptionsAllowed: 0, disruptedPods } }, 'status');
    await bench.clock.sleep(1_000);
    expect(await statusOf(bench)).toMatchObject({
      currentHealthy: 2,
      disruptionsAllowed: 0,
      disruptedPods: { [name]: '2026-01-01T00:00:01Z' },
    });
    await bench.clock.sleep(120_000);
    expect(await statusOf(bench)).toMatchObject({ currentHealthy: 3, disruptionsAllowed: 1, disruptedPods: {} });
  });
});

test('unmanaged pods count for a number, and are reported for a percentage', async () => {
  await withParts(parts, async (bench) => {
    await addPod(bench.port, 'lone', { labels: { app: 'web' } });
    await setReady(bench, 'lone', 'True');
    await budget(bench, { maxUnavailable: 1 });
    expect(await statusOf(bench)).toMatchObject({ expectedPods: 0, disruptionsAllowed: 0 });
    expect((await bench.eventsAbout('web')).join()).toMatch(
      /^UnmanagedPods: Pods selected .*\(selector: &LabelSelector{MatchLabels:map\[string\]string{app: web,}/,
    );
    await bench.port.patch(AT, { spec: { maxUnavailable: null, minAvailable: 0 } });
    await bench.until('allowed', async () => (await statusOf(bench)).disruptionsAllowed === 1, 1_000);
  });
});

test('a DisruptionTarget condition without a disruption is cleared after two minutes', async () => {
  await withParts(parts, async (bench) => {
    await addPod(bench.port, 'spared');
    const conditions = [
      { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', lastTransitionTime: '2026-01-01T00:00:00Z' },
    ];
    await bench.port.patch({ resource: 'pods', namespace: 'default', name: 'spared' }, { status: { conditions } }, 'status');
    const status = async (): Promise<unknown> => conditionOf((await bench.pod('spared')) ?? {}, 'DisruptionTarget')?.status;
    await bench.clock.sleep(119_000);
    expect(await status()).toBe('True');
    await bench.clock.sleep(2_000);
    expect(await status()).toBe('False');
  });
});
