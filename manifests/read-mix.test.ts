import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { LoadError } from '../harness/load-error.ts';
import { packageRoot } from '../model/package-root.ts';
import { WORKLOAD_LABEL } from '../model/kube.ts';
import { readMix } from './read-mix.ts';
import { manifestScenarios } from './suite.ts';
import { mixOf } from './testing/mix.ts';

function workload(kind: string, options: { readonly spec?: string; readonly pod?: string; readonly meta?: string } = {}): string {
  const { spec = '', pod = '', meta = '' } = options;
  return `
apiVersion: apps/v1
kind: ${kind}
metadata: {name: web${meta}}
spec:
  selector: {matchLabels: {app: web}}${spec}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: main, image: web, resources: {requests: {cpu: "1"}}}]${pod}
`;
}

const WEB = workload('Deployment');
/** Never on the same node as another of its pods. */
const APART =
  '\n      affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}}]}}';

function nodePool(spec = '', requirements = ''): string {
  return `
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  ${spec}
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
        - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}
        ${requirements}
`;
}

test('the bundled example', async () => {
  const mix = await readMix(join(packageRoot(), 'fixtures/examples/manifests/shop'));
  expect(mix.workloads.map(({ title, feasibility }) => [title, feasibility.kind])).toEqual([
    ['DaemonSet kube-system/log-agent', 'servable'],
    ['Deployment shop/recommendations', 'unservable'],
    ['Deployment shop/web', 'servable'],
    ['Deployment shop/queue-worker', 'servable'],
  ]);
  expect(mix.pools.map(({ name, weight, limits, taints }) => ({ name, weight, limits, taints }))).toEqual([
    { name: 'general', weight: 0, limits: { cpu: 1000, memoryMiB: 1_024_000 }, taints: [] },
    {
      name: 'batch-spot',
      weight: 10,
      limits: { cpu: 400 },
      taints: [{ key: 'shop.example.com/batch', value: 'true', effect: 'NoSchedule' }],
    },
  ]);
  expect(mix.companions.map(({ resource, object, protects }) => [resource, object.metadata.name, protects])).toEqual([
    ['namespaces', 'shop', undefined],
    ['priorityclasses', 'shop-batch', undefined],
    ['poddisruptionbudgets', 'web', [{ workload: 'shop.web', budget: { maxUnavailable: 1 } }]],
  ]);
  expect(mix.notes.join('\n')).toMatch(/minValues[^]*kubelet\.maxPods[^]*1 Service, 1 ConfigMap/);
  const ids = Object.values(manifestScenarios(mix)).map(({ id }) => id);
  expect(ids).toHaveLength(10);
  expect(ids).toContain('manifests/spot-interruption');
});

const AGENT = workload('DaemonSet').replace('name: web', 'name: agent');
for (const { what, types = 'c6i.large', pod = '', agent = '', nodes } of [
  { what: 'a pod fills the smallest node', nodes: 8 },
  { what: 'each pod on its own node', types: 'c6i.xlarge', pod: APART, nodes: 8 },
  { what: 'three per node', types: 'c6i.xlarge', nodes: 3 },
  { what: 'two per node, with a DaemonSet', types: 'c6i.xlarge', agent: AGENT, nodes: 4 },
  { what: 'types of two sizes: assumes the smaller one', types: 'c6i.xlarge, c6i.large', nodes: 8 },
] satisfies readonly { what: string; types?: string; pod?: string; agent?: string; nodes: number }[]) {
  test(`nodes that workloads may need: ${what}`, async ({}, testInfo) => {
    const pool = nodePool('', `- {key: node.kubernetes.io/instance-type, operator: In, values: [${types}]}`);
    const web = workload('Deployment', { spec: '\n  replicas: 8', pod });
    expect(await mixOf(testInfo, { 'agent.yaml': agent, 'pool.yaml': pool, 'web.yaml': web })).toMatchObject({ nodes });
  });
}

