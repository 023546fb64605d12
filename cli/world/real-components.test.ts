import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { KubeObject, Node, Pod } from '../../model/kube.ts';
import type { PersistentVolumeClaim } from '../../model/storage.ts';
import { createRealTimeline } from '../../runtime/timeline.ts';
import { KUBERNETES_BIN, launch, requester, withRealComponents } from './testing/real-components.ts';

/** How long the long test takes, in minutes of real time. */
const MINUTES = Number(process.env['REAL_COMPONENTS_MINUTES'] ?? 0);
const MINUTE_MS = 60_000;
const INSTANCES = 3;
const PODS = 9;
const MANY_INSTANCES = 50;
const REPLICAS = 200;
const DATABASES = 5;
/** Boot, registration, schedule and start, in a quick world on a busy machine. */
const SERVED = { timeout: 120_000 };
/** A kubelet looks at its status every ten seconds. */
const HEALED = { timeout: 20_000 };
/** Between two looks at all nodes. */
const LOOK_MS = 5_000;
/** Minutes between two new versions of the Deployment. */
const ROLLOUT_EVERY = 5;

const container = (name: string) => ({ name, image: name, resources: { requests: { cpu: '100m', memory: '64Mi' } } });
const pods = (app: string) => ({ metadata: { labels: { app } }, spec: { containers: [container(app)] } });
const PODS_OF_DEFAULT = '/api/v1/namespaces/default/pods';

type Request = ReturnType<typeof requester>;

async function running(request: Request, app: string): Promise<number> {
  const { items } = await request<{ items: Pod[] }>('GET', `${PODS_OF_DEFAULT}?labelSelector=app%3D${app}`);
  return items.filter(({ metadata, status }) => status?.phase === 'Running' && metadata.deletionTimestamp === undefined).length;
}

test.beforeEach(() => {
  test.skip(KUBERNETES_BIN === undefined, 'KUBERNETES_BIN does not name a folder with kube-scheduler and kube-controller-manager');
  for (const name of ['kube-scheduler', 'kube-controller-manager']) expect(existsSync(join(KUBERNETES_BIN ?? '', name)), name).toBe(true);
});

test('a real scheduler and a real controller manager with all controllers take the places of the own ones', async ({}, testInfo) => {
  test.setTimeout(5 * MINUTE_MS);
  await withRealComponents(testInfo, async ({ operator }) => {
    await launch(operator, INSTANCES);
    const request = requester(operator);
    await request('POST', '/apis/apps/v1/namespaces/default/deployments', {
      metadata: { name: 'web' },
      spec: { replicas: PODS, selector: { matchLabels: { app: 'web' } }, template: pods('web') },
    });
    await expect.poll(() => running(request, 'web'), SERVED).toBe(PODS);

    const [node] = (await request<{ items: Node[] }>('GET', '/api/v1/nodes')).items;
    const at = `/api/v1/nodes/${node?.metadata.name}`;
    const lost = { status: { conditions: [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }] } };
    await request('PATCH', `${at}/status`, lost, 'application/strategic-merge-patch+json');
    await expect.poll(async () => isReady(await request<Node>('GET', at)), HEALED).toBe(true);
    const events = await request<{ items: KubeObject[] }>('GET', '/apis/events.k8s.io/v1/events?fieldSelector=reason%3DScheduled');
    expect(events.items.length).toBe(PODS);
  });
});

