import { defined } from '../../../../model/defined.ts';
import { LABEL } from '../../../../model/kube.ts';
import type { KubeObject, Pod } from '../../../../model/kube.ts';
import type { CSINode, PersistentVolume, PersistentVolumeClaim, StorageClass, VolumeAttachment } from '../../../../model/storage.ts';
import { BIND_COMPLETED, SELECTED_NODE } from '../../../../model/storage.ts';
import { SOURCE, inPlugin, node, on, pod, refused, refusedOutright } from './case.ts';
import type { Expected, OtherObject, PodOptions, SchedulerCase } from './case.ts';

const BINDING_TEST = inPlugin('volumebinding/volume_binding_test.go');
const ZONE_TEST = inPlugin('volumezone/volume_zone_test.go');
const CSI_TEST = inPlugin('nodevolumelimits/csi_test.go');
const DRIVER = 'ebs.csi.aws.com';
const NODE_CONFLICT = "node(s) didn't match PersistentVolume's node affinity";
const NO_VOLUME = "node(s) didn't find available persistent volumes to bind";
const NO_ZONE = 'node(s) had no available volume zone';
const TOO_MANY = 'node(s) exceed max volume count';
const IN_USE = 'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod';

const NODES = [node('n1', { zone: 'a' }), node('n2', { zone: 'b' })];

export function storageClass(name: string, change: Partial<StorageClass> = {}): OtherObject {
  const metadata = { name };
  const object: StorageClass = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata,
    provisioner: DRIVER,
    volumeBindingMode: 'WaitForFirstConsumer',
    ...change,
  };
  return { resource: 'storageclasses', object };
}

interface ClaimOptions {
  readonly volume?: string;
  readonly accessMode?: string;
  readonly selectedNode?: string;
  readonly size?: string;
  readonly metadata?: Partial<KubeObject['metadata']>;
  readonly status?: PersistentVolumeClaim['status'];
  /** The claim names a volume that isn't bound to it yet. */
  readonly prebound?: boolean;
}

export function claim(name: string, storageClassName: string, options: ClaimOptions = {}): OtherObject {
  const { volume, accessMode = 'ReadWriteOnce', selectedNode, size = '1Gi', metadata = {}, status, prebound = false } = options;
  const annotations = {
    ...(volume === undefined || prebound ? {} : { [BIND_COMPLETED]: 'yes' }),
    ...defined({ [SELECTED_NODE]: selectedNode }),
  };
  const object: PersistentVolumeClaim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'default', uid: `uid-${name}`, annotations, ...metadata },
    spec: {
      accessModes: [accessMode],
      resources: { requests: { storage: size } },
      storageClassName,
      ...defined({ volumeName: volume }),
    },
    status: status ?? { phase: volume === undefined || prebound ? 'Pending' : 'Bound' },
  };
  return { resource: 'persistentvolumeclaims', object };
}

interface VolumeOptions {
  readonly zone?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly storageClassName?: string;
  readonly claim?: string;
  readonly size?: string;
  readonly accessMode?: string;
}

export function volume(
  name: string,
  { zone, labels = {}, storageClassName = 'gp3', claim, size = '1Gi', accessMode = 'ReadWriteOnce' }: VolumeOptions = {},
): OtherObject {
  const matchExpressions = [{ key: LABEL.zone, operator: 'In' as const, values: [zone ?? ''] }];
  const object: PersistentVolume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, labels: { ...labels } },
    spec: {
      accessModes: [accessMode],
      capacity: { storage: size },
      csi: { driver: DRIVER, volumeHandle: name },
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName,
      ...defined({
        claimRef:
          claim === undefined
            ? undefined
            : { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'default', name: claim, uid: `uid-${claim}` },
        nodeAffinity: zone === undefined ? undefined : { required: { nodeSelectorTerms: [{ matchExpressions }] } },
      }),
    },
    status: { phase: claim === undefined ? 'Available' : 'Bound' },
  };
  return { resource: 'persistentvolumes', object };
}

export function csiNode(name: string, count?: number): OtherObject {
  const allocatable = count === undefined ? undefined : { count };
  const metadata = { name };
  const object: CSINode = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata,
    spec: { drivers: [{ name: DRIVER, nodeID: name, allocatable }] },
  };
  return { resource: 'csinodes', object };
}

