import { controllerOf } from '../../../model/owners.ts';
import { isJsonObject } from '../../../protocols/kube/json.ts';
import type { ApiObject } from '../resource.ts';
import { NAME, column, columns, simple, wide } from './columns.ts';
import type { Printer } from './columns.ts';
import { ageOf, at, countAt, listAt, textAt, textsAt } from './read.ts';

const ROLE_LABEL = 'node-role.kubernetes.io/';

export const nodePrinter = simple(
  [column('Status'), column('Roles')],
  (node) => [
    nodeStatus(node),
    nodeRoles(node),
    textAt(node, ['status', 'nodeInfo', 'kubeletVersion']),
    addressOf(node, 'InternalIP'),
    addressOf(node, 'ExternalIP'),
    textAt(node, ['status', 'nodeInfo', 'osImage'], '<unknown>'),
    textAt(node, ['status', 'nodeInfo', 'kernelVersion'], '<unknown>'),
    textAt(node, ['status', 'nodeInfo', 'containerRuntimeVersion'], '<unknown>'),
  ],
  [column('Version'), ...wide('Internal-IP', 'External-IP', 'OS-Image', 'Kernel-Version', 'Container-Runtime')],
);

function nodeStatus(node: ApiObject): string {
  const ready = listAt(node, 'status', 'conditions').find((condition) => condition['type'] === 'Ready');
  const status = ready === undefined ? 'Unknown' : ready['status'] === 'True' ? 'Ready' : 'NotReady';
  return at(node, 'spec', 'unschedulable') === true ? `${status},SchedulingDisabled` : status;
}

function nodeRoles({ metadata }: ApiObject): string {
  const roles = Object.entries(metadata.labels ?? {}).flatMap(([key, value]) => {
    if (key.startsWith(ROLE_LABEL) && key.length > ROLE_LABEL.length) return [key.slice(ROLE_LABEL.length)];
    return key === 'kubernetes.io/role' && value !== '' ? [value] : [];
  });
  return roles.length === 0 ? '<none>' : [...new Set(roles)].sort().join(',');
}

function addressOf(node: ApiObject, type: string): string {
  const found = listAt(node, 'status', 'addresses').find((address) => address['type'] === type);
  return textAt(found, ['address'], '<none>');
}

export const eventPrinter: Printer = {
  columns: [
    column('Last Seen'),
    column('Type'),
    column('Reason'),
    column('Object'),
    ...wide('Subobject', 'Source'),
    column('Message'),
    ...wide('First Seen', 'Count'),
    { ...column('Name', 'string', 1), format: 'name' },
  ],
  row: (event, nowMs) => {
    const first = ageOf(at(event, 'firstTimestamp') ?? at(event, 'eventTime'), nowMs);
    const last = at(event, 'series', 'lastObservedTime') ?? at(event, 'lastTimestamp');
    const name = textAt(event, ['involvedObject', 'name']);
    const kind = textAt(event, ['involvedObject', 'kind']).toLowerCase();
    const component = textAt(event, ['source', 'component'], textAt(event, ['reportingComponent']));
    const instance = textAt(event, ['source', 'host'], textAt(event, ['reportingInstance']));
    return [
      last === undefined ? first : ageOf(last, nowMs),
      textAt(event, ['type']),
      textAt(event, ['reason']),
      name === '' ? kind : `${kind}/${name}`,
      textAt(event, ['involvedObject', 'fieldPath']),
      instance === '' ? component : `${component}, ${instance}`,
      textAt(event, ['message']).trim(),
      first,
      countAt(event, 'series', 'count') || countAt(event, 'count') || 1,
      event.metadata.name ?? '',
    ];
  },
};

export const namespacePrinter = simple([column('Status')], (object) => [textAt(object, ['status', 'phase'])]);

export const budgetPrinter = simple(
  [column('Min Available'), column('Max Unavailable'), column('Allowed Disruptions', 'integer')],
  (object) => [orNone(object, 'minAvailable'), orNone(object, 'maxUnavailable'), countAt(object, 'status', 'disruptionsAllowed')],
);

function orNone(budget: ApiObject, field: string): string {
  const value = at(budget, 'spec', field);
  return typeof value === 'number' || typeof value === 'string' ? String(value) : 'N/A';
}

export const priorityClassPrinter = simple(
  [column('Value', 'integer'), column('Global-Default', 'boolean')],
  (object) => [countAt(object, 'value'), at(object, 'globalDefault') === true, textAt(object, ['preemptionPolicy'])],
  [column('PreemptionPolicy')],
);

export const leasePrinter = simple([column('Holder')], (object) => [textAt(object, ['spec', 'holderIdentity'])]);

export const configMapPrinter = simple([column('Data')], (object) => [sizeOf(object, 'data') + sizeOf(object, 'binaryData')]);

export const secretPrinter = simple([column('Type'), column('Data')], (object) => [textAt(object, ['type']), sizeOf(object, 'data')]);

export const serviceAccountPrinter = simple([column('Secrets')], (object) => [listAt(object, 'secrets').length]);

