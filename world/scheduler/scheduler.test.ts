import { expect, test } from '@playwright/test';
import { LABEL } from '../../model/kube.ts';
import type { Pod } from '../../model/kube.ts';
import { addNode, addPod, conditionIn, makePod, withParts } from '../testing/world-parts.ts';
import type { Bench, PartSite } from '../testing/world-parts.ts';
import { Scheduler, SCHEDULER_DELAYS } from './scheduler.ts';

const scheduler = ({ port, clock, random }: PartSite): [Scheduler] => [new Scheduler({ port: port('scheduler'), clock, random })];

async function nodeOf(bench: Bench, pod: string): Promise<string | undefined> {
  return (await bench.pod(pod))?.spec.nodeName;
}

test('a pod is bound, and an Event names the node', async () => {
  await withParts(scheduler, async (bench) => {
    await addNode(bench.port, 'n1');
    await addPod(bench.port, 'p');
    await bench.until('p is bound', async () => (await nodeOf(bench, 'p')) === 'n1', 1_000);
    expect(conditionIn(await bench.pod('p'), 'PodScheduled')?.status).toBe('True');
    expect(await bench.eventsAbout('p')).toEqual(['Scheduled: Successfully assigned default/p to n1']);
  });
});

test('an unschedulable pod reports why, and is bound when a node is added', async () => {
  await withParts(scheduler, async (bench) => {
    await addPod(bench.port, 'p');
    await bench.until('p is unschedulable', async () => conditionIn(await bench.pod('p'), 'PodScheduled')?.status === 'False', 1_000);
    expect(conditionIn(await bench.pod('p'), 'PodScheduled')).toMatchObject({
      reason: 'Unschedulable',
      message: 'no nodes available to schedule pods',
    });
    await addNode(bench.port, 'small', { cpu: '500m' });
    await bench.clock.sleep(20_000);
    const message =
      '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.';
    expect(conditionIn(await bench.pod('p'), 'PodScheduled')?.message).toBe(message);
    expect(await bench.eventsAbout('p')).toEqual(['FailedScheduling: no nodes available to schedule pods', `FailedScheduling: ${message}`]);
    await addNode(bench.port, 'large');
    await bench.until('p is bound', async () => (await nodeOf(bench, 'p')) === 'large', SCHEDULER_DELAYS.retryMaxMs);
  });
});

test('a deleted pod makes room for a waiting one', async () => {
  await withParts(scheduler, async (bench) => {
    await addNode(bench.port, 'n1', { cpu: '1' });
    await addPod(bench.port, 'first');
    await bench.until('first is bound', async () => (await nodeOf(bench, 'first')) === 'n1', 1_000);
    await addPod(bench.port, 'second');
    await bench.until('second waits', async () => conditionIn(await bench.pod('second'), 'PodScheduled')?.status === 'False', 1_000);
    await bench.port.delete({ resource: 'pods', namespace: 'default', name: 'first' }, { gracePeriodSeconds: 0 });
    await bench.until('second is bound', async () => (await nodeOf(bench, 'second')) === 'n1', SCHEDULER_DELAYS.retryMaxMs);
  });
});

test('removing a taint makes the pod schedulable', async () => {
  await withParts(scheduler, async (bench) => {
    await addNode(bench.port, 'n1', { taints: [{ key: 'x', effect: 'NoSchedule' }] });
    await addPod(bench.port, 'p');
    await bench.until('p waits', async () => conditionIn(await bench.pod('p'), 'PodScheduled')?.status === 'False', 1_000);
    await bench.port.patch({ resource: 'nodes', name: 'n1' }, { spec: { taints: null } });
    await bench.until('p is bound', async () => (await nodeOf(bench, 'p')) === 'n1', SCHEDULER_DELAYS.retryMaxMs);
  });
});

test("gated pods and other schedulers' pods are left alone", async () => {
  await withParts(scheduler, async (bench) => {
    await addNode(bench.port, 'n1');
    await addPod(bench.port, 'gated', { schedulingGates: [{ name: 'wait' }] });
    await addPod(bench.port, 'foreign', { schedulerName: 'other' });
    await bench.clock.sleep(400_000);
    expect(await nodeOf(bench, 'gated')).toBeUndefined();
    expect(await nodeOf(bench, 'foreign')).toBeUndefined();
    expect(conditionIn(await bench.pod('foreign'), 'PodScheduled')).toBeUndefined();
  });
});