function attachment(nodeName: string, persistentVolumeName: string): OtherObject {
  const metadata = { name: `attached-${persistentVolumeName}` };
  const spec = { attacher: DRIVER, nodeName, source: { persistentVolumeName } };
  const object: VolumeAttachment = { apiVersion: 'storage.k8s.io/v1', kind: 'VolumeAttachment', metadata, spec };
  return { resource: 'volumeattachments', object };
}

const using = (...claims: string[]): PodOptions => ({
  volumes: claims.map((claimName) => ({ name: `v-${claimName}`, persistentVolumeClaim: { claimName } })),
});
/** A claim, its volume, and the class of both. */
const bound = (name: string, options: VolumeOptions = {}, claimOptions: ClaimOptions = {}): OtherObject[] => [
  claim(name, 'gp3', { volume: `pv-${name}`, ...claimOptions }),
  volume(`pv-${name}`, { claim: name, ...options }),
];
const GP3 = storageClass('gp3');
const LOCAL = storageClass('local', { provisioner: 'kubernetes.io/no-provisioner' });

function volumeCase(
  id: string,
  situation: {
    objects: readonly OtherObject[];
    pods?: readonly Pod[];
    more?: PodOptions;
    source?: string;
    nodes?: SchedulerCase['nodes'];
    expected: Expected;
  },
): SchedulerCase {
  const { objects, pods = [], more = using('data'), source = SOURCE.volumes, nodes = NODES, expected } = situation;
  return { id: `volume-${id}`, source, nodes, objects, pods, pod: pod('p', more), expected };
}
const ebs = (volumeID: string): PodOptions => ({ volumes: [{ name: 'v', awsElasticBlockStore: { volumeID } }] });

