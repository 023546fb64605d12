import { expect, test } from '@playwright/test';
import type { DaemonSet, Pod } from '../../model/kube.ts';
import { addNode, makePod, withParts } from '../testing/world-parts.ts';
import type { Bench, PartSite } from '../testing/world-parts.ts';
import { daemonTolerations } from './daemon-placement.ts';
import { DaemonSets } from './daemon-sets.ts';

const AT = { resource: 'daemonsets', namespace: 'default', name: 'agent' };
const parts = ({ port, clock, random }: PartSite): [DaemonSets] => [new DaemonSets({ port: port('workloads'), clock, random })];

async function deploy(bench: Bench, spec: Partial<DaemonSet['spec']> = {}, podSpec: Partial<Pod['spec']> = {}): Promise<void> {
  const labels = { app: 'agent' };
  await bench.port.create<DaemonSet>('daemonsets', {
    metadata: { name: 'agent', namespace: 'default' },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: makePod('x', podSpec).spec }, ...spec },
  });
}

const target = ({ spec }: Pod): string | undefined =>
  spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms[0]?.matchFields?.[0]?.values?.[0];

async function targets(bench: Bench, expected: string): Promise<void> {
  const now = async (): Promise<string> => (await bench.pods()).map(target).sort().join(' ');
  await bench.until(`pods for '${expected}'`, async () => (await now()) === expected, 5_000);
  await bench.clock.sleep(2_000);
  expect(await now()).toBe(expected);
}

/** Acts as scheduler and kubelet: binds each pod to its node, and makes it ready. */
async function runPods(bench: Bench): Promise<void> {
  for (const pod of await bench.pods()) {
    const at = { resource: 'pods', namespace: 'default', name: pod.metadata.name ?? '' };
    if (pod.spec.nodeName === undefined) await bench.port.bind(at, target(pod) ?? '');
    if (pod.metadata.deletionTimestamp !== undefined) await bench.port.delete(at, { gracePeriodSeconds: 0 });
    else await bench.port.patch(at, { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } }, 'status');
  }
}

test('each node gets a pod that only it can run, later nodes too', async () => {
  await withParts(parts, async (bench) => {
    await addNode(bench.port, 'n1');
    await deploy(bench);
    await targets(bench, 'n1');
    await addNode(bench.port, 'n2');
    await targets(bench, 'n1 n2');
    const [pod] = await bench.pods();
    expect(pod?.spec.nodeName).toBeUndefined();
    expect(pod?.metadata.ownerReferences?.[0]).toMatchObject({ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', controller: true });
    expect(pod?.metadata.labels?.['controller-revision-hash']).toMatch(/^[a-z0-9]+$/);
    await runPods(bench);
    await bench.until('status', async () => (await bench.port.get<DaemonSet>(AT))?.status?.numberAvailable === 2, 5_000);
    expect((await bench.port.get<DaemonSet>(AT))?.status).toEqual({
      desiredNumberScheduled: 2,
      currentNumberScheduled: 2,
      numberMisscheduled: 0,
      numberReady: 2,
      updatedNumberScheduled: 2,
      numberAvailable: 2,
      numberUnavailable: 0,
      observedGeneration: 1,
    });
  });
});

test('selectors, affinity and taints select the nodes', async () => {
  await withParts(parts, async (bench) => {
    await addNode(bench.port, 'plain', { labels: { disk: 'ssd' } });
    await addNode(bench.port, 'other', { labels: { disk: 'hdd' } });
    await addNode(bench.port, 'tainted', { labels: { disk: 'ssd' }, taints: [{ key: 'x', effect: 'NoSchedule' }] });
    await addNode(bench.port, 'cordoned', {
      labels: { disk: 'ssd' },
      unschedulable: true,
      taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }],
    });
    await deploy(bench, {}, { nodeSelector: { disk: 'ssd' } });
    await targets(bench, 'cordoned plain');
    // NoSchedule leaves a pod where it is, NoExecute and another label don't.
    await bench.port.patch({ resource: 'nodes', name: 'plain' }, { spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] } });
    await targets(bench, 'cordoned plain');
    await bench.until('misscheduled', async () => (await bench.port.get<DaemonSet>(AT))?.status?.numberMisscheduled === 1, 5_000);
    await bench.port.patch({ resource: 'nodes', name: 'plain' }, { spec: { taints: [{ key: 'x', effect: 'NoExecute' }] } });
    await targets(bench, 'cordoned');
    await bench.port.patch({ resource: 'nodes', name: 'cordoned' }, { metadata: { labels: { disk: null } } });
    await targets(bench, '');
  });
});

test('tolerations of daemon pods are added, or replace equivalent ones', () => {
  const like = { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 } as const;
  const all = daemonTolerations({ containers: [], hostNetwork: true, tolerations: [like, { operator: 'Exists' }] });
  expect(all.map(({ key = '*', effect = '*', tolerationSeconds }) => `${key.split('/').at(-1)}:${effect}:${tolerationSeconds}`)).toEqual([
    'not-ready:NoExecute:undefined',
    '*:*:undefined',
    'unreachable:NoExecute:undefined',
    'disk-pressure:NoSchedule:undefined',
    'memory-pressure:NoSchedule:undefined',
    'pid-pressure:NoSchedule:undefined',
    'unschedulable:NoSchedule:undefined',
    'network-unavailable:NoSchedule:undefined',
  ]);
});

for (const { rollingUpdate, most, fewest } of [
  { rollingUpdate: { maxUnavailable: 1 }, most: 3, fewest: 2 },
  { rollingUpdate: { maxUnavailable: '50%' }, most: 3, fewest: 1 },
  { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 }, most: 4, fewest: 3 },
]) {
  test(`a rolling update with ${JSON.stringify(rollingUpdate)}`, async () => {
    await withParts(parts, async (bench) => {
      for (const name of ['n1', 'n2', 'n3']) await addNode(bench.port, name);
      await deploy(bench, { updateStrategy: { type: 'RollingUpdate', rollingUpdate } });
      await targets(bench, 'n1 n2 n3');
      await runPods(bench);
      await bench.port.patch(AT, { spec: { template: { spec: { containers: [{ name: 'main', image: 'v2' }] } } } });
      let [largest, smallest] = [0, Infinity];
      await bench.until(
        'updated',
        async () => {
          await bench.clock.sleep(500);
          const alive = (await bench.pods()).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
          largest = Math.max(largest, alive.length);
          smallest = Math.min(smallest, alive.filter(({ status }) => status?.phase === 'Running').length);
          await runPods(bench);
          const { status } = (await bench.port.get<DaemonSet>(AT)) ?? {};
          return status?.updatedNumberScheduled === 3 && status.numberAvailable === 3;
        },
        60_000,
      );
      expect([largest, smallest]).toEqual([most, fewest]);
    });
  });
}

test('a failed pod is replaced with a growing delay', async () => {
  await withParts(parts, async (bench) => {
    await addNode(bench.port, 'n1');
    await deploy(bench);
    const gaps: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      await bench.until('a pod', async () => (await bench.pods()).some(({ status }) => status?.phase !== 'Failed'), 5_000);
      const name = (await bench.pods())[0]?.metadata.name ?? '';
      const failedMs = bench.clock.nowMs();
      await bench.port.patch({ resource: 'pods', namespace: 'default', name }, { status: { phase: 'Failed' } }, 'status');
      await bench.until('it is gone', async () => (await bench.pod(name)) === undefined, 60_000);
      gaps.push(bench.clock.nowMs() - failedMs);
    }
    expect(gaps.map((gap) => Math.round(gap / 1000))).toEqual([0, 1, 2]);
  });
});
