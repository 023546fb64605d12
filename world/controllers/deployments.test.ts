import { expect, test } from '@playwright/test';
import type { Deployment, Pod, ReplicaSet } from '../../model/kube.ts';
import { makePod, withParts } from '../testing/world-parts.ts';
import type { Bench, PartSite } from '../testing/world-parts.ts';
import type { WorldPart } from '../tasks.ts';
import { conditionOf } from '../../model/conditions.ts';
import { Deployments } from './deployments.ts';
import { ReplicaSets } from './replica-sets.ts';

const AT = { resource: 'deployments', namespace: 'default', name: 'web' };

function parts({ port, clock, random }: PartSite): readonly WorldPart[] {
  const optionsOf = (name: string): Pick<PartSite, 'clock' | 'random'> & { port: ReturnType<PartSite['port']> } => {
    return { port: port('workloads'), clock, random: random.fork(name) };
  };
  return [new Deployments(optionsOf('deployments')), new ReplicaSets(optionsOf('replica-sets'))];
}

async function deploy(bench: Bench, spec: Partial<Deployment['spec']>): Promise<void> {
  const labels = { app: 'web' };
  await bench.port.create<Deployment>('deployments', {
    metadata: { name: 'web', namespace: 'default', annotations: { team: 'shop' } },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: makePod('x').spec }, ...spec },
  });
}

async function update(bench: Bench, spec: object): Promise<void> {
  await bench.port.patch(AT, { spec });
}

const newImage = (image: string): object => ({ template: { spec: { containers: [{ name: 'main', image }] } } });

async function setReady(bench: Bench, pod: Pod): Promise<void> {
  const { name = '' } = pod.metadata;
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }];
  await bench.port.patch({ resource: 'pods', namespace: 'default', name }, { status: { phase: 'Running', conditions } }, 'status');
}

/** Makes new pods ready until the Deployment is complete. Returns the most replicas requested, and the fewest ready. */
async function rollOut(bench: Bench, wanted: number): Promise<{ most: number; fewestReady: number }> {
  let [most, fewestReady] = [0, Infinity];
  await bench.until(
    'complete',
    async () => {
      const pods = await bench.pods();
      const ready = pods.filter((pod) => conditionOf(pod, 'Ready')?.status === 'True');
      most = Math.max(
        most,
        (await sizes(bench)).reduce<number>((sum, size) => sum + (size ?? 0), 0),
      );
      fewestReady = Math.min(fewestReady, ready.length);
      const next = pods.find((pod) => !ready.includes(pod));
      if (next !== undefined) await setReady(bench, next);
      const { status, metadata } = (await bench.port.get<Deployment>(AT)) ?? { metadata: {} };
      return (
        status?.updatedReplicas === wanted &&
        status.replicas === wanted &&
        status.availableReplicas === wanted &&
        status.observedGeneration === metadata.generation
      );
    },
    60_000,
  );
  return { most, fewestReady };
}

const sizes = async (bench: Bench): Promise<(number | undefined)[]> => {
  const sets = await bench.port.list<ReplicaSet>('replicasets');
  return sets.sort((a, b) => Number(revision(a)) - Number(revision(b))).map(({ spec }) => spec.replicas);
};
const revision = ({ metadata }: ReplicaSet): string | undefined => metadata.annotations?.['deployment.kubernetes.io/revision'];

test('a Deployment creates a ReplicaSet named by the hash of its template, and reports it', async () => {
  await withParts(parts, async (bench) => {
    await deploy(bench, { replicas: 3 });
    await rollOut(bench, 3);
    const [set] = await bench.port.list<ReplicaSet>('replicasets');
    const hash = set?.metadata.labels?.['pod-template-hash'] ?? '';
    expect(hash).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]+$/);
    expect(set?.metadata.name).toBe(`web-${hash}`);
    expect(set?.spec.selector).toEqual({ matchLabels: { app: 'web', 'pod-template-hash': hash } });
    expect(set?.metadata.annotations).toEqual({
      team: 'shop',
      'deployment.kubernetes.io/revision': '1',
      'deployment.kubernetes.io/desired-replicas': '3',
      'deployment.kubernetes.io/max-replicas': '4',
    });
    const deployment = await bench.port.get<Deployment>(AT);
    expect(deployment?.metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('1');
    expect(deployment?.status?.conditions?.map(({ type, status, reason, message }) => [type, status, reason, message])).toEqual([
      ['Available', 'True', 'MinimumReplicasAvailable', 'Deployment has minimum availability.'],
      ['Progressing', 'True', 'NewReplicaSetAvailable', `ReplicaSet "web-${hash}" has successfully progressed.`],
    ]);
    expect(await bench.eventsAbout('web')).toEqual([`ScalingReplicaSet: Scaled up replica set web-${hash} from 0 to 3`]);
  });
});

const ROLLOUTS = [
  { replicas: 4, maxSurge: '25%', maxUnavailable: '25%', most: 5, fewest: 3 },
  { replicas: 3, maxSurge: '25%', maxUnavailable: '25%', most: 4, fewest: 3 },
  { replicas: 4, maxSurge: 0, maxUnavailable: 1, most: 4, fewest: 3 },
  { replicas: 4, maxSurge: 2, maxUnavailable: 0, most: 6, fewest: 4 },
  { replicas: 2, maxSurge: '0%', maxUnavailable: '1%', most: 2, fewest: 1 },
];
for (const { replicas, maxSurge, maxUnavailable, most, fewest } of ROLLOUTS) {
  test(`a rolling update of ${replicas} with surge ${maxSurge} and ${maxUnavailable} unavailable`, async () => {
    await withParts(parts, async (bench) => {
      await deploy(bench, { replicas, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } } });
      await rollOut(bench, replicas);
      await update(bench, newImage('v2'));
      expect(await rollOut(bench, replicas)).toEqual({ most, fewestReady: fewest });
      expect(await sizes(bench)).toEqual([0, replicas]);
    });
  });
}