test('an unservable workload is reported with the reason for each pool', async ({}, testInfo) => {
  const mix = await mixOf(testInfo, {
    'pool.yaml': nodePool(),
    'web.yaml': workload('Deployment', { pod: '\n      nodeSelector: {kubernetes.io/arch: riscv}' }),
    'zone.yaml': WEB.replace('name: web', 'name: servable'),
  });
  expect(mix.workloads.map(({ feasibility }) => feasibility)).toMatchObject([
    { kind: 'unservable', why: 'pool general: it has no nodes with architecture riscv (it has amd64, arm64)' },
    { kind: 'servable' },
  ]);
});

test('a workload whose pods the API rejects is unservable', async ({}, testInfo) => {
  const mix = await mixOf(testInfo, {
    'pool.yaml': nodePool(),
    'web.yaml': workload('Deployment', { pod: '\n      priorityClassName: nobodys' }),
    'zone.yaml': WEB.replace('name: web', 'name: servable'),
  });
  expect(mix.workloads[0]?.feasibility).toMatchObject({
    kind: 'unservable',
    why: expect.stringMatching(/the API rejects its pods: .*nobodys/),
  });
});

test('workloads are unchanged except for the label and the namespace', async ({}, testInfo) => {
  const claim =
    'volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]';
  const mix = await mixOf(testInfo, {
    'a/pool.yaml': nodePool(
      'limits: {cpu: "4500m", memory: 20Gi, nodes: 3, nvidia.com/gpu: 1}',
      '- {key: custom, operator: Exists, minValues: 1}',
    ),
    'a/db.yml': workload('StatefulSet', {
      spec: `\n  serviceName: web\n  replicas: 3\n  ${claim}`,
      meta: ', namespace: data, uid: x, resourceVersion: "5"',
    }),
    'b.yaml': WEB,
    'budget.yaml': `
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: db, namespace: data}
spec: {minAvailable: 50%, selector: {matchLabels: {app: web}}}`,
    '.hidden/c.yaml': 'not: [read',
    'README.md': 'not read',
  });
  const [stateful, deployment] = mix.workloads;
  expect(stateful).toMatchObject({ name: 'data.web.statefulset', namespace: 'data', replicas: 3, ordered: true });
  expect(stateful?.object.metadata).toEqual({ name: 'web', namespace: 'data' });
  expect(stateful?.object).toHaveProperty('spec.volumeClaimTemplates.0.metadata.name', 'data');
  expect(stateful?.template.spec.volumes).toEqual([{ name: 'data', persistentVolumeClaim: { claimName: 'data-web-0' } }]);
  expect(deployment).toMatchObject({ name: 'default.web', namespace: 'default', replicas: 1, ordered: false });
  expect(deployment?.template.metadata?.labels).toEqual({ app: 'web', [WORKLOAD_LABEL]: 'default.web' });
  expect(mix.pools[0]?.limits).toEqual({ cpu: 4.5, memoryMiB: 20_480, nodes: 3 });
  expect(mix.companions.map(({ object, protects }) => [object.kind, object.metadata.name, protects])).toEqual([
    ['StorageClass', 'cluster-default', undefined],
    ['Namespace', 'data', undefined],
    ['PodDisruptionBudget', 'db', [{ workload: 'data.web.statefulset', budget: { minAvailable: 2 } }]],
  ]);
  expect(mix.notes.join('\n')).toMatch(/the limit on nvidia.com\/gpu[^]*no manifest defines the StorageClass cluster-default/);
});

test('objects that are not applied are noted, with those that another object creates', async ({}, testInfo) => {
  const owner = '\n  ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: x}]';
  const mix = await mixOf(testInfo, {
    'pool.yaml': nodePool(),
    'web.yaml': WEB,
    'others.yaml': `
apiVersion: v1
kind: Pod
metadata: {name: bare}
spec: {containers: [{name: main, image: x}]}
---
apiVersion: v1
kind: Pod
metadata:
  name: web-1${owner}
spec: {containers: [{name: main, image: x}]}
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: web}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec: {maxReplicas: 9, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: anything.example.com}
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: system-node-critical}
value: 2000001000
`,
  });
  expect(mix.notes).toEqual([
    'Deployment default/web: 1 pod; manifests/load-peak scales it to 9 and back to 1',
    'others.yaml, document 2 (Pod web-1): not applied: another object creates it',
    'others.yaml, document 1 (Pod bare): not applied: nothing replaces a bare pod',
    'not applied, since no pod needs them here: 1 CustomResourceDefinition',
    'not applied, since this world does not serve their kinds: 1 ServiceMonitor',
  ]);
});