export const controllerRevisionPrinter = simple([column('Controller'), column('Revision')], (object) => {
  const owner = controllerOf(object);
  const group = owner?.apiVersion.includes('/') === true ? `.${owner.apiVersion.split('/', 1).join('')}` : '';
  return [owner === undefined ? '<none>' : `${owner.kind.toLowerCase()}${group}/${owner.name}`, countAt(object, 'revision')];
});

export const storageClassPrinter: Printer = {
  columns: [NAME, ...['Provisioner', 'ReclaimPolicy', 'VolumeBindingMode', 'AllowVolumeExpansion', 'Age'].map((name) => column(name))],
  row: (object, nowMs) => {
    const isDefault = object.metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true';
    return [
      `${object.metadata.name ?? ''}${isDefault ? ' (default)' : ''}`,
      textAt(object, ['provisioner']),
      textAt(object, ['reclaimPolicy'], 'Delete'),
      textAt(object, ['volumeBindingMode'], 'Immediate'),
      at(object, 'allowVolumeExpansion') === true,
      ageOf(object.metadata.creationTimestamp, nowMs),
    ];
  },
};

export const csiNodePrinter = simple([column('Drivers', 'integer')], (object) => [listAt(object, 'spec', 'drivers').length]);

export const csiDriverPrinter = simple(
  [
    column('AttachRequired', 'boolean'),
    column('PodInfoOnMount', 'boolean'),
    column('StorageCapacity', 'boolean'),
    column('TokenRequests'),
    column('RequiresRepublish', 'boolean'),
    column('Modes'),
  ],
  ({ spec }) => [
    at(spec, 'attachRequired') !== false,
    at(spec, 'podInfoOnMount') === true,
    at(spec, 'storageCapacity') === true,
    at(spec, 'tokenRequests') === undefined
      ? '<unset>'
      : listAt(spec, 'tokenRequests')
          .map((one) => textAt(one, ['audience']))
          .join(','),
    at(spec, 'requiresRepublish') === true,
    textsAt(spec, 'volumeLifecycleModes').join(',') || '<none>',
  ],
);

export const attributesClassPrinter = simple(columns('DriverName'), (object) => [textAt(object, ['driverName'])]);

export const volumeAttachmentPrinter = simple(
  [column('Attacher'), column('PV'), column('Node'), column('Attached', 'boolean')],
  (object) => [
    textAt(object, ['spec', 'attacher']),
    textAt(object, ['spec', 'source', 'persistentVolumeName']),
    textAt(object, ['spec', 'nodeName']),
    at(object, 'status', 'attached') === true,
  ],
);

const ACCESS_MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

function accessModes(modes: unknown): string {
  const given = Array.isArray(modes) ? modes : [];
  return Object.keys(ACCESS_MODES)
    .filter((mode) => given.includes(mode))
    .map((mode) => ACCESS_MODES[mode])
    .join(',');
}

function phaseOf(object: ApiObject): string {
  return object.metadata.deletionTimestamp === undefined ? textAt(object, ['status', 'phase']) : 'Terminating';
}

export const volumePrinter = simple(
  ['Capacity', 'Access Modes', 'Reclaim Policy', 'Status', 'Claim', 'StorageClass', 'VolumeAttributesClass', 'Reason'].map((name) =>
    column(name),
  ),
  (object) => [
    textAt(object, ['spec', 'capacity', 'storage'], '0'),
    accessModes(at(object, 'spec', 'accessModes')),
    textAt(object, ['spec', 'persistentVolumeReclaimPolicy']),
    phaseOf(object),
    at(object, 'spec', 'claimRef') === undefined
      ? ''
      : `${textAt(object, ['spec', 'claimRef', 'namespace'])}/${textAt(object, ['spec', 'claimRef', 'name'])}`,
    textAt(object, ['spec', 'storageClassName']),
    textAt(object, ['spec', 'volumeAttributesClassName'], '<unset>'),
    textAt(object, ['status', 'reason']),
    textAt(object, ['spec', 'volumeMode'], '<unset>'),
  ],
  wide('VolumeMode'),
);

export const claimPrinter = simple(
  ['Status', 'Volume', 'Capacity', 'Access Modes', 'StorageClass', 'VolumeAttributesClass'].map((name) => column(name)),
  (object) => {
    const volume = textAt(object, ['spec', 'volumeName']);
    return [
      phaseOf(object),
      volume,
      volume === '' ? '' : textAt(object, ['status', 'capacity', 'storage'], '0'),
      volume === '' ? '' : accessModes(at(object, 'status', 'accessModes')),
      textAt(object, ['spec', 'storageClassName']),
      textAt(object, ['spec', 'volumeAttributesClassName'], '<unset>'),
      textAt(object, ['spec', 'volumeMode'], '<unset>'),
    ];
  },
  wide('VolumeMode'),
);

export const resourceSlicePrinter = simple([column('Node'), column('Driver'), column('Pool')], (object) => [
  textAt(object, ['spec', 'nodeName']),
  textAt(object, ['spec', 'driver']),
  textAt(object, ['spec', 'pool', 'name']),
]);

export const agePrinter = simple([], () => []);

function sizeOf(object: ApiObject, field: string): number {
  const map = at(object, field);
  return isJsonObject(map) ? Object.keys(map).length : 0;
}
