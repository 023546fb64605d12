import { expect, test } from '@playwright/test';
import { LABEL } from '../../model/kube.ts';
import type { Pod, Volume } from '../../model/kube.ts';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../model/storage.ts';
import { withVolumeTopology } from './volumes.ts';
import type { Storage } from './volumes.ts';

function storageOf(claims: PersistentVolumeClaim[], volumes: PersistentVolume[] = [], classes: StorageClass[] = []): Storage {
  return {
    claim: (namespace, name) => claims.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
    volume: (name) => volumes.find(({ metadata }) => metadata.name === name),
    storageClass: (name) => classes.find(({ metadata }) => metadata.name === name),
  };
}

function claim(spec: PersistentVolumeClaim['spec'], name = 'data'): PersistentVolumeClaim {
  return { metadata: { name, namespace: 'default' }, spec };
}

function podWith(volumes: Volume[]): Pod {
  return { metadata: { name: 'web', namespace: 'default' }, spec: { containers: [], volumes } };
}

function inZones(...zones: string[]): PersistentVolume {
  const nodeSelectorTerms = zones.map((zone) => ({ matchExpressions: [{ key: LABEL.zone, operator: 'In' as const, values: [zone] }] }));
  return { metadata: { name: 'pv' }, spec: { nodeAffinity: { required: { nodeSelectorTerms } } } };
}

const DATA: Volume = { name: 'data', persistentVolumeClaim: { claimName: 'data' } };
const LATE: StorageClass = { metadata: { name: 'gp3' }, provisioner: 'ebs.csi.aws.com', volumeBindingMode: 'WaitForFirstConsumer' };

/** The values of each term, in order. */
function termsOf(pod: Pod, storage: Storage): string[][] | string {
  const placed = withVolumeTopology(pod, storage);
  if ('problem' in placed) return placed.problem;
  return (placed.pod.volumeTerms ?? []).map(({ matchExpressions = [] }) => matchExpressions.flatMap(({ values = [] }) => values));
}

const SECOND: Volume = { name: 'more', persistentVolumeClaim: { claimName: 'more' } };

test('a bound volume: its topology, combined with that of other volumes', () => {
  const storage = storageOf(
    [claim({ volumeName: 'pv' }), claim({ storageClassName: 'gp3' }, 'more')],
    [inZones('a', 'b')],
    [{ ...LATE, allowedTopologies: [{ matchLabelExpressions: [{ key: LABEL.zone, values: ['x', 'y'] }] }] }],
  );
  expect(termsOf(podWith([DATA]), storage)).toEqual([['a'], ['b']]);
  expect(termsOf(podWith([DATA, SECOND]), storage)).toEqual([
    ['a', 'x', 'y'],
    ['b', 'x', 'y'],
  ]);
});

test('a volume that will be created: where its class allows it, or anywhere', () => {
  const narrow = { ...LATE, allowedTopologies: [{ matchLabelExpressions: [{ key: LABEL.zone, values: ['a', 'c'] }] }] };
  expect(termsOf(podWith([DATA]), storageOf([claim({ storageClassName: 'gp3' })], [], [narrow]))).toEqual([['a', 'c']]);
  expect(termsOf(podWith([DATA]), storageOf([claim({ storageClassName: 'gp3' })], [], [LATE]))).toEqual([]);
});

for (const [name, storage, problem] of [
  ['no claim', storageOf([]), 'spec.volumes[0]: persistentVolumeClaim data does not exist'],
  ['no volume', storageOf([claim({ volumeName: 'pv' })]), 'persistentVolume pv of claim data does not exist'],
  ['no class', storageOf([claim({ storageClassName: 'gp3' })]), 'storageClass gp3 of claim data does not exist'],
  ['neither', storageOf([claim({})]), 'names no storage class'],
  [
    'bound at once, but not yet',
    storageOf([claim({ storageClassName: 'gp3' })], [], [{ ...LATE, volumeBindingMode: 'Immediate' }]),
    'is not bound yet',
  ],
] as const) {
  test(`a problem of this pod only: ${name}`, () => {
    expect(termsOf(podWith([DATA]), storage)).toContain(problem);
  });
}

test('pods without claims, and ephemeral volumes that are about to be created, are unchanged', () => {
  const pod = podWith([{ name: 'tmp' }, { name: 'scratch', ephemeral: {} }]);
  expect(withVolumeTopology(pod, storageOf([]))).toEqual({ pod });
});
