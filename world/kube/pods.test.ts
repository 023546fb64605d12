import { expect, test } from '@playwright/test';
import { PODS, pod, withServer } from './testing/api-server.ts';

const DEBUGGER = { name: 'debugger', image: 'busybox' };

test('ephemeral containers are only added, by their subresource', async () => {
  await withServer(async ({ call, merge }) => {
    await call('POST', PODS, pod('a'));
    const part = `${PODS}/a/ephemeralcontainers`;
    const added = await merge(part, { metadata: { labels: { x: 'y' } }, spec: { ephemeralContainers: [DEBUGGER], nodeName: 'n' } });
    expect(added.body).toMatchObject({ kind: 'Pod', metadata: { generation: 2 }, spec: { ephemeralContainers: [DEBUGGER] } });
    expect(added.body.metadata.labels).toBeUndefined();
    expect(added.body.spec).not.toHaveProperty('nodeName');
    expect((await call('GET', part)).body.spec).toMatchObject({ ephemeralContainers: [DEBUGGER] });
    const removed = await merge(part, { spec: { ephemeralContainers: [] } });
    expect(removed).toMatchObject({ status: 422, body: { message: expect.stringContaining('"debugger" may not be removed') } });
    const changed = await merge(part, { spec: { ephemeralContainers: [{ ...DEBUGGER, image: 'other' }] } });
    expect(changed).toMatchObject({ status: 422, body: { message: expect.stringContaining('"debugger" may not be changed') } });
    expect((await call('DELETE', part)).status).toBe(405);
  });
});

test('a resize changes cpu and memory only, within quotas and limits', async () => {
  await withServer(async ({ call, clock }) => {
    const resources = { requests: { cpu: '1', memory: '1Gi' } };
    await call('POST', '/api/v1/namespaces/default/resourcequotas', { metadata: { name: 'q' }, spec: { hard: { 'requests.cpu': '3' } } });
    await clock.sleep(1000);
    await call('POST', PODS, pod('a', { containers: [{ name: 'main', image: 'pause', resources }] }));
    await clock.sleep(1000);
    const resize = (requests: object): ReturnType<typeof call> => {
      const body = { spec: { containers: [{ name: 'main', resources: { requests } }] } };
      return call('PATCH', `${PODS}/a/resize`, body, { contentType: 'application/strategic-merge-patch+json' });
    };
    expect(await resize({ cpu: '2' })).toMatchObject({ status: 200, body: { metadata: { generation: 2 } } });
    expect(await resize({ cpu: '4' })).toMatchObject({ status: 403, body: { message: expect.stringContaining('exceeded quota') } });
    expect((await resize({ 'ephemeral-storage': '1Gi' })).body.message).toContain('only cpu and memory resources are mutable');
    const range = { metadata: { name: 'l' }, spec: { limits: [{ type: 'Container', max: { memory: '2Gi' } }] } };
    await call('POST', '/api/v1/namespaces/default/limitranges', range);
    expect((await resize({ memory: '3Gi' })).status).toBe(403);
  });
});

const CLASSES = '/apis/scheduling.k8s.io/v1/priorityclasses';
const container = (more: object): object => ({ containers: [{ name: 'main', image: 'pause', ...more }] });
const preferred = (kind: string, term: object): object => ({
  affinity: { [kind]: { preferredDuringSchedulingIgnoredDuringExecution: [term] } },
});
const hard = (term: object): object => ({ affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } });
const HARD = 'spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]';