test('higher priority goes first, then the order of arrival', async () => {
  await withParts(scheduler, async (bench) => {
    const high = { metadata: { name: 'high' }, value: 1000 };
    await bench.port.create('priorityclasses', high);
    for (const name of ['a', 'b', 'c']) await addPod(bench.port, name);
    const pod = makePod('z');
    const spec = { ...pod.spec, priorityClassName: 'high' };
    await bench.port.create<Pod>('pods', { ...pod, spec });
    await bench.until(
      'all wait',
      async () => (await bench.pods()).every((pod) => conditionIn(pod, 'PodScheduled')?.status === 'False'),
      1_000,
    );
    await bench.clock.sleep(SCHEDULER_DELAYS.retryMaxMs);
    await addNode(bench.port, 'n1', { cpu: '1' });
    await bench.until(
      'one is bound',
      async () => (await bench.pods()).some(({ spec }) => spec.nodeName === 'n1'),
      SCHEDULER_DELAYS.retryMaxMs,
    );
    expect(await nodeOf(bench, 'z')).toBe('n1');
  });
});

test('50 pods spread evenly over three zones', async () => {
  await withParts(scheduler, async (bench) => {
    const labels = { app: 'web' };
    const labelSelector = { matchLabels: labels };
    const topologySpreadConstraints = [{ maxSkew: 1, topologyKey: LABEL.zone, whenUnsatisfiable: 'DoNotSchedule' as const, labelSelector }];
    for (const zone of ['a', 'b', 'c']) await addNode(bench.port, `n-${zone}`, { zone });
    await bench.clock.sleep(100);
    for (let pod = 0; pod < 50; pod += 1) await addPod(bench.port, `p${pod}`, { labels, cpu: '200m', topologySpreadConstraints });
    const nodes = async (): Promise<(string | undefined)[]> => (await bench.pods()).map(({ spec }) => spec.nodeName);
    await bench.until('all are bound', async () => !(await nodes()).includes(undefined), 10_000);
    const bound = await nodes();
    expect(['n-a', 'n-b', 'n-c'].map((node) => bound.filter((one) => one === node).length).sort()).toEqual([16, 17, 17]);
  });
});

test('two nodes are never promised the same room', async () => {
  await withParts(scheduler, async (bench) => {
    for (let node = 0; node < 5; node += 1) await addNode(bench.port, `n${node}`, { cpu: '2' });
    for (let pod = 0; pod < 12; pod += 1) await addPod(bench.port, `p${pod}`);
    await bench.clock.sleep(30_000);
    const nodes = (await bench.pods()).map(({ spec }) => spec.nodeName);
    for (let node = 0; node < 5; node += 1) expect(nodes.filter((name) => name === `n${node}`)).toHaveLength(2);
    expect(nodes.filter((name) => name === undefined)).toHaveLength(2);
  });
});

test('the same seed gives the same events, other seeds different ones', async () => {
  const course = async (seed: number): Promise<string> => {
    let seen = '';
    await withParts(
      scheduler,
      async (bench) => {
        for (let node = 0; node < 3; node += 1) await addNode(bench.port, `n${node}`, { cpu: '2' });
        for (let pod = 0; pod < 6; pod += 1) await addPod(bench.port, `p${pod}`);
        await bench.clock.sleep(5_000);
        seen = JSON.stringify([await bench.pods(), await bench.port.list('events')]);
      },
      seed,
    );
    return seen;
  };
  expect(await course(1)).toBe(await course(1));
  expect(new Set(await Promise.all([1, 2, 3, 4].map(course))).size).toBe(4);
});

/** Creates a pod with a priority class. */
async function addUrgent(bench: Bench, name: string, cpu = '1'): Promise<void> {
  const pod = makePod(name, { cpu });
  await bench.port.create<Pod>('pods', { ...pod, spec: { ...pod.spec, priorityClassName: 'urgent' } });
}

async function withUrgent(work: (bench: Bench) => Promise<void>): Promise<void> {
  await withParts(scheduler, async (bench) => {
    await bench.port.create('priorityclasses', { metadata: { name: 'urgent' }, value: 1000 });
    await work(bench);
  });
}