/** Volumes: VolumeRestrictions, NodeVolumeLimits, VolumeBinding, VolumeZone. */
export const VOLUME_CASES: readonly SchedulerCase[] = [
  volumeCase('claim-missing', {
    objects: [],
    source: BINDING_TEST,
    expected: refusedOutright(2, 'persistentvolumeclaim "data" not found'),
  }),
  volumeCase('claim-of-another-namespace', {
    objects: [GP3, claim('data', 'gp3', { metadata: { namespace: 'kube-system' } })],
    source: BINDING_TEST,
    expected: refusedOutright(2, 'persistentvolumeclaim "data" not found'),
  }),
  volumeCase('claim-unbound-immediate', {
    objects: [storageClass('now', { volumeBindingMode: 'Immediate' }), claim('data', 'now')],
    source: SOURCE.classes,
    expected: refusedOutright(2, 'pod has unbound immediate PersistentVolumeClaims'),
  }),
  volumeCase('claim-of-a-missing-class', {
    objects: [claim('data', 'none')],
    source: BINDING_TEST,
    expected: refusedOutright(2, 'pod has unbound immediate PersistentVolumeClaims'),
  }),
  volumeCase('claim-without-class', {
    objects: [claim('data', '')],
    source: BINDING_TEST,
    expected: refusedOutright(2, 'pod has unbound immediate PersistentVolumeClaims'),
  }),
  volumeCase('claim-names-a-volume-but-is-unbound', {
    objects: [GP3, claim('data', 'gp3', { volume: 'pv-data', prebound: true }), volume('pv-data', { zone: 'a' })],
    source: BINDING_TEST,
    expected: refusedOutright(2, 'pod has unbound immediate PersistentVolumeClaims'),
  }),
  volumeCase('claim-lost', {
    objects: [GP3, claim('data', 'gp3', { volume: 'gone', status: { phase: 'Lost' } })],
    source: BINDING_TEST,
    expected: refusedOutright(2, 'persistentvolumeclaim "data" bound to non-existent persistentvolume "gone"'),
  }),
  volumeCase('claim-being-deleted', {
    objects: [
      GP3,
      ...bound('data', {}, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['kubernetes.io/pvc-protection'] } }),
    ],
    source: BINDING_TEST,
    expected: refusedOutright(2, 'persistentvolumeclaim "data" is being deleted'),
  }),
  volumeCase('volume-missing', {
    objects: [GP3, claim('data', 'gp3', { volume: 'pv-data' })],
    source: ZONE_TEST,
    expected: refusedOutright(2, 'persistentvolume "pv-data" not found'),
  }),
  volumeCase('bound-anywhere', { objects: [GP3, ...bound('data')], expected: on('n1', 'n2') }),
  volumeCase('bound-in-a-zone', { objects: [GP3, ...bound('data', { zone: 'b' })], expected: on('n2') }),
  volumeCase('bound-in-a-zone-without-nodes', {
    objects: [GP3, ...bound('data', { zone: 'c' })],
    source: BINDING_TEST,
    expected: refused({ [NODE_CONFLICT]: 2 }, { unhelpful: 2 }),
  }),
  volumeCase('two-claims-in-two-zones', {
    objects: [GP3, ...bound('data', { zone: 'a' }), ...bound('logs', { zone: 'b' })],
    more: using('data', 'logs'),
    source: BINDING_TEST,
    expected: refused({ [NODE_CONFLICT]: 2 }, { unhelpful: 2 }),
  }),
  volumeCase('waits-for-the-first-consumer', { objects: [GP3, claim('data', 'gp3')], source: SOURCE.classes, expected: on('n1', 'n2') }),
  volumeCase('allowed-topologies', {
    objects: [
      storageClass('gp3', { allowedTopologies: [{ matchLabelExpressions: [{ key: LABEL.zone, values: ['b', 'c'] }] }] }),
      claim('data', 'gp3'),
    ],
    source: SOURCE.classes,
    expected: on('n2'),
  }),
  volumeCase('allowed-topologies-without-nodes', {
    objects: [
      storageClass('gp3', { allowedTopologies: [{ matchLabelExpressions: [{ key: LABEL.zone, values: ['c'] }] }] }),
      claim('data', 'gp3'),
    ],
    source: SOURCE.classes,
    expected: refused({ [NO_VOLUME]: 2 }, { unhelpful: 2 }),
  }),
  volumeCase('provisioning-was-begun-elsewhere', {
    objects: [GP3, claim('data', 'gp3', { selectedNode: 'n2' })],
    source: BINDING_TEST,
    expected: on('n2'),
  }),
  volumeCase('static-volume', {
    objects: [LOCAL, claim('data', 'local'), volume('v1', { zone: 'b', storageClassName: 'local' })],
    source: SOURCE.classes,
    expected: on('n2'),
  }),
  volumeCase('static-volume-too-small', {
    objects: [LOCAL, claim('data', 'local', { size: '2Gi' }), volume('v1', { zone: 'b', storageClassName: 'local' })],
    source: BINDING_TEST,
    expected: refused({ [NO_VOLUME]: 2 }, { unhelpful: 2 }),
  }),
  volumeCase('static-volume-of-another-class', {
    objects: [LOCAL, claim('data', 'local'), volume('v1', { zone: 'b', storageClassName: 'fast' })],
    source: BINDING_TEST,
    expected: refused({ [NO_VOLUME]: 2 }, { unhelpful: 2 }),
  }),
  volumeCase('static-volume-taken', {
    objects: [LOCAL, claim('data', 'local'), volume('v1', { zone: 'b', storageClassName: 'local', claim: 'other' })],
    source: BINDING_TEST,
    expected: refused({ [NO_VOLUME]: 2 }, { unhelpful: 2 }),
  }),
  volumeCase('two-claims-one-static-volume', {
    objects: [LOCAL, claim('data', 'local'), claim('logs', 'local'), volume('v1', { zone: 'b', storageClassName: 'local' })],
    more: using('data', 'logs'),
    source: BINDING_TEST,
    expected: refused({ [NO_VOLUME]: 2 }, { unhelpful: 2 }),
  }),
  volumeCase('two-claims-two-static-volumes', {
    objects: [
      LOCAL,
      claim('data', 'local'),
      claim('logs', 'local'),
      volume('v1', { zone: 'b', storageClassName: 'local' }),
      volume('v2', { zone: 'b', storageClassName: 'local' }),
      volume('v3', { zone: 'a', storageClassName: 'local' }),
    ],
    more: using('data', 'logs'),
    source: BINDING_TEST,
    expected: on('n2'),
  }),
  volumeCase('zone-label', { objects: [GP3, ...bound('data', { labels: { [LABEL.zone]: 'b' } })], source: ZONE_TEST, expected: on('n2') }),
  volumeCase('zone-label-of-several', {
    objects: [GP3, ...bound('data', { labels: { [LABEL.zone]: 'b__c' } })],
    source: ZONE_TEST,
    expected: on('n2'),
  }),
  volumeCase('zone-label-old', {
    objects: [GP3, ...bound('data', { labels: { 'failure-domain.beta.kubernetes.io/zone': 'b' } })],
    source: ZONE_TEST,
    expected: on('n2'),
  }),
  volumeCase('zone-label-without-nodes', {
    objects: [GP3, ...bound('data', { labels: { [LABEL.zone]: 'c' } })],
    source: ZONE_TEST,
    expected: refused({ [NO_ZONE]: 2 }, { unhelpful: 2 }),
  }),
  volumeCase('zone-label-node-without-zone', {
    nodes: [node('n1'), node('n2', { zone: 'b' })],
    objects: [GP3, ...bound('data', { labels: { [LABEL.zone]: 'c' } })],
    source: ZONE_TEST,
    expected: on('n1'),
  }),
  volumeCase('limit', {
    objects: [GP3, csiNode('n1', 1), csiNode('n2', 2), ...bound('there1'), ...bound('there2'), claim('data', 'gp3')],
    pods: [pod('one', { on: 'n1', ...using('there1') }), pod('two', { on: 'n2', ...using('there2') })],
    source: SOURCE.limits,
    expected: on('n2'),
  }),
  volumeCase('limit-reached', {
    nodes: [node('n1', { zone: 'a' })],
    objects: [GP3, csiNode('n1', 1), ...bound('there'), ...bound('data')],
    pods: [pod('one', { on: 'n1', ...using('there') })],
    source: CSI_TEST,
    expected: refused({ [TOO_MANY]: 1 }, { victimless: 1 }),
  }),
  volumeCase('limit-same-volume-counts-once', {
    nodes: [node('n1', { zone: 'a' })],
    objects: [GP3, csiNode('n1', 1), ...bound('data')],
    pods: [pod('one', { on: 'n1', ...using('data') })],
    source: CSI_TEST,
    expected: on('n1'),
  }),
  volumeCase('limit-attached-without-a-pod', {
    nodes: [node('n1', { zone: 'a' })],
    objects: [GP3, csiNode('n1', 1), ...bound('left'), attachment('n1', 'pv-left'), ...bound('data')],
    source: CSI_TEST,
    expected: refused({ [TOO_MANY]: 1 }, { victimless: 1 }),
  }),
  volumeCase('limit-unknown', {
    nodes: [node('n1', { zone: 'a' })],
    objects: [GP3, csiNode('n1'), ...bound('there'), ...bound('data')],
    pods: [pod('one', { on: 'n1', ...using('there') })],
    source: CSI_TEST,
    expected: on('n1'),
  }),
  volumeCase('read-write-once-pod-in-use', {
    objects: [GP3, ...bound('data', { accessMode: 'ReadWriteOncePod' }, { accessMode: 'ReadWriteOncePod' })],
    pods: [pod('one', { on: 'n1', ...using('data') })],
    expected: refused({ [IN_USE]: 2 }, { unhelpful: 0, victimless: 2 }),
  }),
  volumeCase('read-write-once-pod-free', {
    objects: [GP3, ...bound('data', { accessMode: 'ReadWriteOncePod' }, { accessMode: 'ReadWriteOncePod' })],
    expected: on('n1', 'n2'),
  }),
  volumeCase('read-write-once-in-use', {
    objects: [GP3, ...bound('data', { zone: 'a' })],
    pods: [pod('one', { on: 'n1', ...using('data') })],
    expected: on('n1'),
  }),
  volumeCase('disk-in-use-on-the-node', {
    objects: [],
    pods: [pod('one', { on: 'n1', ...ebs('vol-1') })],
    more: ebs('vol-1'),
    source: inPlugin('volumerestrictions/volume_restrictions_test.go'),
    expected: on('n2'),
  }),
  volumeCase('ephemeral-claim-not-made-yet', {
    objects: [GP3],
    more: {
      volumes: [
        {
          name: 'scratch',
          ephemeral: { volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } } },
        },
      ],
    },
    source: SOURCE.ephemeral,
    expected: refusedOutright(2, 'waiting for ephemeral volume controller to create the persistentvolumeclaim "p-scratch"'),
  }),
];