/** A spec and the expected error. */
const wrong: [object, string][] = [
  [
    hard({ labelSelector: {} }),
    `[${HARD}.topologyKey: Required value: can not be empty, ${HARD}.topologyKey: Invalid value: "": name part must be non-empty`,
  ],
  [
    hard({ topologyKey: 'a', matchLabelKeys: ['app'] }),
    `${HARD}.matchLabelKeys: Forbidden: must not be specified when labelSelector is not set`,
  ],
  [
    preferred('podAffinity', { weight: 0, podAffinityTerm: { topologyKey: 'a' } }),
    'spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 0: must be in the range 1-100',
  ],
  [
    preferred('nodeAffinity', { weight: 101, preference: {} }),
    'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101: must be in the range 1-100',
  ],
  [
    container({
      ports: [
        { containerPort: 80, hostPort: 80 },
        { containerPort: 81, hostPort: 80 },
      ],
    }),
    'spec.containers[0].ports[1].hostPort: Duplicate value: "TCP//80"',
  ],
  [
    { hostNetwork: true, ...container({ ports: [{ containerPort: 80, hostPort: 81 }] }) },
    'spec.containers[0].ports[0].hostPort: Invalid value: 81: must match `containerPort` when `hostNetwork` is true',
  ],
  [
    container({ resources: { requests: { gpu: '1' } } }),
    'spec.containers[0].resources.requests[gpu]: Invalid value: "gpu": must be a standard resource type or fully qualified',
  ],
  [
    container({ resources: { requests: { 'nvidia.com/gpu': '1' } } }),
    'spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources',
  ],
  [
    container({ resources: { limits: { 'nvidia.com/gpu': '500m' } } }),
    'spec.containers[0].resources.limits[nvidia.com/gpu]: Invalid value: "500m": must be an integer',
  ],
  [container({ volumeMounts: [{ name: 'data', mountPath: '/data' }] }), 'spec.containers[0].volumeMounts[0].name: Not found: "data"'],
  [{ schedulingGates: [{ name: 'a' }, { name: 'a' }] }, 'spec.schedulingGates[1]: Duplicate value: "a"'],
  [
    { nodeName: 'n1', schedulingGates: [{ name: 'a' }] },
    'spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared',
  ],
  [
    { initContainers: [{ name: 'setup', image: 'x', livenessProbe: {} }] },
    'spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
  ],
  [
    { volumes: [{ name: 'a', emptyDir: {}, configMap: {} }] },
    'spec.volumes[0].configMap: Forbidden: may not specify more than 1 volume type',
  ],
];

for (const [spec, message] of wrong) {
  test(`refused: ${message.slice(0, 120)}`, async () => {
    await withServer(async ({ call }) => {
      const refused = await call('POST', PODS, pod('web', spec));
      expect(refused.body.message).toContain('Pod "web" is invalid: ');
      expect(refused.body.message).toContain(message);
      expect(refused.status).toBe(422);
    });
  });
}

test('a pod gets the defaults of the API', async () => {
  await withServer(async ({ call }) => {
    const spec = {
      hostNetwork: true,
      initContainers: [{ name: 'side', image: 'x:1', restartPolicy: 'Always', readinessProbe: { httpGet: { port: 80 } } }],
      containers: [
        { name: 'main', image: 'x@sha256:1', ports: [{ containerPort: 80 }], resources: { limits: { cpu: '1' }, requests: {} } },
      ],
      volumes: [
        { name: 'none' },
        { name: 'config', configMap: { name: 'c' } },
        { name: 'data', persistentVolumeClaim: { claimName: 'd' } },
      ],
    };
    const { body } = await call('POST', PODS, pod('web', spec));
    expect(body.spec).toMatchObject({
      initContainers: [
        {
          restartPolicy: 'Always',
          imagePullPolicy: 'IfNotPresent',
          readinessProbe: { httpGet: { port: 80, path: '/', scheme: 'HTTP' }, periodSeconds: 10, timeoutSeconds: 1 },
        },
      ],
      containers: [
        {
          imagePullPolicy: 'IfNotPresent',
          ports: [{ containerPort: 80, hostPort: 80, protocol: 'TCP' }],
          resources: { limits: { cpu: '1' }, requests: { cpu: '1' } },
        },
      ],
      volumes: [{ emptyDir: {} }, { configMap: { name: 'c', defaultMode: 420 } }, { persistentVolumeClaim: { claimName: 'd' } }],
      restartPolicy: 'Always',
      dnsPolicy: 'ClusterFirst',
      terminationGracePeriodSeconds: 30,
      securityContext: {},
      enableServiceLinks: true,
      serviceAccountName: 'default',
      priority: 0,
      preemptionPolicy: 'PreemptLowerPriority',
    });
  });
});

