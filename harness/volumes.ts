import { LABEL } from '../model/kube.ts';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../model/storage.ts';
import type { UserObject } from './scenario.ts';

const EBS = 'ebs.csi.aws.com';
const NAMESPACE = 'default';
const SIZE = '10Gi';

/** A class of EBS volumes. @param zones in which they are created; anywhere if there are none */
export function storageClass(
  name: string,
  zones: readonly string[],
  volumeBindingMode: StorageClass['volumeBindingMode'] = 'WaitForFirstConsumer',
): UserObject {
  const object: StorageClass & { metadata: object } = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name },
    provisioner: EBS,
    volumeBindingMode,
    ...(zones.length === 0 ? {} : { allowedTopologies: [{ matchLabelExpressions: [{ key: LABEL.zone, values: [...zones] }] }] }),
  };
  return { resource: 'storageclasses', object };
}

/** A claim of a volume that one node at a time can attach. */
export function volumeClaim(
  name: string,
  spec: Pick<PersistentVolumeClaim['spec'], 'storageClassName' | 'volumeName'>,
): { readonly resource: string; readonly object: PersistentVolumeClaim } {
  const object: PersistentVolumeClaim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: NAMESPACE },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: SIZE } }, ...spec },
  };
  return { resource: 'persistentvolumeclaims', object };
}

/** An existing volume and its claim, both with this name. @param zones in each of which it can be attached, one or more */
export function volumeIn(zones: string | readonly string[], name: string): UserObject[] {
  // As drivers of volumes that exist in several zones write it: a term for each.
  const nodeSelectorTerms = [zones]
    .flat()
    .map((zone) => ({ matchExpressions: [{ key: LABEL.zone, operator: 'In' as const, values: [zone] }] }));
  const object: PersistentVolume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: SIZE },
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: NAMESPACE, name },
      csi: { driver: EBS, volumeHandle: `vol-${name}` },
      nodeAffinity: { required: { nodeSelectorTerms } },
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: '',
    },
  };
  return [{ resource: 'persistentvolumes', object }, volumeClaim(name, { storageClassName: '', volumeName: name })];
}
