import { expect, test } from '@playwright/test';
import type { Job, Pod } from '../../model/kube.ts';
import type { WorldPart } from '../tasks.ts';
import { makePod, withParts } from '../testing/world-parts.ts';
import type { Bench, PartSite } from '../testing/world-parts.ts';
import { Jobs } from './jobs.ts';
import { TtlAfterFinished } from './ttl-after-finished.ts';

const AT = { resource: 'jobs', namespace: 'default', name: 'batch' };

function parts({ port, clock, random }: PartSite): readonly WorldPart[] {
  const options = { port: port('workloads'), clock };
  return [new Jobs({ ...options, random: random.fork('jobs') }), new TtlAfterFinished({ ...options, random: random.fork('ttl') })];
}

async function start(bench: Bench, spec: Partial<Job['spec']> = {}): Promise<void> {
  await bench.port.create<Job>('jobs', {
    metadata: { name: 'batch', namespace: 'default' },
    spec: { template: { spec: makePod('x', { restartPolicy: 'Never' }).spec }, ...spec },
  });
}

const active = (pods: readonly Pod[]): Pod[] =>
  pods.filter(({ metadata, status }) => metadata.deletionTimestamp === undefined && !['Succeeded', 'Failed'].includes(status?.phase ?? ''));
async function running(bench: Bench, count: number): Promise<void> {
  await bench.until(`${count} active`, async () => active(await bench.pods()).length === count, 30_000);
  await bench.clock.sleep(3_000);
  expect(active(await bench.pods())).toHaveLength(count);
}

async function end(bench: Bench, phase: 'Succeeded' | 'Failed', count = 1): Promise<void> {
  for (const { metadata } of active(await bench.pods()).slice(0, count)) {
    const at = { resource: 'pods', namespace: 'default', name: metadata.name ?? '' };
    await bench.port.patch(at, { status: { phase } }, 'status');
  }
}

async function status(bench: Bench): Promise<NonNullable<Job['status']>> {
  return (await bench.port.get<Job>(AT))?.status ?? {};
}
const conditions = async (bench: Bench): Promise<string[]> =>
  ((await status(bench)).conditions ?? []).map(({ type, status: holds, reason }) => `${type}=${holds} ${reason}`);

test('runs as many pods as parallelism allows, until there are enough successes', async () => {
  await withParts(parts, async (bench) => {
    await start(bench, { parallelism: 2, completions: 3 });
    await running(bench, 2);
    const [pod] = await bench.pods();
    expect(pod?.metadata.finalizers).toEqual(['batch.kubernetes.io/job-tracking']);
    expect(pod?.metadata.ownerReferences?.[0]).toMatchObject({ apiVersion: 'batch/v1', kind: 'Job', name: 'batch', controller: true });
    await end(bench, 'Succeeded');
    await running(bench, 2);
    expect(await status(bench)).toMatchObject({ active: 2, succeeded: 1 });
    await end(bench, 'Succeeded');
    await running(bench, 1);
    await end(bench, 'Succeeded');
    await bench.until('complete', async () => (await status(bench)).completionTime !== undefined, 5_000);
    expect(await status(bench)).toMatchObject({ active: 0, succeeded: 3, failed: 0 });
    expect(await conditions(bench)).toEqual(['SuccessCriteriaMet=True CompletionsReached', 'Complete=True CompletionsReached']);
    const pods = await bench.pods();
    expect(pods.map(({ metadata }) => metadata.finalizers ?? [])).toEqual([[], [], []]);
    expect((await bench.eventsAbout('batch')).at(-1)).toBe('Completed: Job completed');
  });
});

test('failures delay the next pod more and more, and fail the Job beyond the limit', async () => {
  await withParts(parts, async (bench) => {
    await start(bench, { backoffLimit: 2 });
    await running(bench, 1);
    await end(bench, 'Failed');
    await bench.clock.sleep(3_000);
    expect(active(await bench.pods())).toHaveLength(0);
    await running(bench, 1);
    await end(bench, 'Failed');
    await running(bench, 1);
    await end(bench, 'Failed');
    await bench.until('failed', async () => (await conditions(bench)).some((one) => one.startsWith('Failed=')), 5_000);
    expect(await conditions(bench)).toEqual(['FailureTarget=True BackoffLimitExceeded', 'Failed=True BackoffLimitExceeded']);
    expect(await status(bench)).toMatchObject({ failed: 3, active: 0 });
    expect(await bench.eventsAbout('batch')).toContain('BackoffLimitExceeded: Job has reached the specified backoff limit');
  });
});

test('a deadline fails the Job once its pods are gone', async () => {
  await withParts(parts, async (bench) => {
    await start(bench, { activeDeadlineSeconds: 60 });
    await running(bench, 1);
    const { name = '' } = (await bench.pods())[0]?.metadata ?? {};
    const at = { resource: 'pods', namespace: 'default', name };
    await bench.port.bind(at, 'n1');
    await bench.clock.sleep(62_000);
    expect(await conditions(bench)).toEqual(['FailureTarget=True DeadlineExceeded']);
    await bench.port.delete(at, { gracePeriodSeconds: 0 });
    await bench.until('failed', async () => (await conditions(bench)).length === 2, 5_000);
    expect(await conditions(bench)).toEqual(['FailureTarget=True DeadlineExceeded', 'Failed=True DeadlineExceeded']);
  });
});

test('a suspended Job has no pods, and starts again when it is resumed', async () => {
  await withParts(parts, async (bench) => {
    await start(bench, { suspend: true });
    await running(bench, 0);
    expect((await status(bench)).startTime).toBeUndefined();
    await bench.port.patch(AT, { spec: { suspend: false } });
    await running(bench, 1);
    expect((await status(bench)).startTime).toBeDefined();
    expect(await conditions(bench)).toEqual(['Suspended=False JobResumed']);
  });
});

test('a finished Job is deleted after its TTL, with its pods', async () => {
  await withParts(parts, async (bench) => {
    await start(bench, { ttlSecondsAfterFinished: 100 });
    await running(bench, 1);
    await end(bench, 'Succeeded');
    await bench.clock.sleep(90_000);
    expect(await bench.pods()).toHaveLength(1);
    await bench.clock.sleep(20_000);
    expect(await bench.port.get(AT)).toBeUndefined();
    expect(await bench.pods()).toHaveLength(0);
  });
});

test('a pod that is deleted is replaced, and a deleted Job leaves nothing behind', async () => {
  await withParts(parts, async (bench) => {
    await start(bench);
    await running(bench, 1);
    const { name = '' } = (await bench.pods())[0]?.metadata ?? {};
    await bench.port.delete({ resource: 'pods', namespace: 'default', name });
    await bench.until('it is gone', async () => (await bench.pod(name)) === undefined, 20_000);
    await running(bench, 1);
    await bench.port.delete(AT);
    await bench.until('nothing is left', async () => (await bench.pods()).length === 0, 20_000);
  });
});