test('label keys are merged into selectors when a pod is created, and a missing selector stays missing', async () => {
  await withServer(async ({ call }) => {
    const labels = { app: 'web', hash: '1' };
    const selector = { matchLabels: { app: 'web' } };
    const term = { topologyKey: 'zone', labelSelector: selector, matchLabelKeys: ['hash', 'none'], mismatchLabelKeys: ['app'] };
    const spread = {
      maxSkew: 1,
      topologyKey: 'zone',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: selector,
      matchLabelKeys: ['hash'],
    };
    const { body } = await call('POST', PODS, pod('web', { ...hard(term), topologySpreadConstraints: [spread] }, { labels }));
    const hash = { key: 'hash', operator: 'In', values: ['1'] };
    expect(body.spec).toMatchObject({
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { labelSelector: { matchExpressions: [hash, { key: 'app', operator: 'NotIn', values: ['web'] }] } },
          ],
        },
      },
      topologySpreadConstraints: [{ labelSelector: { matchLabels: { app: 'web' }, matchExpressions: [hash] } }],
    });
  });
});

test('a priority comes from its class, from the default class, or is refused', async () => {
  await withServer(async ({ call, merge }) => {
    await call('POST', CLASSES, { metadata: { name: 'batch' }, value: -5, preemptionPolicy: 'Never' });
    await call('POST', CLASSES, { metadata: { name: 'usual' }, value: 7, globalDefault: true });
    const second = await call('POST', CLASSES, { metadata: { name: 'other' }, value: 8, globalDefault: true });
    expect(second.body.message).toBe(
      'priorityclasses.scheduling.k8s.io "other" is forbidden: PriorityClass usual is already marked as default. Only one default can exist',
    );
    expect((await call('POST', CLASSES, { metadata: { name: 'high' }, value: 1_000_000_001 })).body.message).toContain(
      'value: Forbidden: maximum allowed value of a user defined priority is 1000000000',
    );
    expect((await merge(`${CLASSES}/batch`, { value: 3 })).body.message).toContain('value: Forbidden: may not be changed in an update.');
    const spec = async (name: string, sent: object): Promise<unknown> => (await call('POST', PODS, pod(name, sent))).body.spec;
    expect(await spec('a', { priorityClassName: 'batch' })).toMatchObject({ priority: -5, preemptionPolicy: 'Never' });
    expect(await spec('b', {})).toMatchObject({ priority: 7, priorityClassName: 'usual' });
    expect(await spec('c', { priorityClassName: 'system-node-critical' })).toMatchObject({ priority: 2_000_001_000 });
    expect((await call('POST', PODS, pod('d', { priority: 1 }))).body.message).toBe(
      'pods "d" is forbidden: the integer value of priority (1) must not be provided in pod spec; priority admission controller computed 7 from the given PriorityClass name',
    );
  });
});

test('a gated pod may get more node requirements, and can’t be bound', async () => {
  await withServer(async ({ call, merge }) => {
    const { body } = await call('POST', PODS, pod('web', { schedulingGates: [{ name: 'a' }], nodeSelector: { a: 'b' } }));
    expect(body.status).toMatchObject({ conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] });
    expect((await call('POST', `${PODS}/web/binding`, { metadata: { name: 'web' }, target: { name: 'n1' } })).body.message).toBe(
      'Operation cannot be fulfilled on pods/binding "web": pod web has non-empty .spec.schedulingGates',
    );
    expect((await merge(`${PODS}/web`, { spec: { nodeSelector: { c: 'd' } } })).status).toBe(200);
    expect((await merge(`${PODS}/web`, { spec: { nodeSelector: { a: 'x' } } })).body.message).toContain(
      'only additions to spec.nodeSelector are allowed (no mutations or deletions)',
    );
    expect((await merge(`${PODS}/web`, { spec: { schedulingGates: [{ name: 'b' }] } })).body.message).toContain(
      "only deletion is allowed, but found new scheduling gate 'b'",
    );
    expect((await merge(`${PODS}/web`, { spec: { schedulingGates: null } })).status).toBe(200);
    expect((await merge(`${PODS}/web`, { spec: { nodeSelector: { e: 'f' } } })).status).toBe(422);
  });
});

