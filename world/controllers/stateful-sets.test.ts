import { expect, test } from '@playwright/test';
import type { KubeObject, StatefulSet } from '../../model/kube.ts';
import { makePod, withParts } from '../testing/world-parts.ts';
import type { Bench, PartSite } from '../testing/world-parts.ts';
import { StatefulSets } from './stateful-sets.ts';

const AT = { resource: 'statefulsets', namespace: 'default', name: 'db' };
const parts = ({ port, clock, random }: PartSite): [StatefulSets] => [new StatefulSets({ port: port('workloads'), clock, random })];

async function deploy(bench: Bench, spec: Partial<StatefulSet['spec']>): Promise<void> {
  const labels = { app: 'db' };
  await bench.port.create<StatefulSet>('statefulsets', {
    metadata: { name: 'db', namespace: 'default' },
    spec: { serviceName: 'db', selector: { matchLabels: labels }, template: { metadata: { labels }, spec: makePod('x').spec }, ...spec },
  });
}

const names = async (bench: Bench): Promise<string> => (await bench.pods()).map(({ metadata }) => metadata.name).join(' ');
async function settled(bench: Bench, expected: string): Promise<void> {
  await bench.until(expected, async () => (await names(bench)) === expected, 5_000);
  await bench.clock.sleep(2_000);
  expect(await names(bench)).toBe(expected);
}
const at = (name: string): { resource: string; namespace: string; name: string } => ({ resource: 'pods', namespace: 'default', name });
async function setReady(bench: Bench, ...pods: string[]): Promise<void> {
  for (const name of pods) {
    await bench.port.patch(at(name), { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } }, 'status');
  }
}

test('in order: each pod waits for the one before, and they are deleted in reverse', async () => {
  await withParts(parts, async (bench) => {
    await deploy(bench, { replicas: 3 });
    await settled(bench, 'db-0');
    await setReady(bench, 'db-0');
    await settled(bench, 'db-0 db-1');
    await setReady(bench, 'db-1');
    await settled(bench, 'db-0 db-1 db-2');
    await setReady(bench, 'db-2');
    const pod = await bench.pod('db-2');
    expect(pod?.metadata.labels).toMatchObject({ 'statefulset.kubernetes.io/pod-name': 'db-2', 'apps.kubernetes.io/pod-index': '2' });
    expect(pod?.spec).toMatchObject({ hostname: 'db-2', subdomain: 'db' });
    await bench.port.bind(at('db-2'), 'n1');
    await bench.port.patch(AT, { spec: { replicas: 1 } });
    await settled(bench, 'db-0 db-1 db-2');
    await bench.port.delete(at('db-2'), { gracePeriodSeconds: 0 });
    await settled(bench, 'db-0');
    expect(await bench.eventsAbout('db')).toContain('SuccessfulDelete: delete Pod db-1 in StatefulSet db successful');
  });
});

test('in parallel: all at once', async () => {
  await withParts(parts, async (bench) => {
    await deploy(bench, { replicas: 3, podManagementPolicy: 'Parallel', ordinals: { start: 5 } });
    await settled(bench, 'db-5 db-6 db-7');
    await bench.port.patch(AT, { spec: { replicas: 1 } });
    await settled(bench, 'db-5');
  });
});

test('each pod has its own claims, and its successor gets them again', async () => {
  await withParts(parts, async (bench) => {
    const template = {
      metadata: { name: 'data', labels: { tier: 'db' } },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    };
    await deploy(bench, { replicas: 2, podManagementPolicy: 'Parallel', volumeClaimTemplates: [template] });
    await settled(bench, 'db-0 db-1');
    const claims = await bench.port.list<KubeObject>('persistentvolumeclaims');
    expect(claims.map(({ metadata: { namespace, name, labels } }) => ({ namespace, name, labels }))).toEqual(
      ['data-db-0', 'data-db-1'].map((name) => ({ namespace: 'default', name, labels: { tier: 'db', app: 'db' } })),
    );
    const volumesOf = async (name: string): Promise<unknown> => (await bench.pod(name))?.spec.volumes;
    expect(await volumesOf('db-1')).toEqual([{ name: 'data', persistentVolumeClaim: { claimName: 'data-db-1' } }]);
    expect(await bench.eventsAbout('db')).toContain('SuccessfulCreate: create Claim data-db-1 Pod db-1 in StatefulSet db success');

    await bench.port.delete(at('db-1'), { gracePeriodSeconds: 0 });
    await settled(bench, 'db-0 db-1');
    const uids = async (): Promise<unknown[]> =>
      (await bench.port.list<KubeObject>('persistentvolumeclaims')).map(({ metadata }) => metadata.uid);
    expect(await uids()).toEqual(claims.map(({ metadata }) => metadata.uid));
    expect(await volumesOf('db-1')).toEqual([{ name: 'data', persistentVolumeClaim: { claimName: 'data-db-1' } }]);
  });
});

test('a pod is replaced only once it is gone', async () => {
  await withParts(parts, async (bench) => {
    await deploy(bench, { replicas: 1 });
    await settled(bench, 'db-0');
    const { uid } = (await bench.pod('db-0'))?.metadata ?? {};
    await bench.port.bind(at('db-0'), 'n1');
    await bench.port.delete(at('db-0'));
    await bench.clock.sleep(20_000);
    expect((await bench.pod('db-0'))?.metadata.uid).toBe(uid);
    await bench.port.delete(at('db-0'), { gracePeriodSeconds: 0 });
    await bench.until('a successor', async () => ![undefined, uid].includes((await bench.pod('db-0'))?.metadata.uid), 5_000);
  });
});

test('an update runs from the highest ordinal down to the partition', async () => {
  await withParts(parts, async (bench) => {
    await deploy(bench, {
      replicas: 3,
      podManagementPolicy: 'Parallel',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } },
    });
    await settled(bench, 'db-0 db-1 db-2');
    await setReady(bench, 'db-0', 'db-1', 'db-2');
    await bench.port.patch(AT, { spec: { template: { spec: { containers: [{ name: 'main', image: 'v2' }] } } } });
    const images = async (): Promise<string> => (await bench.pods()).map(({ spec }) => spec.containers[0]?.image).join(' ');
    await bench.until('the last first', async () => (await images()) === 'app app v2', 5_000);
    await bench.clock.sleep(2_000);
    expect(await images()).toBe('app app v2');
    await setReady(bench, 'db-2');
    await bench.until('then the next', async () => (await images()) === 'app v2 v2', 5_000);
    await setReady(bench, 'db-1');
    await bench.clock.sleep(2_000);
    expect(await images()).toBe('app v2 v2');
    await bench.port.delete(at('db-0'), { gracePeriodSeconds: 0 });
    await bench.clock.sleep(2_000);
    expect(await images()).toBe('app v2 v2');
    await setReady(bench, 'db-0');
    await bench.port.patch(AT, { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } });
    await bench.until('all', async () => (await images()) === 'v2 v2 v2', 5_000);
    await setReady(bench, 'db-0');
    await bench.until(
      'complete',
      async () => {
        const { status } = (await bench.port.get<StatefulSet>(AT)) ?? {};
        return status?.currentRevision === status?.updateRevision && status?.currentReplicas === 3;
      },
      5_000,
    );
  });
});