test('with fifty nodes and workloads that change, no node is lost, for as long as it is asked to run', async ({}, testInfo) => {
  test.skip(!(MINUTES > 0), 'REAL_COMPONENTS_MINUTES does not say for how long');
  test.setTimeout((MINUTES + 10) * MINUTE_MS);
  await withRealComponents(testInfo, async ({ operator }) => {
    const request = requester(operator);
    await launch(operator, MANY_INSTANCES);
    await deployMany(request);
    const nodesReady = async (): Promise<number> => (await request<{ items: Node[] }>('GET', '/api/v1/nodes')).items.filter(isReady).length;
    await expect.poll(nodesReady, SERVED).toBe(MANY_INSTANCES);
    await expect.poll(() => running(request, 'web'), SERVED).toBe(REPLICAS);
    await expect.poll(() => running(request, 'database'), SERVED).toBe(DATABASES);
    await expect.poll(() => running(request, 'agent'), SERVED).toBe(MANY_INSTANCES);
    const uids = async (): Promise<string[]> =>
      (await request<{ items: Node[] }>('GET', '/api/v1/nodes')).items.map(({ metadata }) => metadata.uid ?? '').sort();
    const before = await uids();

    const clock = createRealTimeline().scope('test');
    const endsAtMs = clock.monotonicMs() + MINUTES * MINUTE_MS;
    let [looks, rollouts] = [0, 0];
    while (clock.monotonicMs() < endsAtMs) {
      await clock.sleep(LOOK_MS);
      const { items } = await request<{ items: Node[] }>('GET', '/api/v1/nodes');
      const notReady = items.filter((node) => !isReady(node)).map(({ metadata, status }) => ({ metadata, conditions: status?.conditions }));
      expect(notReady, `after ${looks} looks`).toEqual([]);
      looks += 1;
      if (looks * LOOK_MS < (rollouts + 1) * ROLLOUT_EVERY * MINUTE_MS) continue;
      rollouts += 1;
      await request(
        'PATCH',
        '/apis/apps/v1/namespaces/default/deployments/web',
        // More, fewer, and another version each time.
        {
          spec: {
            replicas: rollouts % 2 === 0 ? REPLICAS : REPLICAS / 2,
            template: { metadata: { annotations: { version: `${rollouts}` } } },
          },
        },
        'application/strategic-merge-patch+json',
      );
    }
    expect(await uids(), 'the same nodes').toEqual(before);
    await expect.poll(() => running(request, 'database'), SERVED).toBe(DATABASES);
    const { items: jobs } = await request<{ items: KubeObject[] }>('GET', '/apis/batch/v1/namespaces/default/jobs');
    expect(jobs.length, 'the schedule is followed').toBeGreaterThan(0);
    testInfo.annotations.push({
      type: 'measured',
      description: `${MINUTES} min, ${looks} looks at ${before.length} nodes, ${rollouts} rollouts`,
    });
  });
});

function isReady({ status }: Node): boolean {
  return status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
}

/** A Deployment, databases with volumes, an agent for each node, and a job every minute. */
async function deployMany(request: Request): Promise<void> {
  const apps = '/apis/apps/v1/namespaces/default';
  const selector = (app: string) => ({ matchLabels: { app } });
  const claim: PersistentVolumeClaim = {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'gp3', resources: { requests: { storage: '10Gi' } } },
  };
  const database = pods('database');
  await request('POST', '/apis/storage.k8s.io/v1/storageclasses', {
    metadata: { name: 'gp3' },
    provisioner: 'ebs.csi.aws.com',
    volumeBindingMode: 'WaitForFirstConsumer',
  });
  await request('POST', `${apps}/deployments`, {
    metadata: { name: 'web' },
    spec: { replicas: REPLICAS, selector: selector('web'), template: pods('web') },
  });
  await request('POST', `${apps}/daemonsets`, {
    metadata: { name: 'agent' },
    spec: { selector: selector('agent'), template: pods('agent') },
  });
  await request('POST', `${apps}/statefulsets`, {
    metadata: { name: 'database' },
    spec: {
      replicas: DATABASES,
      serviceName: 'database',
      selector: selector('database'),
      template: {
        ...database,
        spec: { containers: [{ ...container('database'), volumeMounts: [{ name: 'data', mountPath: '/data' }] }] },
      },
      volumeClaimTemplates: [claim],
    },
  });
  await request('POST', '/apis/policy/v1/namespaces/default/poddisruptionbudgets', {
    metadata: { name: 'web' },
    spec: { maxUnavailable: '20%', selector: selector('web') },
  });
  const report = pods('report');
  await request('POST', '/apis/batch/v1/namespaces/default/cronjobs', {
    metadata: { name: 'report' },
    spec: {
      schedule: '* * * * *',
      jobTemplate: { spec: { template: { ...report, spec: { ...report.spec, restartPolicy: 'Never' } } } },
    },
  });
}