const workload = (kind: string, spec: object, restartPolicy = 'Always'): Record<string, unknown> => ({
  metadata: { name: 'w' },
  spec: {
    ...(kind === 'jobs' ? {} : { selector: { matchLabels: { app: 'w' } } }),
    template: { metadata: { labels: { app: 'w' } }, spec: { restartPolicy, ...container({}) } },
    ...spec,
  },
});

const defaults: [string, object, Record<string, unknown>][] = [
  [
    'deployments',
    {},
    {
      replicas: 1,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    },
  ],
  [
    'daemonsets',
    {},
    { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } }, revisionHistoryLimit: 10 },
  ],
  [
    'statefulsets',
    {},
    { replicas: 1, podManagementPolicy: 'OrderedReady', updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } } },
  ],
  ['jobs', {}, { completions: 1, parallelism: 1, backoffLimit: 6, completionMode: 'NonIndexed', suspend: false }],
];

for (const [kind, spec, expected] of defaults) {
  test(`${kind} get their defaults`, async () => {
    await withServer(async ({ call }) => {
      const group = kind === 'jobs' ? 'batch' : 'apps';
      const sent = workload(kind, spec, kind === 'jobs' ? 'Never' : 'Always');
      const { body } = await call('POST', `/apis/${group}/v1/namespaces/default/${kind}`, sent);
      expect(body.spec).toMatchObject(expected);
      if (kind !== 'jobs') return;
      const uid = body.metadata.uid ?? '';
      expect(body.spec).toMatchObject({
        selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
        template: { metadata: { labels: { app: 'w', 'job-name': 'w', 'batch.kubernetes.io/controller-uid': uid } } },
      });
    });
  });
}

const badWorkloads: [string, Record<string, unknown>, string][] = [
  [
    'apps/v1/deployments',
    { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: '0%' } } },
    'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "0%": may not be 0 when `maxSurge` is 0',
  ],
  [
    'apps/v1/deployments',
    { progressDeadlineSeconds: 5, minReadySeconds: 5 },
    'spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds',
  ],
  [
    'apps/v1/daemonsets',
    { updateStrategy: { rollingUpdate: { maxSurge: 1 } } },
    'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero',
  ],
  ['batch/v1/jobs', {}, 'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
  ['policy/v1/poddisruptionbudgets', { minAvailable: '101%' }, 'spec.minAvailable: Invalid value: "101%": must not be greater than 100%'],
];

for (const [path, spec, message] of badWorkloads) {
  test(`refused: ${message}`, async () => {
    await withServer(async ({ call }) => {
      const [group = '', version = '', kind = ''] = path.split('/');
      const body: Record<string, unknown> = kind === 'poddisruptionbudgets' ? { metadata: { name: 'w' }, spec } : workload(kind, spec);
      const refused = await call('POST', `/apis/${group}/${version}/namespaces/default/${kind}`, body);
      expect(refused.body.message).toContain(` "w" is invalid: ${message}`);
    });
  });
}

test('claims get the default class, and everything that autoscalers list is served', async () => {
  await withServer(async ({ call, server }) => {
    await call('POST', '/apis/storage.k8s.io/v1/storageclasses', {
      metadata: { name: 'gp3', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: 'ebs.csi.aws.com',
    });
    const { body } = await call('POST', '/api/v1/namespaces/default/persistentvolumeclaims', {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1024Mi' } } },
    });
    expect(body).toMatchObject({
      metadata: { finalizers: ['kubernetes.io/pvc-protection'] },
      spec: { storageClassName: 'gp3', volumeMode: 'Filesystem', resources: { requests: { storage: '1Gi' } } },
      status: { phase: 'Pending' },
    });
    for (const { group, version, plural, review } of server.resources.all()) {
      if (review !== undefined) continue;
      const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
      expect((await call('GET', `${root}/${plural}`)).status, plural).toBe(200);
    }
  });
});
