import { expect, test } from '@playwright/test';
import { RUN_SECONDS_ANNOTATION, STOP_SECONDS_ANNOTATION } from '../../model/kube.ts';
import type { Pod, PodSpec } from '../../model/kube.ts';
import { conditionIn, makePod, userData } from '../testing/world-parts.ts';
import { KUBELET_DELAYS } from './kubelet.ts';
import { NODE, NODE_AT, podRef, withKubelets } from './testing/kubelets.ts';
import type { KubeletBench } from './testing/kubelets.ts';

const STARTED_MS = KUBELET_DELAYS.podStart.maxMs + 200;

/** Creates a pod on the node. */
async function place(
  bench: KubeletBench,
  name: string,
  spec: Partial<PodSpec> & { cpu?: string } = {},
  metadata: Pod['metadata'] = {},
): Promise<void> {
  const pod = makePod(name, spec);
  await bench.port.create<Pod>('pods', { ...pod, metadata: { ...pod.metadata, ...metadata } });
  await bench.port.bind(podRef(name), NODE);
}

async function running(bench: KubeletBench, name: string): Promise<void> {
  await bench.until(`${name} runs`, async () => (await bench.phase(name)) === 'Running', STARTED_MS);
}

/** A node without the taints that it registered with. */
async function readyNode(bench: KubeletBench): Promise<void> {
  bench.instances.set('i-1', {});
  await bench.ready();
  await bench.port.patch(NODE_AT, { spec: { taints: null } });
}

test('pods bound to a node without room fail', async () => {
  await withKubelets(async (bench) => {
    await readyNode(bench);
    await place(bench, 'first');
    await running(bench, 'first');
    expect((await bench.pod('first'))?.status?.containerStatuses).toMatchObject([{ name: 'main', ready: true, restartCount: 0 }]);
    await place(bench, 'second');
    await bench.clock.sleep(STARTED_MS);
    expect((await bench.pod('second'))?.status).toMatchObject({
      phase: 'Failed',
      reason: 'OutOfcpu',
      message: "Pod was rejected: Node didn't have enough resource: cpu, requested: 1000, used: 1000, capacity: 1930",
    });
    expect(await bench.eventsAbout('second')).toEqual([
      "OutOfcpu: Node didn't have enough resource: cpu, requested: 1000, used: 1000, capacity: 1930",
    ]);
    await bench.port.delete(podRef('first'));
    await bench.until('first is gone', async () => (await bench.pod('first')) === undefined, KUBELET_DELAYS.podEnd.maxMs + 200);
    await place(bench, 'third');
    await running(bench, 'third');
  });
});

for (const [restartPolicy, phase] of [
  ['Never', 'Succeeded'],
  ['OnFailure', 'Succeeded'],
  ['Always', 'Running'],
] as const) {
  test(`a pod that finishes, with restartPolicy ${restartPolicy}, is ${phase}`, async () => {
    await withKubelets(async (bench) => {
      await readyNode(bench);
      await place(bench, 'p', { restartPolicy }, { annotations: { [RUN_SECONDS_ANNOTATION]: '30' } });
      await running(bench, 'p');
      await bench.clock.sleep(29_000);
      expect(await bench.phase('p')).toBe('Running');
      await bench.clock.sleep(2_000);
      expect(await bench.phase('p')).toBe(phase);
      if (phase !== 'Succeeded') return;
      const pod = await bench.pod('p');
      expect(pod?.status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 0, reason: 'Completed' });
      expect(conditionIn(pod, 'Ready')).toMatchObject({ status: 'False', reason: 'PodCompleted' });
    });
  });
}

test('a pod past its deadline fails', async () => {
  await withKubelets(async (bench) => {
    await readyNode(bench);
    await place(bench, 'p', { activeDeadlineSeconds: 20 });
    await running(bench, 'p');
    await bench.clock.sleep(20_500);
    expect((await bench.pod('p'))?.status).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
  });
});