test('an urgent pod preempts another, keeps the node reserved meanwhile, and gets it', async () => {
  await withUrgent(async (bench) => {
    await addNode(bench.port, 'n1', { cpu: '1' });
    await addPod(bench.port, 'victim');
    await bench.until('the victim is bound', async () => (await nodeOf(bench, 'victim')) === 'n1', 1_000);
    await addUrgent(bench, 'urgent');
    await bench.until('n1 is nominated', async () => (await bench.pod('urgent'))?.status?.nominatedNodeName === 'n1', 1_000);
    await bench.until('the victim is to leave', async () => (await bench.pod('victim'))?.metadata.deletionTimestamp !== undefined, 1_000);
    expect(conditionIn(await bench.pod('victim'), 'DisruptionTarget')).toMatchObject({
      status: 'True',
      reason: 'PreemptionByScheduler',
      message: 'default-scheduler: preempting to accommodate a higher priority pod',
    });
    expect(conditionIn(await bench.pod('urgent'), 'PodScheduled')?.message).toBe('0/1 nodes are available: 1 Insufficient cpu.');
    await addPod(bench.port, 'late');
    await bench.clock.sleep(SCHEDULER_DELAYS.retryMaxMs);
    expect(await nodeOf(bench, 'urgent')).toBeUndefined();
    await bench.port.delete({ resource: 'pods', namespace: 'default', name: 'victim' }, { gracePeriodSeconds: 0 });
    await bench.until('the urgent pod is bound', async () => (await nodeOf(bench, 'urgent')) === 'n1', SCHEDULER_DELAYS.retryMaxMs);
    await bench.clock.sleep(SCHEDULER_DELAYS.retryMaxMs);
    expect(await nodeOf(bench, 'late')).toBeUndefined();
    const uid = (await bench.pod('urgent'))?.metadata.uid ?? '';
    expect(await bench.eventsAbout('victim')).toContain(`Preempted: Preempted by pod ${uid} on node n1`);
  });
});

test('a nominated pod that is deleted releases its reservation', async () => {
  await withUrgent(async (bench) => {
    await addNode(bench.port, 'n1', { cpu: '1' });
    await addPod(bench.port, 'victim');
    await bench.until('the victim is bound', async () => (await nodeOf(bench, 'victim')) === 'n1', 1_000);
    await addUrgent(bench, 'urgent');
    await bench.until('n1 is nominated', async () => (await bench.pod('urgent'))?.status?.nominatedNodeName === 'n1', 1_000);
    await addPod(bench.port, 'late');
    await bench.clock.sleep(SCHEDULER_DELAYS.retryMaxMs);
    await bench.port.delete({ resource: 'pods', namespace: 'default', name: 'urgent' }, { gracePeriodSeconds: 0 });
    await bench.port.delete({ resource: 'pods', namespace: 'default', name: 'victim' }, { gracePeriodSeconds: 0 });
    await bench.until('the late pod is bound', async () => (await nodeOf(bench, 'late')) === 'n1', SCHEDULER_DELAYS.retryMaxMs);
  });
});

test('a pod that fits on a free node preempts no other', async () => {
  await withUrgent(async (bench) => {
    await addNode(bench.port, 'n1', { cpu: '1' });
    await addPod(bench.port, 'low');
    await bench.until('low is bound', async () => (await nodeOf(bench, 'low')) === 'n1', 1_000);
    await addNode(bench.port, 'n2', { cpu: '1' });
    await bench.clock.sleep(100);
    await addUrgent(bench, 'urgent');
    await bench.until('urgent is bound', async () => (await nodeOf(bench, 'urgent')) === 'n2', 1_000);
    expect((await bench.pod('low'))?.metadata.deletionTimestamp).toBeUndefined();
  });
});

test('a pod waits for a pod of its affinity, and is bound when that exists', async () => {
  await withParts(scheduler, async (bench) => {
    await addNode(bench.port, 'n1');
    await addNode(bench.port, 'n2');
    const term = { topologyKey: LABEL.hostname, labelSelector: { matchLabels: { app: 'db' } } };
    await addPod(bench.port, 'web', { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } });
    await bench.until('web waits', async () => conditionIn(await bench.pod('web'), 'PodScheduled')?.status === 'False', 1_000);
    await addPod(bench.port, 'db', { labels: { app: 'db' } });
    await bench.until('web is bound', async () => (await nodeOf(bench, 'web')) !== undefined, SCHEDULER_DELAYS.retryMaxMs);
    expect(await nodeOf(bench, 'web')).toBe(await nodeOf(bench, 'db'));
  });
});

test('when the first node is added, pods are tried at the end of their backoff', async () => {
  await withParts(scheduler, async (bench) => {
    await addPod(bench.port, 'p');
    await bench.clock.sleep(600_000);
    await addNode(bench.port, 'n1');
    await bench.until('p is bound', async () => (await nodeOf(bench, 'p')) === 'n1', SCHEDULER_DELAYS.retryMaxMs);
  });
});
