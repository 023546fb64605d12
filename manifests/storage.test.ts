import { expect, test } from '@playwright/test';
import type { TestInfo } from '@playwright/test';
import { runInProcess } from '../harness/testing/in-process.ts';
import { ignoredVolumeZones } from '../targets/mutants/scheduling/ignored-volume-zones.ts';
import { reference } from '../targets/reference.ts';
import type { Mix } from './mix.ts';
import { manifestScenarios } from './suite.ts';
import { mixOfDocuments, poolManifest } from './testing/mix.ts';

const POOL = poolManifest(
  '{key: karpenter.sh/capacity-type, operator: In, values: [spot, on-demand]}',
  '{key: node.kubernetes.io/instance-type, operator: In, values: [m5.large, m5.xlarge]}',
);

/** A pool and these documents. */
function mixOf(testInfo: TestInfo, ...documents: readonly string[]): Promise<Mix> {
  return mixOfDocuments(testInfo, POOL, ...documents);
}

const storageClass = (name: string, more: string): string => `
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: ${name}}
${more}`;
const claim = (name: string, spec: string): string => `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: ${name}}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, ${spec}}`;
const using = (claimName: string, replicas = 1, selector = ''): string => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: uses-${claimName}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: ${claimName}}}
  template:
    metadata: {labels: {app: ${claimName}}}
    spec:
      ${selector}
      containers: [{name: main, image: x, resources: {requests: {cpu: "1"}}}]
      volumes: [{name: data, persistentVolumeClaim: {claimName: ${claimName}}}]`;
const volume = (name: string, zone: string): string => `
apiVersion: v1
kind: PersistentVolume
metadata: {name: ${name}}
spec:
  accessModes: [ReadWriteOnce]
  capacity: {storage: 1Gi}
  csi: {driver: ebs.csi.aws.com, volumeHandle: vol-1}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [${zone}]}]}]}}`;
const SELECT_A = 'nodeSelector: {topology.kubernetes.io/zone: us-east-1a}';
const LATE = 'provisioner: ebs.csi.aws.com\nvolumeBindingMode: WaitForFirstConsumer';

for (const [what, documents, expected] of [
  ['is applied, and created where its pod runs', [claim('a', 'storageClassName: gp3'), using('a')], { kind: 'servable', zones: 3 }],
  [
    'in one zone, with pods that can run there',
    [volume('v', 'us-east-1a'), claim('a', 'storageClassName: "", volumeName: v'), using('a')],
    { kind: 'servable', zones: 1 },
  ],
  [
    'in one zone, with pods that have to run in another',
    [volume('v', 'us-east-1b'), claim('a', 'storageClassName: "", volumeName: v'), using('a', 1, SELECT_A)],
    { kind: 'unservable', zones: 0 },
  ],
  [
    'of a class for one zone',
    [
      storageClass(
        'b',
        `${LATE}\nallowedTopologies: [{matchLabelExpressions: [{key: topology.kubernetes.io/zone, values: [us-east-1b]}]}]`,
      ),
      claim('a', 'storageClassName: b'),
      using('a'),
    ],
    { kind: 'servable', zones: 1 },
  ],
  [
    'that only one node can attach, for two pods',
    [storageClass('b', LATE), claim('a', 'storageClassName: b'), using('a', 2)],
    { kind: 'partly', zones: 3 },
  ],
  [
    'created at once, with pods that have to run in one zone',
    [storageClass('b', 'provisioner: ebs.csi.aws.com'), claim('a', 'storageClassName: b'), using('a', 1, SELECT_A)],
    { kind: 'partly', zones: 1 },
  ],
] as const) {
  test(`a claim ${what}: ${expected.kind}`, async ({}, testInfo) => {
    const { workloads, companions } = await mixOf(testInfo, ...documents, ...(expected.kind === 'unservable' ? [DATABASE] : []));
    const [{ feasibility, volumes, object }] = workloads as [Mix['workloads'][number]];
    const zones = 'seats' in feasibility ? new Set(feasibility.seats.map(({ offering }) => offering.zone)).size : 0;
    expect({ kind: feasibility.kind, zones }).toEqual(expected);
    expect(volumes.hasClaims).toBe(true);
    expect(object).toHaveProperty('spec.template.spec.volumes.0.persistentVolumeClaim');
    expect(companions.map(({ object: { kind } }) => kind)).toContain('PersistentVolumeClaim');
  });
}

for (const [what, documents, note] of [
  ['nobody defines', [], 'the claim a is not among the manifests'],
  [
    'another provisioner serves',
    [storageClass('efs', 'provisioner: efs.csi.aws.com'), claim('a', 'storageClassName: efs')],
    'this world has no efs.csi.aws.com',
  ],
] as const) {
  test(`a claim that ${what}: an emptyDir takes its place, with a note`, async ({}, testInfo) => {
    const { workloads, notes } = await mixOf(testInfo, ...documents, using('a'));
    expect(workloads[0]?.feasibility.kind).toBe('servable');
    expect(workloads[0]?.object).toHaveProperty('spec.template.spec.volumes', [{ name: 'data', emptyDir: {} }]);
    expect(notes.join('\n')).toContain(note);
  });
}

for (const [what, more] of [
  [
    'two terms',
    '[{matchLabelExpressions: [{key: topology.kubernetes.io/zone, values: [us-east-1a]}]}, {matchLabelExpressions: [{key: topology.kubernetes.io/zone, values: [us-east-1b]}]}]',
  ],
  ["the driver's own label", '[{matchLabelExpressions: [{key: topology.ebs.csi.aws.com/zone, values: [us-east-1a, us-east-1b]}]}]'],
] as const) {
  test(`a class for two zones, by ${what}`, async ({}, testInfo) => {
    const { workloads } = await mixOf(
      testInfo,
      storageClass('b', `${LATE}\nallowedTopologies: ${more}`),
      claim('a', 'storageClassName: b'),
      using('a'),
    );
    const feasibility = workloads[0]?.feasibility;
    expect(feasibility?.kind).toBe('servable');
    const zones = feasibility !== undefined && 'seats' in feasibility ? feasibility.seats.map(({ offering }) => offering.zone) : [];
    expect([...new Set(zones)].sort()).toEqual(['us-east-1a', 'us-east-1b']);
  });
}

test('two workloads with one claim that only one node can attach: partly', async ({}, testInfo) => {
  const second = using('a').replace('name: uses-a', 'name: also-uses-a').replaceAll('app: a', 'app: other');
  const { workloads } = await mixOf(testInfo, claim('a', 'storageClassName: gp3'), using('a'), second);
  expect(workloads.map(({ feasibility }) => feasibility.kind)).toEqual(['partly', 'partly']);
});

/** As `kubectl get -o yaml` writes them. */
const exportedClaim = (name: string, volumeName: string): string => `
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: ${name}
  namespace: default
  uid: 5f6a7a1e-0b8a-4a71-8e6a-6a1f0d3a6f01
  annotations: {pv.kubernetes.io/bind-completed: "yes", pv.kubernetes.io/bound-by-controller: "yes", volume.kubernetes.io/selected-node: ip-10-0-1-1.ec2.internal}
  finalizers: [kubernetes.io/pvc-protection]
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, storageClassName: gp3, volumeMode: Filesystem, volumeName: ${volumeName}}
status: {phase: Bound}`;
const exportedVolume = (name: string, claimName: string, zone: string): string => `
apiVersion: v1
kind: PersistentVolume
metadata: {name: ${name}, annotations: {pv.kubernetes.io/provisioned-by: ebs.csi.aws.com}, finalizers: [kubernetes.io/pv-protection]}
spec:
  accessModes: [ReadWriteOnce]
  capacity: {storage: 1Gi}
  claimRef: {apiVersion: v1, kind: PersistentVolumeClaim, namespace: default, name: ${claimName}, uid: 5f6a7a1e-0b8a-4a71-8e6a-6a1f0d3a6f01, resourceVersion: "77"}
  csi: {driver: ebs.csi.aws.com, volumeHandle: vol-1}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: topology.ebs.csi.aws.com/zone, operator: In, values: [${zone}]}]}]}}
  persistentVolumeReclaimPolicy: Delete
  storageClassName: gp3