test('a pod that stops slowly takes its time, within its grace period, which a later deletion may shorten', async () => {
  await withKubelets(async (bench) => {
    await readyNode(bench);
    const isThere = async (name: string): Promise<boolean> => (await bench.pod(name)) !== undefined;
    const slow = { annotations: { [STOP_SECONDS_ANNOTATION]: '60' } };
    for (const [name, terminationGracePeriodSeconds] of [
      ['patient', 100],
      ['killed', 40],
      ['hurried', 100],
    ] as const) {
      await place(bench, name, { terminationGracePeriodSeconds, cpu: '100m' }, slow);
      await running(bench, name);
      await bench.port.delete(podRef(name));
    }
    await bench.port.delete(podRef('hurried'), { gracePeriodSeconds: 10 });
    await bench.clock.sleep(15_000);
    expect(await isThere('hurried')).toBe(false);
    expect(await isThere('killed')).toBe(true);
    await bench.clock.sleep(30_000);
    expect(await isThere('killed')).toBe(false);
    expect(await isThere('patient')).toBe(true);
    await bench.clock.sleep(25_000);
    expect(await isThere('patient')).toBe(false);
  });
});

test('a deleted pod kept by a finalizer shows how it ended', async () => {
  await withKubelets(async (bench) => {
    await readyNode(bench);
    await place(bench, 'p', {}, { finalizers: ['example.com/keep'] });
    await running(bench, 'p');
    await bench.port.delete(podRef('p'));
    await bench.clock.sleep(KUBELET_DELAYS.podEnd.maxMs + 200);
    expect(await bench.phase('p')).toBe('Succeeded');
    await bench.port.patch(podRef('p'), { metadata: { finalizers: null } });
    await bench.until('p is gone', async () => (await bench.pod('p')) === undefined, 10_000);
  });
});

test('a node that is shutting down ends its pods and accepts no more', async () => {
  await withKubelets(async (bench) => {
    await readyNode(bench);
    for (const name of ['a', 'b']) await place(bench, name, { cpu: '100m' });
    for (const name of ['a', 'b']) await running(bench, name);
    bench.instances.set('i-1', { state: 'shutting-down' });
    await place(bench, 'late', { cpu: '100m' });
    await bench.clock.sleep(50);
    await bench.until('all have ended', async () => (await bench.pods()).every(({ status }) => status?.phase === 'Failed'), 5_000);
    expect((await bench.pod('a'))?.status).toMatchObject({
      reason: 'Terminated',
      message: 'Pod was terminated in response to imminent node shutdown.',
    });
    expect(conditionIn(await bench.pod('a'), 'DisruptionTarget')).toMatchObject({ status: 'True', reason: 'TerminationByKubelet' });
    expect((await bench.pod('late'))?.status?.reason).toBe('NodeShutdown');
    expect(conditionIn(await bench.node(NODE), 'Ready')).toMatchObject({ status: 'False', message: 'node is shutting down' });
  });
});

test('a kubelet without a shutdown period is off at once', async () => {
  await withKubelets(async (bench) => {
    const config = JSON.parse(userData({})) as { spec: { kubelet: { config: Record<string, unknown> } } };
    config.spec.kubelet.config['shutdownGracePeriod'] = '0s';
    bench.instances.set('i-1', { userData: JSON.stringify(config) });
    await bench.ready();
    await bench.port.patch(NODE_AT, { spec: { taints: null } });
    await place(bench, 'p');
    await running(bench, 'p');
    bench.instances.set('i-1', { state: 'shutting-down' });
    await bench.clock.sleep(60_000);
    expect(await bench.phase('p')).toBe('Running');
    expect(await bench.readiness()).toBe('True');
  });
});

test('a pod that the controller manager marked unready is reported ready again', async () => {
  await withKubelets(async (bench) => {
    await readyNode(bench);
    await place(bench, 'p');
    await running(bench, 'p');
    const conditions = [{ type: 'Ready', status: 'False' }];
    await bench.port.patch(podRef('p'), { status: { conditions } }, 'status');
    await bench.until('p is ready', async () => conditionIn(await bench.pod('p'), 'Ready')?.status === 'True', 1_000);
  });
});
