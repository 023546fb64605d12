import { expect, test } from '@playwright/test';
import { NVIDIA_GPU, devicesOf } from '../../model/devices.ts';
import type { Pod } from '../../model/kube.ts';
import { Scheduler } from '../scheduler/scheduler.ts';
import { G4DN_2XLARGE, M6I_LARGE, addPod } from '../testing/world-parts.ts';
import { KUBELET_DELAYS } from './kubelet.ts';
import { NODE, podRef, withKubelets } from './testing/kubelets.ts';
import type { KubeletBench } from './testing/kubelets.ts';

const GPU_INSTANCE = { instanceType: G4DN_2XLARGE.type };
const ONE_GPU = { [NVIDIA_GPU]: '1' };
const OFFERED_MS = KUBELET_DELAYS.devices.maxMs;
const MINUTES_MS = 300_000;

/** A pod that requests one GPU. It tolerates the taints of a new node, which nothing removes here. */
const WITH_GPU = {
  tolerations: [{ operator: 'Exists' as const }],
  containers: [{ name: 'main', image: 'pause', resources: { requests: ONE_GPU, limits: ONE_GPU } }],
};

/** The GPUs of NODE, in capacity and allocatable. */
async function gpus(bench: KubeletBench): Promise<readonly (string | undefined)[]> {
  const { capacity, allocatable } = (await bench.node(NODE))?.status ?? {};
  return [capacity?.[NVIDIA_GPU], allocatable?.[NVIDIA_GPU]];
}

async function untilOffered(bench: KubeletBench, withinMs = OFFERED_MS): Promise<void> {
  await bench.until('the GPU is offered', async () => (await gpus(bench)).every((amount) => amount === '1'), withinMs);
}

test('whole GPUs of NVIDIA are devices', () => {
  const { gpu } = G4DN_2XLARGE;
  if (gpu === undefined) throw new Error('the type has no GPU');
  expect(devicesOf(M6I_LARGE)).toEqual({});
  expect(devicesOf({ gpu: { ...gpu, count: 4 } })).toEqual({ [NVIDIA_GPU]: 4 });
  expect(devicesOf({ gpu: { ...gpu, count: 0, partition: 0.125 } })).toEqual({});
  expect(devicesOf({ gpu: { ...gpu, manufacturer: 'AMD' } })).toEqual({});
});

test('a node offers its GPU some time after it is Ready, and not before', async () => {
  await withKubelets(async (bench) => {
    bench.instances.set('i-1', GPU_INSTANCE);
    await bench.ready();
    await bench.clock.sleep(KUBELET_DELAYS.devices.minMs - 500);
    expect(await gpus(bench)).toEqual([undefined, undefined]);
    await untilOffered(bench);
    expect((await bench.node(NODE))?.status?.allocatable).toMatchObject({ cpu: '7910m', pods: '29' });
  });
});

test('a node of a type without GPUs is not changed after it is Ready', async () => {
  await withKubelets(async (bench) => {
    bench.instances.set('i-1', {});
    await bench.ready();
    const ready = await bench.node(NODE);
    await bench.clock.sleep(2 * OFFERED_MS);
    expect(await bench.node(NODE)).toEqual(ready);
  });
});

test('a pod that requests a GPU is bound when the GPU is offered; a second one waits', async () => {
  await withKubelets(
    async (bench) => {
      bench.instances.set('i-1', GPU_INSTANCE);
      for (const name of ['first', 'second']) await addPod(bench.port, name, WITH_GPU);
      await bench.ready();
      await bench.clock.sleep(KUBELET_DELAYS.devices.minMs - 500);
      const bound = async (): Promise<Pod[]> => (await bench.port.list<Pod>('pods')).filter(({ spec }) => spec.nodeName === NODE);
      expect(await bound()).toEqual([]);
      await untilOffered(bench);
      await bench.until('one runs', async () => (await bound()).some(({ status }) => status?.phase === 'Running'), 60_000);
      await bench.clock.sleep(60_000);
      expect(await bound()).toHaveLength(1);
    },
    { more: ({ port, clock, random }) => [new Scheduler({ port: port('scheduler'), clock, random })] },
  );
});

test('a kubelet rejects a pod that was bound to a node whose GPU is taken', async () => {
  await withKubelets(async (bench) => {
    bench.instances.set('i-1', GPU_INSTANCE);
    await bench.ready();
    await untilOffered(bench);
    for (const name of ['first', 'second']) {
      await addPod(bench.port, name, WITH_GPU);
      await bench.port.bind(podRef(name), NODE);
    }
    await bench.until('the second fails', async () => (await bench.phase('second')) === 'Failed', KUBELET_DELAYS.podStart.maxMs);
    expect((await bench.pod('second'))?.status?.reason).toBe(`OutOf${NVIDIA_GPU}`);
    await bench.until('the first runs', async () => (await bench.phase('first')) === 'Running', KUBELET_DELAYS.podStart.maxMs);
  });
});

test('a late device plugin registers later, or as soon as it is healed', async () => {
  for (const heals of [false, true]) {
    await withKubelets(async (bench) => {
      const struck: string[] = [];
      const problem = { kind: 'late-devices', delayMs: MINUTES_MS } as const;
      const heal = bench.faults.arm({ selector: {}, problem, fired: (id) => void struck.push(id) });
      bench.instances.set('i-1', GPU_INSTANCE);
      await bench.ready();
      await bench.clock.sleep(MINUTES_MS);
      expect(await gpus(bench)).toEqual([undefined, undefined]);
      expect(struck).toEqual(['i-1']);
      if (heals) void heal();
      await untilOffered(bench, heals ? 1_000 : OFFERED_MS);
    });
  }
});

test('a node that starts again offers no GPU until the plugin has registered again', async () => {
  await withKubelets(async (bench) => {
    bench.instances.set('i-1', GPU_INSTANCE);
    await bench.ready();
    await untilOffered(bench);
    bench.instances.set('i-1', { state: 'stopped' });
    await bench.clock.sleep(1_000);
    bench.instances.set('i-1', { state: 'running' });
    await bench.until('the GPU is gone', async () => (await gpus(bench)).every((amount) => amount === '0'), 30_000);
    await bench.ready();
    await untilOffered(bench);
  });
});