status: {phase: Bound}`;

for (const [what, documents, isNew] of [
  ['a claim of a StatefulSet without its volume', () => [exportedClaim('data-db-0', 'pvc-1'), DATABASE], true],
  [
    'a claim of a StatefulSet and its volume',
    () => [exportedClaim('data-db-0', 'pvc-1'), exportedVolume('pvc-1', 'data-db-0', 'us-east-1b'), DATABASE],
    false,
  ],
  [
    "a Deployment's claim and its volume",
    () => [exportedClaim('a', 'pvc-1'), exportedVolume('pvc-1', 'a', 'us-east-1c'), using('a')],
    false,
  ],
] as const) {
  test(`exported from a cluster: ${what}`, async ({}, testInfo) => {
    const mix = await mixOf(testInfo, ...documents());
    expect(mix.notes.some((note) => note.includes('its volume pvc-1 is not among the manifests, so a new one is created'))).toBe(isNew);
    const { faultFree } = manifestScenarios(mix);
    if (faultFree === undefined) throw new Error('there is no scenario');
    const { judgement } = await runInProcess(faultFree, reference);
    expect(judgement.checks.flatMap(({ findings }) => findings.map(({ message }) => message))).toEqual([]);
    expect(judgement.verdict).toBe('pass');
  });
}

const DATABASE = `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 3
  podManagementPolicy: Parallel
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      topologySpreadConstraints:
        - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: db}}}
      containers: [{name: main, image: x, resources: {requests: {cpu: "3"}}, volumeMounts: [{name: data, mountPath: /data}]}]
  volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]`;

test('a database gets nodes in the zones of its volumes, also after an interruption', async ({}, testInfo) => {
  const { spotInterruption } = manifestScenarios(await mixOf(testInfo, DATABASE));
  if (spotInterruption === undefined) throw new Error('the pool has spot capacity');
  expect(spotInterruption.needs.features).toContain('volumes');
  const { judgement, events } = await runInProcess(spotInterruption, reference, 1);
  expect(judgement.verdict).toBe('pass');
  expect(events.filter(({ type }) => type === 'notice')).not.toEqual([]);
});

test('a target that ignores the zones of volumes fails', async ({}, testInfo) => {
  const documents = ['a', 'b', 'c'].flatMap((zone) => [
    volume(`v-${zone}`, `us-east-1${zone}`),
    claim(`in-${zone}`, `storageClassName: "", volumeName: v-${zone}`),
    using(`in-${zone}`),
  ]);
  const { faultFree } = manifestScenarios(await mixOf(testInfo, ...documents));
  if (faultFree === undefined) throw new Error('there is no scenario');
  expect((await runInProcess(faultFree, reference, 1)).judgement.verdict).toBe('pass');
  expect((await runInProcess(faultFree, ignoredVolumeZones.target, 1)).judgement.verdict).toBe('fail');
});