for (const { what, files, message } of [
  { what: 'an empty directory', files: { 'README.md': '' }, message: /holds no manifests/ },
  { what: 'no workload', files: { 'pool.yaml': nodePool() }, message: /holds no workload: no Deployment.*; add the workloads to test/ },
  {
    what: 'no node pool',
    files: { 'web.yaml': WEB },
    message: /holds no NodePool \(karpenter\.sh\/v1\), so nothing could be launched; add/,
  },
  {
    what: 'no workload that could be served',
    files: {
      'agent.yaml': workload('DaemonSet').replace('name: web', 'name: agent'),
      'pool.yaml': nodePool(),
      'sleeper.yaml': workload('Deployment', { spec: '\n  replicas: 0' }).replace('name: web', 'name: sleeper'),
      'web.yaml': workload('Deployment', { pod: '\n      nodeSelector: {tier: gold}' }),
    },
    message:
      /nothing to test; .*agent.*: nothing is launched for the pods of a DaemonSet; .*sleeper.*: it has no pods; .*web\.yaml.* label tier gold/,
  },
  {
    what: 'more pods than a world can hold',
    files: { 'pool.yaml': nodePool(), 'web.yaml': workload('Deployment', { spec: '\n  replicas: 1000000' }) },
    message: /has 1000000 pods, 1000000 of them in web\.yaml, document 1 \(Deployment web\); at most 2000 can be run/,
  },
  {
    what: 'a misspelt kind',
    files: { 'pool.yaml': nodePool(), 'all.yaml': `${WEB}---${workload('Deploymnet')}` },
    message: /^all\.yaml, document 2 \(Deploymnet web\): no API .* serves a Deploymnet of apps\/v1; did you mean Deployment of apps\/v1\?$/,
  },
  {
    what: 'an unknown field',
    files: { 'web.yaml': workload('Deployment', { spec: '\n  replcas: 3' }) },
    message: /^web\.yaml, document 1 \(Deployment web\): the API rejects it: .*unknown field "spec\.replcas"/,
  },
  {
    what: 'an invalid value',
    files: { 'web.yaml': workload('Deployment', { spec: '\n  replicas: -1' }) },
    message: /web\.yaml, document 1 .*spec\.replicas: Invalid value: -1/,
  },
  {
    what: 'a malformed quantity',
    files: { 'web.yaml': WEB.replace('"1"', '1 core') },
    message: /web\.yaml, document 1 .*quantit/i,
  },
  {
    what: 'a removed API version',
    files: { 'web.yaml': WEB, 'pdb.yaml': 'apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: web}\n' },
    message: /pdb\.yaml, document 1 .*: no API .* serves a PodDisruptionBudget of policy\/v1beta1/,
  },
  {
    what: 'a NodePool that Karpenter rejects',
    files: { 'web.yaml': WEB, 'pool.yaml': nodePool('weight: 200') },
    message: /pool\.yaml, document 1 \(NodePool general\): the API rejects it: .*spec\.weight/,
  },
  {
    what: 'two objects with the same name',
    files: { 'a.yaml': WEB, 'b.yaml': WEB },
    message: /b\.yaml, document 1 .*already exists/,
  },
] as const) {
  test(`refused: ${what}`, async ({}, testInfo) => {
    const reading = mixOf(testInfo, files);
    await expect(reading).rejects.toThrow(LoadError);
    await expect(reading).rejects.toThrow(message);
  });
}

test('a path that is not a directory', async () => {
  await expect(readMix('/nowhere/at/all')).rejects.toThrow(/does not exist; name the directory/);
  await expect(readMix(join(packageRoot(), 'package.json'))).rejects.toThrow(/is not a directory/);
});