test('Recreate starts new pods once the last old one is gone', async () => {
  await withParts(parts, async (bench) => {
    await deploy(bench, { replicas: 2, strategy: { type: 'Recreate' } });
    await rollOut(bench, 2);
    const held = (await bench.pods())[0]?.metadata.name ?? '';
    await bench.port.bind({ resource: 'pods', namespace: 'default', name: held }, 'n1');
    await update(bench, newImage('v2'));
    await bench.clock.sleep(5_000);
    expect((await bench.pods()).map(({ metadata }) => metadata.name)).toEqual([held]);
    await bench.port.delete({ resource: 'pods', namespace: 'default', name: held }, { gracePeriodSeconds: 0 });
    await rollOut(bench, 2);
    expect(await sizes(bench)).toEqual([0, 2]);
  });
});

test('scaling during a rollout is proportional', async () => {
  await withParts(parts, async (bench) => {
    const rollingUpdate = { maxSurge: 3, maxUnavailable: 2 };
    await deploy(bench, { replicas: 10, strategy: { type: 'RollingUpdate', rollingUpdate } });
    await rollOut(bench, 10);
    await update(bench, newImage('broken'));
    await bench.clock.sleep(5_000);
    expect(await sizes(bench)).toEqual([8, 5]);
    await update(bench, { replicas: 15 });
    await bench.clock.sleep(5_000);
    // The example of the Deployment page of the Kubernetes documentation.
    expect(await sizes(bench)).toEqual([11, 7]);
  });
});

test('a paused Deployment scales but does not roll out', async () => {
  await withParts(parts, async (bench) => {
    await deploy(bench, { replicas: 2 });
    await rollOut(bench, 2);
    await update(bench, { paused: true });
    await update(bench, { replicas: 3, ...newImage('v2') });
    await bench.clock.sleep(5_000);
    expect(await sizes(bench)).toEqual([3]);
    const condition = conditionOf((await bench.port.get<Deployment>(AT)) ?? {}, 'Progressing');
    expect(condition).toMatchObject({ status: 'Unknown', reason: 'DeploymentPaused', message: 'Deployment is paused' });
    await update(bench, { paused: false });
    await rollOut(bench, 3);
    expect(await sizes(bench)).toEqual([0, 3]);
  });
});

test('a rollout without progress times out, and a rollback gives the old ReplicaSet a new revision', async () => {
  await withParts(parts, async (bench) => {
    await deploy(bench, { replicas: 1, progressDeadlineSeconds: 60, ...newImageSpec('v1') });
    await rollOut(bench, 1);
    await update(bench, newImage('broken'));
    await bench.clock.sleep(55_000);
    const progress = async (): Promise<unknown> => conditionOf((await bench.port.get<Deployment>(AT)) ?? {}, 'Progressing')?.reason;
    expect(await progress()).not.toBe('ProgressDeadlineExceeded');
    await bench.clock.sleep(10_000);
    expect(await progress()).toBe('ProgressDeadlineExceeded');
    await update(bench, newImage('v1'));
    await rollOut(bench, 1);
    const sets = await bench.port.list<ReplicaSet>('replicasets');
    const histories = sets.map(({ metadata }) => metadata.annotations?.['deployment.kubernetes.io/revision-history']);
    expect(sets.map(revision).sort()).toEqual(['2', '3']);
    expect(histories.filter((one) => one !== undefined)).toEqual(['1']);
  });
});

function newImageSpec(image: string): Partial<Deployment['spec']> {
  return { template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image }] } } };
}

test('old ReplicaSets beyond the limit are deleted', async () => {
  await withParts(parts, async (bench) => {
    await deploy(bench, { replicas: 1, revisionHistoryLimit: 1 });
    await rollOut(bench, 1);
    for (const image of ['v2', 'v3', 'v4']) {
      await update(bench, newImage(image));
      await rollOut(bench, 1);
    }
    await bench.until('two are left', async () => (await sizes(bench)).length === 2, 5_000);
    expect((await bench.port.list<ReplicaSet>('replicasets')).map(revision).sort()).toEqual(['3', '4']);
  });
});

test('an orphaned ReplicaSet with the right labels is adopted', async () => {
  await withParts(parts, async (bench) => {
    const labels = { app: 'web', tier: 'old' };
    await bench.port.create<ReplicaSet>('replicasets', {
      metadata: { name: 'stray', namespace: 'default', labels },
      spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: makePod('x').spec } },
    });
    await deploy(bench, { replicas: 2 });
    await rollOut(bench, 2);
    const stray = await bench.port.get<ReplicaSet>({ resource: 'replicasets', namespace: 'default', name: 'stray' });
    expect(stray?.metadata.ownerReferences?.[0]).toMatchObject({ kind: 'Deployment', name: 'web', controller: true });
    expect(stray?.spec.replicas).toBe(0);
  });
});
